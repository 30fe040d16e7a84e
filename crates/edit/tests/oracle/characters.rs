//! The oracle of typography: plain forms of characters, and which form of each the document has.

use std::collections::{BTreeMap, BTreeSet};

use super::lines::{is_blank, split_indent, trimmed};

/// The plain text that a character is read as from `punctuation_normalized` on.
pub(crate) fn plain_char(c: char) -> String {
    match c {
        '\u{2018}'..='\u{201B}' => "'".to_owned(),
        '\u{201C}'..='\u{201F}' => "\"".to_owned(),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-".to_owned(),
        '\u{2026}' => "...".to_owned(),
        '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => " ".to_owned(),
        _ => c.to_string(),
    }
}

/// The text with every character read as its plain form.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(plain_char).collect()
}

/// Every run of blanks as one space.
pub(crate) fn collapse_blanks(text: &str) -> String {
    atoms(text, true).into_iter().map(|atom| if is_blank_text(&atom) { " ".to_owned() } else { atom }).collect()
}

/// Whether the character is one of those whose meaning is learnt: of a class of more than one form.
fn is_of_a_class(c: char) -> bool {
    matches!(plain_char(c).as_str(), "'" | "\"" | "-" | "..." | " ")
}

/// A text that stood in `old_str` for texts of the document; `None`: for nothing definite.
type Meanings = BTreeMap<String, BTreeSet<Option<String>>>;

/// What the characters of `old_str` stood for.
#[derive(Default)]
pub(crate) struct Dictionary {
    /// For a character (or `...`) the one other text that it always stood for.
    texts: BTreeMap<String, String>,
    /// Quotes and dashes with whether something that is not blank stood before and after them.
    positions: BTreeSet<(char, bool, bool)>,
}

/// Where the quotes and dashes of a text stand: whether text that is not blank comes before and after each.
fn positions(text: &str) -> Vec<(usize, (char, bool, bool))> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let is_text = |index: Option<usize>| index.and_then(|index| chars.get(index)).is_some_and(|(_, c)| !is_blank(*c));
    let mut found = Vec::new();
    for (index, (at, c)) in chars.iter().enumerate() {
        if matches!(plain_char(*c).as_str(), "'" | "\"" | "-") {
            found.push((*at, (*c, is_text(index.checked_sub(1)), is_text(Some(index + 1)))));
        }
    }
    found
}

/// For characters of `old_str` (and `...`) the one other text that they always stood for in the document.
///
/// Takes pairs of lines of `old_str` and of the document, whose bodies (without indentation and trailing blanks) are equal
/// when read plainly (and, with `runs`, when runs of blanks count as one).
pub(crate) fn dictionary<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>, runs: bool) -> Dictionary {
    let mut meanings = Meanings::new();
    let mut dictionary = Dictionary::default();
    for (old, document) in pairs {
        let ((old_indent, old_body), (indent, body)) = (split_indent(trimmed(old)), split_indent(trimmed(document)));
        learn_indent(old_indent, indent, &mut meanings);
        learn(old_body, body, runs, &mut meanings);
        dictionary.positions.extend(positions(old_body).into_iter().map(|(_, position)| position));
    }
    for (unit, texts) in meanings {
        if let [Some(text)] = Vec::from_iter(texts).as_slice()
            && *text != unit
            && plain(text) == plain(&unit)
        {
            dictionary.texts.insert(unit, text.clone());
        }
    }
    dictionary
}

/// Indentations lie against each other from the right; what has no partner stood for nothing.
fn learn_indent(old: &str, document: &str, meanings: &mut Meanings) {
    let mut partners = document.chars().rev();
    for c in old.chars().rev() {
        let partner = partners.next();
        if is_of_a_class(c) {
            meanings.entry(c.to_string()).or_default().insert(partner.map(|partner| partner.to_string()));
        }
    }
}

fn learn(old: &str, document: &str, runs: bool, meanings: &mut Meanings) {
    let (old, document) = (positioned(old, runs), positioned(document, runs));
    for (start, end, atom) in &old {
        let there = covering(&document, *start, *end);
        if runs && is_blank_text(atom) {
            learn_run(atom, &there.unwrap(), meanings);
        } else if atom.chars().all(is_of_a_class) {
            meanings.entry(atom.clone()).or_default().insert(there);
        }
    }
    // Three dots are a unit too, where they stand for an ellipsis or for three dots.
    for dots in old.windows(3).filter(|atoms| atoms.iter().all(|atom| atom.2 == ".")) {
        if let Some(there) = covering(&document, dots[0].0, dots[2].1) {
            meanings.entry("...".to_owned()).or_default().insert(Some(there));
        }
    }
}

fn learn_run(run: &str, there: &str, meanings: &mut Meanings) {
    let (run, there): (Vec<char>, Vec<char>) = (run.chars().collect(), there.chars().collect());
    for (index, &c) in run.iter().enumerate().filter(|(_, c)| is_of_a_class(**c)) {
        let stood_for = (run.len() == there.len()).then(|| there[index].to_string());
        meanings.entry(c.to_string()).or_default().insert(stood_for);
    }
}

/// The text with the units of the dictionary replaced; a quote or dash only where one stood like this in `old_str`.
pub(crate) fn translate(text: &str, dictionary: &Dictionary) -> String {
    let positions: BTreeMap<usize, (char, bool, bool)> = positions(text).into_iter().collect();
    let mut result = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let dots = rest.starts_with("...") && dictionary.texts.contains_key("...");
        let unit = if dots { "..." } else { &rest[..c.len_utf8()] };
        let known = positions.get(&at).is_none_or(|position| dictionary.positions.contains(position));
        let text = if known { dictionary.texts.get(unit) } else { None };
        result.push_str(text.map_or(unit, String::as_str));
        at += unit.len();
    }
    result
}

fn is_blank_text(text: &str) -> bool {
    text.chars().all(is_blank)
}

/// The characters, each for itself; with `runs`, every run of blanks as one.
fn atoms(text: &str, runs: bool) -> Vec<String> {
    let mut atoms: Vec<String> = Vec::new();
    for c in text.chars() {
        match atoms.last_mut() {
            Some(run) if runs && is_blank(c) && is_blank_text(run) => run.push(c),
            _ => atoms.push(c.to_string()),
        }
    }
    atoms
}

/// The atoms with their positions in the plain form of the text.
fn positioned(text: &str, runs: bool) -> Vec<(usize, usize, String)> {
    let mut position = 0;
    let mut result = Vec::new();
    for atom in atoms(text, runs) {
        let length = if runs && is_blank_text(&atom) { 1 } else { plain(&atom).len() };
        result.push((position, position + length, atom));
        position += length;
    }
    result
}

/// The text whose plain form lies exactly at `start..end`, if there are characters that begin and end there.
fn covering(atoms: &[(usize, usize, String)], start: usize, end: usize) -> Option<String> {
    let first = atoms.iter().position(|atom| atom.0 == start)?;
    let last = atoms.iter().position(|atom| atom.1 == end)?;
    (first <= last).then(|| atoms[first..=last].iter().map(|atom| atom.2.as_str()).collect())
}
