//! Triples of real texts: real edits where they are known, and edits as people make them, of lines that are there.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::from_environment;
use crate::generate::Triple;
use crate::git::MARKER;
use crate::oracle::rng::Rng;

/// Texts, each with what real edits made of it.
pub(crate) struct RealTexts(Vec<(String, Vec<String>)>);

impl RealTexts {
    /// The editbench cases that the environment names, else the sources of this repository.
    pub(crate) fn read() -> RealTexts {
        let mut texts: BTreeMap<String, Vec<String>> = match from_environment("INTERLINE_MERGE_CASES") {
            Some(cases) => editbench_cases(Path::new(&cases)),
            None => sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")),
        };
        texts.retain(|text, edits| edits.iter().chain([text]).all(|text| !text.contains(MARKER)));
        assert!(texts.len() >= 100, "{} texts", texts.len());
        RealTexts(texts.into_iter().collect())
    }

    /// One of the texts and two edits of it, often near each other.
    pub(crate) fn triple(&self, seed: u64) -> Triple {
        let mut rng = Rng::new(seed);
        let (base, edits) = &self.0[rng.below(self.0.len())];
        let near = rng.below(base.matches('\n').count() + 1);
        // Another edit on each side. Where both sides make the same one, git may still conflict: which of two equal lines it keeps
        // depends on changes elsewhere. For us that is no conflict, which is one of the laws.
        let mut edits: Vec<&String> = edits.iter().collect();
        let [ours, theirs] = [(); 2].map(|()| {
            let known = (rng.percent(50) && !edits.is_empty()).then(|| edits.swap_remove(rng.below(edits.len())));
            let more = if known.is_some() { rng.below(2) } else { rng.between(1, 3) };
            let text = known.unwrap_or(base).clone();
            (0..more).fold(text, |text, _| self.edited(&mut rng, &text, near))
        });
        Triple { base: base.clone(), ours, theirs }
    }

    /// The text after one edit of some lines.
    fn edited(&self, rng: &mut Rng, text: &str, near: usize) -> String {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let at = if rng.percent(60) { near + rng.below(12) } else { rng.below(lines.len() + 1) }.min(lines.len());
        let count = rng.between(1, 5).min(lines.len() - at);
        match rng.below(6) {
            // Lines of another text.
            0 => _ = lines.splice(at..at, self.passage(rng)),
            1 => _ = lines.splice(at..at + count, self.passage(rng)),
            2 => _ = lines.drain(at..at + count),
            // A word in each line.
            3 => lines[at..at + count].iter_mut().for_each(|line| *line = line.replacen(' ', " changed ", 1)),
            // Another indentation.
            4 => lines[at..at + count].iter_mut().for_each(|line| line.insert_str(0, "    ")),
            _ => {
                let moved: Vec<String> = lines.drain(at..at + count).collect();
                let to = rng.below(lines.len() + 1);
                lines.splice(to..to, moved);
            }
        }
        lines.concat()
    }

    /// Some lines of some text.
    fn passage(&self, rng: &mut Rng) -> Vec<String> {
        let (text, _) = &self.0[rng.below(self.0.len())];
        let from = rng.below(text.matches('\n').count() + 1);
        text.split_inclusive('\n').skip(from).take(rng.between(1, 8)).map(str::to_owned).collect()
    }
}

/// Contents, and what is expected of the cases that have them.
fn editbench_cases(file: &Path) -> BTreeMap<String, Vec<String>> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in std::fs::read_to_string(file).unwrap().split_terminator('\n') {
        let case: serde_json::Value = serde_json::from_str(case).unwrap();
        let edits = texts.entry(case["content"].as_str().unwrap().to_owned()).or_default();
        edits.extend(case["expected"].as_str().map(str::to_owned));
    }
    for edits in texts.values_mut() {
        edits.sort();
        edits.dedup();
    }
    texts
}

/// The Rust files under a folder.
fn sources(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let mut texts = BTreeMap::new();
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some(OsStr::new("rs")) {
                texts.insert(std::fs::read_to_string(&path).unwrap(), Vec::new());
            }
        }
    }
    texts
}
