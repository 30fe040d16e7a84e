//! The oracle of typography that only the request has: what the document has plain stays plain.

use super::super::characters::{plain, plain_char};
use super::super::lines::{is_word, split_indent};

/// The classes of characters that have a plain and typographic forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Apostrophe,
    SingleQuote,
    DoubleQuote,
    Dash,
    Ellipsis,
    Space,
}

const CLASSES: [Class; 6] =
    [Class::Apostrophe, Class::SingleQuote, Class::DoubleQuote, Class::Dash, Class::Ellipsis, Class::Space];
const QUOTES: [Class; 3] = [Class::Apostrophe, Class::SingleQuote, Class::DoubleQuote];

/// The lines of a match: those of `old_str`, and of the document, by the same numbers.
pub(crate) struct Match<'a> {
    pub(crate) old: &'a [String],
    pub(crate) document: &'a [String],
}

/// A new line with the characters plain that the document has plain; `replaced` is the line of `old_str` that it
/// replaces.
pub(crate) fn write(new: &str, replaced: Option<usize>, place: &Match<'_>) -> String {
    let chars: Vec<char> = new.chars().collect();
    let indent = split_indent(new).0.chars().count();
    let typographic_indent = place.document.iter().any(|line| plain(split_indent(line).0) != split_indent(line).0);
    let mut result = String::new();
    for (at, &c) in chars.iter().enumerate() {
        let in_indent = at < indent && !typographic_indent;
        match typographic_class(&chars, at) {
            Some(class) if in_indent || is_made_plain(class, replaced, place) => result.push_str(&plain_char(c)),
            _ => result.push(c),
        }
    }
    result
}

fn is_made_plain(class: Class, replaced: Option<usize>, place: &Match<'_>) -> bool {
    let in_old = |line: usize, class: Class| has(&place.old[line], class);
    let in_document = |line: usize, class: Class| has(&place.document[line], class);
    if let Some(line) = replaced
        && in_old(line, class)
    {
        return !in_document(line, class);
    }
    let with_class: Vec<usize> = (0..place.old.len()).filter(|&line| in_old(line, class)).collect();
    if !with_class.is_empty() {
        return !with_class.iter().any(|&line| in_document(line, class));
    }
    if !QUOTES.contains(&class) {
        return false;
    }
    let all = (0..place.old.len()).flat_map(|line| QUOTES.map(|quote| (line, quote)));
    let quoted: Vec<(usize, Class)> = all.filter(|&(line, quote)| in_old(line, quote)).collect();
    !quoted.is_empty() && !quoted.iter().any(|&(line, quote)| in_document(line, quote))
}

/// Whether the line has a typographic character of the class.
fn has(line: &str, class: Class) -> bool {
    let chars: Vec<char> = line.chars().collect();
    (0..chars.len()).any(|at| typographic_class(&chars, at) == Some(class))
}

/// The class of the character, if it is typographic.
fn typographic_class(line: &[char], at: usize) -> Option<Class> {
    let form = plain_char(line[at]);
    if form == line[at].to_string() {
        return None;
    }
    let is_word_at = |at: Option<usize>| at.and_then(|at| line.get(at)).is_some_and(|&c| is_word(c));
    let between_words = is_word_at(at.checked_sub(1)) && is_word_at(at.checked_add(1));
    match form.as_str() {
        "'" if between_words => Some(Class::Apostrophe),
        "'" => Some(Class::SingleQuote),
        "\"" => Some(Class::DoubleQuote),
        "-" => Some(Class::Dash),
        "..." => Some(Class::Ellipsis),
        _ => Some(Class::Space),
    }
}
