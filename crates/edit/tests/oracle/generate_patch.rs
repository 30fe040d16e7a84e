//! Generates lists of line operations at the edges of the rules, by seed.

use interline_edit::LineOperation;

use super::contents::content;
use super::lines::lines;
use super::rng::Rng;

/// An operation that owns its texts.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) start_line: usize,
    pub(crate) end_line: usize,
    pub(crate) content: String,
    pub(crate) expect: Option<String>,
}

/// Everything that one comparison needs.
#[derive(Clone, Debug)]
pub(crate) struct PatchCase {
    pub(crate) content: String,
    pub(crate) operations: Vec<Operation>,
}

impl PatchCase {
    pub(crate) fn operations<'a>(&'a self) -> Vec<LineOperation<'a>> {
        let borrow = |operation: &'a Operation| LineOperation {
            start_line: operation.start_line,
            end_line: operation.end_line,
            content: &operation.content,
            expect: operation.expect.as_deref(),
        };
        self.operations.iter().map(borrow).collect()
    }
}

const CONTENTS: [&str; 14] =
    ["", "", "\n", "\r\n", "x", "x\n", "x\r\n", "x\ny", "x\r\ny\r\n", "\n\n", "x\r", "x\n\n", "x\r\n\ny", "\r\n\r\ny"];
const NEW: [&str; 10] = ["", "", "n", "n\n", "n\r\n", "\n", "n\nm", "n\r\nm\n", "\n\n", "n\r"];

/// The case of a seed.
pub(crate) fn patch_case(seed: u64) -> PatchCase {
    let rng = &mut Rng::new(seed);
    let text = if rng.percent(50) { rng.pick(&CONTENTS).to_owned() } else { content(rng) };
    let total = lines(&text).len();
    // Mostly in order and apart; else anywhere.
    let orderly = rng.percent(70);
    let mut next = 1;
    let mut operations = Vec::new();
    for _ in 0..rng.weighted(&[2, 40, 30, 18, 10]) {
        if orderly && next > total + 1 {
            break;
        }
        let start = if orderly { rng.between(next, (next + 1).min(total + 1)) } else { rng.between(0, total + 2) };
        let insertion = start > total || rng.percent(35);
        let mut end = match insertion {
            true => start.saturating_sub(1),
            false if orderly => rng.between(start, (start + 1).min(total)),
            false => start + rng.below(3),
        };
        next = end + 1;
        if orderly && insertion && rng.percent(50) {
            next += 1;
        }
        if rng.percent(1) {
            end = [0, usize::MAX, usize::MAX - 1, start.saturating_sub(2)][rng.below(4)];
        }
        let mut new = rng.pick(&NEW).to_owned();
        if insertion && new.is_empty() && rng.percent(90) {
            new.push('n');
        }
        let expect = match rng.percent(if insertion { 2 } else { 35 }) {
            true => Some(expectation(rng, &text, start, end)),
            false => None,
        };
        operations.push(Operation { start_line: start, end_line: end, content: new, expect });
    }
    if rng.percent(30) {
        operations.reverse();
    }
    PatchCase { content: text, operations }
}

/// The text of the lines, as it is or bent a little.
fn expectation(rng: &mut Rng, text: &str, start: usize, end: usize) -> String {
    let list = lines(text);
    let (first, last) = (start.clamp(1, list.len()) - 1, end.clamp(1, list.len()) - 1);
    if first > last {
        return "x".to_owned();
    }
    let present = text[list[first].start..list[last].end()].to_owned();
    match rng.below(8) {
        0 => present,
        1 => text[list[first].start..list[last].text_end()].to_owned(),
        2 => present.replace("\r\n", "\n"),
        3 => present.replace("\r\n", "\n").replace('\n', "\r\n"),
        4 => present + "\n",
        5 => present.strip_suffix('\n').unwrap_or(&present).to_owned(),
        6 => text[list[first].start..list[last].text_end()].to_owned() + "\n",
        _ => present + "?",
    }
}
