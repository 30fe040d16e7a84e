//! Laws of what is written at the levels that read typography and spacing, whatever the rules are. Every function panics
//! where its law is broken.

use std::collections::{BTreeMap, BTreeSet};

use interline_edit::Level;

use super::characters::{plain, plain_char};
use super::lines::{is_blank_line, is_word, split_indent};
use super::whole_lines::changed_line::tokens;
use super::whole_lines::separated_columns::{body_and_trail, runs};

/// The lines of one replacement: of `old_str` and `new_str`, of the match before, and of what stands there after it.
pub(crate) struct Written {
    pub(crate) old: Vec<String>,
    pub(crate) document: Vec<String>,
    pub(crate) new: Vec<String>,
    pub(crate) written: Vec<String>,
}

/// The laws of a replacement at `level`, which is above `indentation_relative`.
pub(crate) fn replacement(level: Level, lines: &Written) {
    quotes_stay_in_pairs(lines);
    plain_stays_plain(lines);
    no_typography_comes_from_nowhere(lines);
    for form in ["-", "..."] {
        marks_stand_where_they_stood(lines, form);
    }
    if level == Level::SpacingNormalized {
        rows_keep_their_tabs(lines);
    }
}

/// Where every line of the document and of the request has quotes in pairs of two plain or two typographic ones, every
/// written line has.
fn quotes_stay_in_pairs(lines: &Written) {
    let is_consistent = |list: &[String]| list.iter().all(|line| has_quotes_in_pairs(line));
    if is_consistent(&lines.old) && is_consistent(&lines.document) && is_consistent(&lines.new) {
        let torn = lines.written.iter().find(|line| !has_quotes_in_pairs(line));
        assert_eq!(torn, None, "a typographic quote is the other half of a plain one");
    }
}

fn has_quotes_in_pairs(line: &str) -> bool {
    ["'", "\""].iter().all(|family| {
        let chars: Vec<char> = line.chars().collect();
        let is_word_at = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(|&c| is_word(c));
        let is_apostrophe =
            |at: usize| *family == "'" && is_word_at(at.checked_sub(1)) && is_word_at(at.checked_add(1));
        let quotes: Vec<char> = (0..chars.len())
            .filter(|&at| plain_char(chars[at]) == *family && !is_apostrophe(at))
            .map(|at| chars[at])
            .collect();
        quotes.len().is_multiple_of(2)
            && quotes.chunks(2).all(|pair| (pair[0].to_string() == *family) == (pair[1].to_string() == *family))
    })
}

/// The typographic characters of these lines, by their plain form.
fn typographic(list: &[String], form: &str) -> Vec<char> {
    let all = list.iter().flat_map(|line| line.chars());
    all.filter(|&c| plain_char(c) == form && c.to_string() != form).collect()
}

/// Where `old_str` has typographic forms of which the document has none, none are written.
fn plain_stays_plain(lines: &Written) {
    let with_text: Vec<String> = lines.old.iter().filter(|line| !is_blank_line(line)).cloned().collect();
    for forms in [&["'", "\""][..], &["-"], &["..."], &[" "]] {
        let of = |list: &[String]| -> Vec<char> { forms.iter().flat_map(|form| typographic(list, form)).collect() };
        if !of(&with_text).is_empty() && of(&lines.document).is_empty() {
            assert_eq!(of(&lines.written), [], "the document is plain");
        }
    }
}

/// No typographic character is written after indentations more often than the document and `new_str` have it together.
fn no_typography_comes_from_nowhere(lines: &Written) {
    let count = |list: &[String]| -> BTreeMap<char, usize> {
        let mut counts = BTreeMap::new();
        for c in list.iter().flat_map(|line| split_indent(line).1.chars()).filter(|c| plain_char(*c) != c.to_string()) {
            *counts.entry(c).or_default() += 1;
        }
        counts
    };
    let (document, new) = (count(&lines.document), count(&lines.new));
    for (c, written) in count(&lines.written) {
        let there = document.get(&c).unwrap_or(&0) + new.get(&c).unwrap_or(&0);
        assert!(written <= there, "{c:?} is written {written} times, and was there {there} times");
    }
}

/// A typographic dash or ellipsis that `new_str` does not have stands between the same two neighbours as in the
/// document.
fn marks_stand_where_they_stood(lines: &Written, form: &str) {
    if !typographic(&lines.new, form).is_empty() {
        return;
    }
    let places = |list: &[String]| -> BTreeSet<[Option<String>; 2]> {
        list.iter().flat_map(|line| neighbours(line, form)).collect()
    };
    let there = places(&lines.document);
    for place in places(&lines.written) {
        assert!(there.contains(&place), "a typographic {form:?} stands between {place:?}");
    }
}

/// What stands before and after every typographic form of the mark, blanks aside.
fn neighbours(line: &str, form: &str) -> Vec<[Option<String>; 2]> {
    let body = body_and_trail(line).0;
    let tokens: Vec<String> = tokens(body).into_iter().filter(|token| !is_blank_line(token)).collect();
    let is_mark = |at: &usize| plain(&tokens[*at]) == form && tokens[*at] != form;
    let beside = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map(|token| plain(token));
    (0..tokens.len()).filter(is_mark).map(|at| [beside(at.checked_sub(1)), beside(at.checked_add(1))]).collect()
}

/// Where `new_str` has the lines of `old_str` with other words, and the same blanks between them, the tabs between the
/// document's cells are all written.
fn rows_keep_their_tabs(lines: &Written) {
    let (old, new) = (&lines.old, &lines.new);
    let has_text = |list: &[String]| !list.iter().any(|line| is_blank_line(line));
    let all_runs = |line: &String| runs(body_and_trail(line).0);
    let moves = (0..old.len()).any(|one| (0..new.len()).any(|other| one != other && old[one] == new[other]));
    let is_same_shape = old.len() == new.len() && old.iter().zip(new).all(|(old, new)| all_runs(old) == all_runs(new));
    if !has_text(old) || !has_text(new) || moves || !is_same_shape {
        return;
    }
    let tabs =
        |list: &[String]| -> usize { list.iter().map(|line| body_and_trail(line).0.matches('\t').count()).sum() };
    assert!(tabs(&lines.written) >= tabs(&lines.document), "tabs between cells are lost");
}
