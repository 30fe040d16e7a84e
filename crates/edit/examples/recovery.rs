//! How well refusals help, measured on the editbench cases: whether the first of `nearest` is exactly the passage that was
//! meant, how often a merged change is offered, whether it is right, and whether one is offered for decoys.
//!
//! `cargo run --release --example recovery < cases_dev.jsonl`
//!
//! Decoys are the cases `i` and `j`, and four made from each case `h` and `k`: a line that the change touches is not in the
//! content, or has another word there; the change is made already; the passage is there twice. Any decoy offered, and any
//! offer that is not right, is listed and makes the run fail.

#![expect(clippy::print_stdout, reason = "the metrics go to stdout")]

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, BufRead};
use std::process::ExitCode;

use interline_edit::{LineEndings, Replace, ReplaceError, replace};
use serde_json::Value;

/// What was counted for one kind.
#[derive(Default)]
struct Metrics {
    cases: usize,
    /// The first suggestion is exactly the range.
    exact_range: usize,
    offered: usize,
    right: usize,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut metrics: BTreeMap<String, Metrics> = BTreeMap::new();
    let mut bad = Vec::new();
    for line in io::stdin().lock().lines() {
        let case = Case::read(&serde_json::from_str(&line?)?)?;
        match case.kind.as_bytes()[0] {
            b'h' | b'k' => {
                count(&mut metrics, &mut bad, &case)?;
                for decoy in case.decoys() {
                    count(&mut metrics, &mut bad, &decoy)?;
                }
            }
            b'i' | b'j' => count(&mut metrics, &mut bad, &case)?,
            _ => {}
        }
    }
    println!("| kind | cases | first range exact | merged offered | right |");
    println!("|---|---|---|---|---|");
    for (kind, Metrics { cases, exact_range, offered, right }) in &metrics {
        println!("| {kind} | {cases} | {exact_range} | {offered} | {right} |");
    }
    bad.iter().for_each(|line| println!("{line}"));
    Ok(if bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Asks for the change of one case, and counts what the refusal has.
fn count(metrics: &mut BTreeMap<String, Metrics>, bad: &mut Vec<String>, case: &Case) -> Result<(), Box<dyn Error>> {
    let kind = metrics.entry(case.kind.clone()).or_default();
    kind.cases += 1;
    let request = Replace { line_endings: LineEndings::Match, ..Replace::new(&case.old_str, &case.new_str) };
    let Err(ReplaceError::NoMatch(none)) = replace(&case.content, &request) else { return Ok(()) };
    if let (Some((start, end, _)), Some(first)) = (&case.right, none.nearest.first()) {
        let lines = [*start, *end].map(|at| case.content[..at].matches('\n').count() + 1);
        if [first.first_line, first.last_line] == lines {
            kind.exact_range += 1;
        } else {
            bad.push(format!(
                "{}: lines {lines:?}, first suggestion {}..={}",
                case.id, first.first_line, first.last_line
            ));
        }
    }
    if let Some(merged) = none.merged {
        kind.offered += 1;
        let result = merged.edit.apply(&case.content)?;
        match &case.right {
            Some((start, end, text)) if result == [&case.content[..*start], text, &case.content[*end..]].concat() => {
                kind.right += 1;
            }
            _ => bad.push(format!("{} ({}): offered\n{}", case.id, case.kind, merged.edit.diff(&case.content)?.text)),
        }
    }
    Ok(())
}

/// A request, and what is right.
#[derive(Clone)]
struct Case {
    id: String,
    kind: String,
    content: String,
    old_str: String,
    new_str: String,
    /// The passage that is meant, and what it becomes; none for a decoy.
    right: Option<(usize, usize, String)>,
}

impl Case {
    fn read(case: &Value) -> Result<Case, Box<dyn Error>> {
        let field = |name: &str| case[name].as_str().map(str::to_owned).ok_or(format!("`{name}` must be a string"));
        let content = field("content")?;
        // The cases count characters.
        let byte = |value: &Value| {
            let count = value.as_u64().and_then(|count| usize::try_from(count).ok()).ok_or("a number is missing")?;
            Ok::<usize, Box<dyn Error>>(content.char_indices().nth(count).map_or(content.len(), |(byte, _)| byte))
        };
        let kind = field("kind")?;
        let right = match &case["accept"][0] {
            accept @ Value::Object(_) if kind.starts_with(['h', 'k']) => {
                Some((byte(&accept["start"])?, byte(&accept["end"])?, accept["text"].as_str().unwrap_or("").to_owned()))
            }
            _ => None,
        };
        Ok(Case { id: field("id")?, kind, old_str: field("old_str")?, new_str: field("new_str")?, content, right })
    }

    /// Contents in which the change must not be offered.
    fn decoys(&self) -> Vec<Case> {
        let Some((start, end, text)) = &self.right else { return Vec::new() };
        let (before, passage, after) = (&self.content[..*start], &self.content[*start..*end], &self.content[*end..]);
        let decoy = |name: &str, passage: &str| Case {
            kind: format!("decoy: {name}"),
            content: [before, passage, after].concat(),
            right: None,
            ..self.clone()
        };
        let mut decoys = vec![
            decoy("already applied", text),
            decoy("twins", &[passage, "\n\n", passage].concat()),
            Case { content: [&self.content, "\n", passage, "\n"].concat(), ..decoy("twin at the end", passage) },
        ];
        // A line that goes is one that the change touches.
        let lines: Vec<&str> = passage.split('\n').collect();
        let new: Vec<&str> = self.new_str.split('\n').collect();
        let old: Vec<&str> = self.old_str.split('\n').collect();
        let touched = lines
            .iter()
            .position(|line| old.contains(line) && !new.contains(line) && line.contains(char::is_alphanumeric));
        if let Some(touched) = touched {
            let mut absent = lines.clone();
            absent.remove(touched);
            decoys.push(decoy("a line absent", &absent.join("\n")));
            let mut changed = lines.clone();
            let other = other_word(changed[touched]);
            changed[touched] = &other;
            decoys.push(decoy("a word changed", &changed.join("\n")));
        }
        decoys
    }
}

/// A line with another word in the place of its longest one.
fn other_word(line: &str) -> String {
    let words = line.split(|c: char| !c.is_alphanumeric()).max_by_key(|word| word.len()).unwrap_or(line);
    line.replacen(words, "another", 1)
}
