//! The law of origins: they are those of a naive history, which goes forward and believes the printed diffs.

use interline_edit::{Edit, EditMismatch, LineOrigins, OlderVersion, Splice, diff, hunks, total_lines};

/// How a version came to be, and how it is taken back.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// By an edit of the text before it.
    Edit(Edit),
    /// A whole text was written, and only the texts are known.
    Whole(String),
    /// The version with this index was restored.
    Restore(usize),
    /// Some of what changed since the version with this index was taken back, by the bits of a number.
    TakeBack(usize, u64),
}

/// A version: its text, and from which version each line came.
struct Version {
    text: String,
    origins: Vec<u64>,
    /// How it is taken back.
    undo: Undo,
}

enum Undo {
    Edit(Edit),
    Text,
    /// With the index of the older version whose text it is.
    Restored(Edit, usize),
    /// With the index of the older version that some lines are of.
    Source(Edit, usize),
}

/// Versions from 1 on, each made from the one before.
pub(crate) struct History {
    versions: Vec<Version>,
}

impl History {
    pub(crate) fn new(first: &str) -> History {
        let origins = vec![1; total_lines(first)];
        History { versions: vec![Version { text: first.to_owned(), origins, undo: Undo::Text }] }
    }

    pub(crate) fn newest(&self) -> &str {
        &self.versions.last().unwrap().text
    }

    pub(crate) fn len(&self) -> usize {
        self.versions.len()
    }

    /// Adds a version.
    pub(crate) fn change(&mut self, change: &Change) {
        let before = self.versions.last().unwrap();
        let number = self.versions.len() as u64 + 1;
        let made = match change {
            Change::Edit(edit) => {
                let text = edit.apply(&before.text).unwrap();
                let kept = kept_lines(&edit.diff(&before.text).unwrap().text, &before.text, &text);
                let origins = kept.iter().map(|old| old.map_or(number, |old| before.origins[old])).collect();
                Version { text, origins, undo: Undo::Edit(edit.invert(&before.text).unwrap()) }
            }
            Change::Whole(text) => {
                // Of equal lines side by side a diff of the whole texts may show another one as added than the diff of the
                // edit between them, and both are right. The origins follow the edit, as they do for all other versions.
                let change = hunks(&before.text, text);
                let all: Vec<usize> = (0..change.as_slice().len()).collect();
                let edit = change.accept(&all).unwrap();
                let kept = kept_lines(&edit.diff(&before.text).unwrap().text, &before.text, text);
                let origins = kept.iter().map(|old| old.map_or(number, |old| before.origins[old])).collect();
                Version { text: text.clone(), origins, undo: Undo::Text }
            }
            Change::Restore(index) => {
                let source = &self.versions[*index];
                let undo = hunks(&before.text, &source.text).revert_all();
                Version {
                    text: source.text.clone(),
                    origins: source.origins.clone(),
                    undo: Undo::Restored(undo, *index),
                }
            }
            Change::TakeBack(index, choice) => self.taken_back(*index, *choice),
        };
        assert_eq!(made.origins.len(), total_lines(&made.text));
        self.versions.push(made);
    }

    fn taken_back(&self, index: usize, choice: u64) -> Version {
        let (before, source) = (self.versions.last().unwrap(), &self.versions[index]);
        let number = self.versions.len() as u64 + 1;
        let change = hunks(&source.text, &before.text);
        let selected: Vec<usize> = (0..change.as_slice().len()).filter(|hunk| choice >> (hunk % 64) & 1 == 1).collect();
        let edit = change.revert(&selected).unwrap();
        let text = edit.apply(&before.text).unwrap();
        let kept = kept_lines(&edit.diff(&before.text).unwrap().text, &before.text, &text);
        let in_source = kept_lines(&diff(&source.text, &text).text, &source.text, &text);
        let is_whole = text == source.text && source.text != before.text;
        let origin = |(kept, in_source): (&Option<usize>, &Option<usize>)| match (kept, in_source) {
            (_, Some(line)) if is_whole => source.origins[*line],
            (Some(line), _) => before.origins[*line],
            (None, Some(line)) => source.origins[*line],
            (None, None) => number,
        };
        let origins = kept.iter().zip(&in_source).map(origin).collect();
        let undo = edit.invert(&before.text).unwrap();
        Version { text, origins, undo: Undo::Source(undo, index) }
    }

    /// Goes back through the versions; the origins are those that the history knows.
    pub(crate) fn check(&self) {
        let newest = self.versions.last().unwrap();
        let mut origins = LineOrigins::new(&newest.text);
        for (index, version) in self.versions.iter().enumerate().skip(1).rev() {
            let (number, before) = (index as u64 + 1, &self.versions[index - 1].text);
            fits_or_is_refused(&mut origins, number, &version.text);
            match &version.undo {
                Undo::Edit(undo) => origins.step(number, undo).unwrap(),
                Undo::Text => origins.step_to_text(number, before).unwrap(),
                Undo::Restored(undo, source) => {
                    origins.step_restored(number, undo, *source as u64 + 1).unwrap();
                }
                Undo::Source(undo, source) => {
                    let source = OlderVersion { version: *source as u64 + 1, text: &self.versions[*source].text };
                    origins.step_with_source(number, undo, source).unwrap();
                }
            }
        }
        let found = origins.lines(1);
        assert!(found.windows(2).all(|pair| pair[0].version != pair[1].version), "{found:?}");
        let mut lines = Vec::new();
        for run in &found {
            assert_eq!(run.start_line, lines.len() + 1, "{found:?}");
            lines.resize(run.end_line, run.version);
        }
        assert_eq!(
            lines,
            newest.origins,
            "{:?}",
            self.versions.iter().map(|version| &version.text).collect::<Vec<_>>()
        );
        self.lines_stood_there(&lines);
    }

    /// A line is in the version that it came from.
    fn lines_stood_there(&self, origins: &[u64]) {
        for (line, origin) in self.newest().split('\n').zip(origins) {
            let origin = &self.versions[usize::try_from(*origin).unwrap() - 1];
            assert!(origin.text.split('\n').any(|there| there == line), "{line:?}");
        }
    }
}

/// Splices outside the text are refused, unless nothing can change any more.
fn fits_or_is_refused(origins: &mut LineOrigins<'_>, version: u64, text: &str) {
    if !origins.needs(version) {
        return;
    }
    let inside_a_character = (0..text.len()).find(|at| !text.is_char_boundary(*at));
    for at in [Some(text.len() + 1), Some(usize::MAX), inside_a_character].into_iter().flatten() {
        let splices = [0..0, at..at].map(|range| Splice { range, text: "x".to_owned() });
        assert_eq!(origins.step(version, &Edit::new(splices.to_vec()).unwrap()), Err(EditMismatch));
    }
}

/// For each line after the diff the line before it that it was, the empty last lines of both included.
fn kept_lines(diff: &str, before: &str, after: &str) -> Vec<Option<usize>> {
    let mut kept = Vec::new();
    let mut old = 0;
    for line in diff.split('\n').skip(2) {
        if let Some(header) = line.strip_prefix("@@ -") {
            let range = header.split(' ').next().unwrap();
            let (start, count) = range.split_once(',').unwrap_or((range, "1"));
            let start: usize = start.parse().unwrap();
            let start = if count == "0" { start } else { start - 1 };
            kept.extend((old..start).map(Some));
            old = start;
        } else if line.starts_with('-') {
            old += 1;
        } else if line.starts_with('+') {
            kept.push(None);
        } else if line.starts_with(' ') {
            kept.push(Some(old));
            old += 1;
        }
    }
    kept.extend((old..before.split_inclusive('\n').count()).map(Some));
    let has_empty_last_line = |text: &str| text.is_empty() || text.ends_with('\n');
    if has_empty_last_line(after) {
        kept.push(has_empty_last_line(before).then(|| total_lines(before) - 1));
    }
    kept
}
