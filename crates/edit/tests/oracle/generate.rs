//! Generates replace requests at the edges of the rules, by seed.

use interline_edit::{Insert, InsertPosition, Level, LineEndings, Replace};

use super::lines::{lines, split_indent, texts};
use super::misremember;
use super::replace::{ReplaceOutcome, replace, without_carriage_return};
use super::rng::Rng;

/// Everything that one comparison needs.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) content: String,
    pub(crate) old_str: String,
    pub(crate) new_str: String,
    pub(crate) expected_matches: usize,
    pub(crate) loosest: Level,
    pub(crate) line_endings: LineEndings,
}

impl Case {
    pub(crate) fn request(&self) -> Replace<'_> {
        Replace {
            expected_matches: self.expected_matches,
            loosest: self.loosest,
            line_endings: self.line_endings,
            ..Replace::new(&self.old_str, &self.new_str)
        }
    }

    /// An insertion of the same texts, mostly with `old_str` as the anchor; the number decides where.
    pub(crate) fn insertion(&self, choice: u64) -> Insert<'_> {
        let place = match choice % 10 {
            0..=3 => InsertPosition::After(&self.old_str),
            4..=7 => InsertPosition::Before(&self.old_str),
            8 => InsertPosition::Start,
            _ => InsertPosition::End,
        };
        Insert { loosest: self.loosest, line_endings: self.line_endings, ..Insert::new(place, &self.new_str) }
    }
}

#[rustfmt::skip]
const SOUP: [&str; 24] = [
    "a", "a", "b", "b", " ", " ", "\t", "\n", "\n", "\r\n", "\r", "\u{A0}", "\u{301}", "\u{1F600}", "\u{2019}", "'",
    "\u{2014}", "-", "\u{2026}", "...", "\u{3000}", "\u{2028}", "\u{85}", ".",
];
#[rustfmt::skip]
const WORDS: [&str; 22] = [
    "a", "b", "c", "aa", "ab", "e\u{301}", "\u{E9}", "\u{1F600}", "it's", "it\u{2019}s", "\"q\"",
    "\u{201C}q\u{201D}", "x-y", "x\u{2014}y", "\u{2013}", "...", "\u{2026}", "w...", "w\u{2026}.", ".\u{2026}", "}",
    "\r",
];
const INDENTS: [&str; 8] = ["  ", "  ", "    ", "    ", "\t", "\t", "   ", "\u{A0}"];

/// The case of a seed.
pub(crate) fn case(seed: u64) -> Case {
    let rng = &mut Rng::new(seed);
    let content = content(rng);
    let old_str = old_str(rng, &content);
    let new_str = new_str(rng, &old_str, &content);
    let loosest = if rng.percent(75) { Level::SpacingNormalized } else { Level::ALL[rng.below(5)] };
    let line_endings = if rng.percent(50) { LineEndings::Literal } else { LineEndings::Match };
    let expected_matches = 1 + rng.weighted(&[82, 13, 5]);
    let mut case = Case { content, old_str, new_str, expected_matches, loosest, line_endings };
    // Several matches are expected by request as well as by chance.
    if rng.percent(50)
        && let ReplaceOutcome::MultipleMatches { total, .. } = replace(&case.content, &case.request())
    {
        case.expected_matches = total;
    }
    case
}

/// Tokens at random.
pub(crate) fn soup(rng: &mut Rng, longest: usize) -> String {
    (0..rng.between(0, longest)).map(|_| rng.pick(&SOUP)).collect()
}

/// A text of a few lines, or soup.
pub(crate) fn content(rng: &mut Rng) -> String {
    if rng.percent(12) {
        return soup(rng, 16);
    }
    let unit = rng.pick(&INDENTS);
    let mut list: Vec<String> = Vec::new();
    for _ in 0..rng.between(1, 9) {
        list.push(line(rng, unit));
    }
    // Repeat a passage, perhaps elsewhere on the page.
    for _ in 0..rng.weighted(&[55, 30, 15]) {
        let first = rng.below(list.len());
        let mut passage = list[first..rng.between(first + 1, list.len().min(first + 3))].to_vec();
        if rng.percent(40) {
            misremember::indentation(rng, &mut passage);
        }
        if rng.percent(30) {
            misremember::trailing_blanks(rng, &mut passage);
        }
        let at = rng.between(0, list.len());
        list.splice(at..at, passage);
    }
    let final_newline = rng.percent(60);
    join(rng, &list, final_newline)
}

fn line(rng: &mut Rng, unit: &str) -> String {
    if rng.percent(18) {
        return if rng.percent(60) { String::new() } else { misremember::blanks(rng).to_owned() };
    }
    let mut line = unit.repeat(rng.weighted(&[35, 35, 20, 10]));
    if rng.percent(5) {
        line.push_str(misremember::blanks(rng));
    }
    for index in 0..rng.between(1, 4) {
        if index > 0 && rng.percent(85) {
            let separator = if rng.percent(70) { " " } else { misremember::blanks(rng) };
            line.push_str(separator);
        }
        line.push_str(rng.pick(&WORDS));
    }
    if rng.percent(15) {
        line.push_str(misremember::blanks(rng));
    }
    line
}

/// The lines with endings of one kind, or mixed.
fn join(rng: &mut Rng, list: &[String], final_newline: bool) -> String {
    let crlf = [0, 0, 0, 100, 100, 50][rng.below(6)];
    let mut text = String::new();
    for (index, line) in list.iter().enumerate() {
        text.push_str(line);
        if index + 1 < list.len() || final_newline {
            text.push_str(if rng.percent(crlf) { "\r\n" } else { "\n" });
        }
    }
    text
}

/// A piece of the content, remembered more or less well; rarely something else.
fn old_str(rng: &mut Rng, content: &str) -> String {
    let target = rng.weighted(&[6, 18, 30, 18, 28]);
    if content.is_empty() || rng.percent(3) {
        return soup(rng, 5);
    }
    let fragment = target <= 1 && rng.percent(60);
    let mut piece = if fragment { slice(rng, content) } else { line_range(rng, content) };
    let final_newline = piece.ends_with('\n');
    if target == 0 {
        return piece;
    }
    let as_read = piece.ends_with('\r');
    let mut list = texts(without_carriage_return(&piece));
    if final_newline {
        list.pop();
    }
    if rng.percent(if target == 1 { 80 } else { 25 }) {
        misremember::trailing_blanks(rng, &mut list);
    }
    if target >= 4 {
        misremember::spacing(rng, &mut list);
    }
    if target == 3 || target == 4 && rng.percent(40) {
        misremember::typography(rng, &mut list);
    }
    if target >= 2 && rng.percent(if target == 2 { 85 } else { 40 }) {
        misremember::indentation(rng, &mut list);
    }
    if target >= 2 && rng.percent(30) {
        misremember::blank_edges(rng, &mut list);
    }
    if rng.percent(2) {
        let wrong = rng.below(list.len());
        list[wrong].push('b');
    }
    let toggled = final_newline != (target >= 2 && rng.percent(25));
    piece = join(rng, &list, toggled);
    if as_read && !toggled {
        piece.push('\r');
    }
    piece
}

/// From one character boundary to another, not too far.
fn slice(rng: &mut Rng, content: &str) -> String {
    let mut bounds: Vec<usize> = content.char_indices().map(|(at, _)| at).collect();
    bounds.push(content.len());
    let first = rng.below(bounds.len() - 1);
    let last = rng.between(first + 1, (bounds.len() - 1).min(first + 12));
    content[bounds[first]..bounds[last]].to_owned()
}

/// Up to four lines, with or without the last ending, or as they are read: with its `\r` alone.
fn line_range(rng: &mut Rng, content: &str) -> String {
    let list = lines(content);
    let mut first = rng.below(list.len());
    // Rather lines with text than without.
    for _ in 0..2 {
        if list[first].text.trim().is_empty() {
            first = rng.below(list.len());
        }
    }
    let last = (first + rng.weighted(&[4, 4, 2, 1])).min(list.len() - 1);
    let as_read = list[last].end() - usize::from(!list[last].ending.is_empty());
    let end = [list[last].end(), list[last].text_end(), as_read][rng.weighted(&[4, 4, 2])];
    content[list[first].start..end].to_owned()
}

/// What the passage shall become: mostly itself with small changes.
fn new_str(rng: &mut Rng, old_str: &str, content: &str) -> String {
    match rng.weighted(&[8, 3, 6, 3, 80]) {
        0 => return String::new(),
        1 => return old_str.to_owned(),
        2 => return soup(rng, 8),
        3 if !content.is_empty() => return slice(rng, content),
        _ => {}
    }
    let mut final_newline = old_str.ends_with('\n');
    let as_read = old_str.ends_with('\r') && rng.percent(60);
    let mut list = texts(if as_read { without_carriage_return(old_str) } else { old_str });
    if final_newline {
        list.pop();
    }
    for _ in 0..rng.between(1, 3) {
        change(rng, &mut list);
    }
    if rng.percent(12) {
        final_newline = !final_newline;
    }
    let mut text = join(rng, &list, final_newline);
    if as_read && !final_newline {
        text.push('\r');
    }
    text
}

fn change(rng: &mut Rng, list: &mut Vec<String>) {
    if list.is_empty() {
        return list.push(soup(rng, 2).replace(['\n', '\r'], ""));
    }
    let at = rng.below(list.len());
    let (indent, _) = split_indent(&list[at]);
    let indent = indent.to_owned();
    match rng.below(10) {
        0 => _ = list.remove(at),
        1 => list.insert(at, list[at].clone()),
        2 => list.insert(at + 1, indent + rng.pick(&WORDS)),
        3 => list.insert(at, indent + rng.pick(&INDENTS) + rng.pick(&WORDS)),
        4 => list[at] = indent + rng.pick(&WORDS) + " " + rng.pick(&WORDS),
        5 => list[at].push_str(rng.pick(&["a", " ", "'", " - b", "...", "\u{2026}", "\u{A0}b", " \u{2019}"])),
        6 => misremember::blank_edges(rng, list),
        7 => misremember::typography(rng, &mut list[at..=at]),
        8 => list[at] = line(rng, "  "),
        _ => {
            let other = rng.below(list.len());
            list.swap(at, other);
        }
    }
}
