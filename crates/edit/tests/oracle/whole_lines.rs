//! The oracle of the levels that compare whole lines, with one rule for the indentation.

use std::ops::Range;

use interline_edit::{Level, Replace};

use super::characters::{Dictionary, collapse_blanks, dictionary, plain, translate};
use super::line_pairs;
use super::lines::{
    Line, ending_of_span, is_blank, is_blank_line, line_number, lines, split_indent, texts,
    texts_without_final_newline, trimmed,
};
use super::replace::{ReplaceOutcome, refusal};

/// How the indentation of `old_str` becomes that of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
enum IndentRule {
    Add(String),
    Remove(String),
    TabsToSpaces(usize),
    SpacesToTabs(usize),
}

/// `old_str`, read as lines.
struct OldLines {
    lines: Vec<String>,
    final_newline: bool,
    /// Its lines between the blank lines at the edges.
    core: Range<usize>,
}

/// Where the core was found, and by which rule.
struct WholeLineMatch {
    rule: IndentRule,
    /// The content lines of the core.
    core: Range<usize>,
    /// The content lines of the span: the core and the blank lines at the edges that both sides have.
    lines: Range<usize>,
}

/// The outcome at a whole-line level; `None` when nothing is found.
pub(crate) fn at(level: Level, content: &str, request: &Replace<'_>) -> Option<ReplaceOutcome> {
    let all = lines(content);
    // The empty line after a final newline is no line here.
    let count = if content.ends_with('\n') { all.len() - 1 } else { all.len() };
    let document = &all[..count];
    let old = read_old(request.old_str);
    let found: Vec<WholeLineMatch> = (0..count).filter_map(|start| find_at(level, document, &old, start)).collect();
    if found.is_empty() {
        return None;
    }
    let span = |found: &WholeLineMatch| all[found.lines.start].start..all[found.lines.end - 1].text_end();
    let ranges: Vec<Range<usize>> = found.iter().map(span).collect();
    // Places overlap when they share a line, be it an empty one.
    let overlap = found.windows(2).any(|pair| pair[1].lines.start < pair[0].lines.end);
    if let Some(refusal) = refusal(content, request, level, &ranges, overlap) {
        return Some(refusal);
    }
    let mut list: Vec<(String, String)> = all.iter().map(|line| (line.text.clone(), line.ending.clone())).collect();
    let mut last_line_removed = false;
    for place in found.iter().rev() {
        let Some(new) = fit(level, content, document, &old, place, request.new_str) else {
            return Some(ReplaceOutcome::NoMatch);
        };
        last_line_removed |= new.is_empty() && place.lines.end == all.len();
        list.splice(place.lines.clone(), new);
    }
    if last_line_removed && let Some(last) = list.last_mut() {
        last.1.clear();
    }
    let after = list.into_iter().map(|(text, ending)| text + &ending).collect();
    let line = line_number(content, ranges[0].start);
    Some(ReplaceOutcome::Applied { after, level, line, ranges })
}

fn read_old(old_str: &str) -> OldLines {
    let lines = texts_without_final_newline(old_str);
    let first = lines.iter().position(|line| !is_blank_line(line)).unwrap();
    let last = lines.iter().rposition(|line| !is_blank_line(line)).unwrap();
    OldLines { lines, final_newline: old_str.ends_with('\n'), core: first..last + 1 }
}

/// The place whose core starts on the content line `start`, if it is there.
fn find_at(level: Level, document: &[Line], old: &OldLines, start: usize) -> Option<WholeLineMatch> {
    let core = start..start + old.core.len();
    if core.end > document.len() {
        return None;
    }
    let mut indents = Vec::new();
    for (old_line, line) in old.lines[old.core.clone()].iter().zip(&document[core.clone()]) {
        if is_blank_line(old_line) != is_blank_line(&line.text) || body(level, old_line) != body(level, &line.text) {
            return None;
        }
        if !is_blank_line(old_line) {
            indents.push((indent(level, old_line), indent(level, &line.text)));
        }
    }
    let mut rule = rule_for(&indents)?;
    if let IndentRule::Add(prefix) = &mut rule {
        // In the document's own bytes, as its last line of the core has them.
        *prefix = document[core.end - 1].text.chars().take(prefix.chars().count()).collect();
    }
    let blank_before = document[..core.start].iter().rev().take_while(|line| is_blank_line(&line.text)).count();
    let blank_after = document[core.end..].iter().take_while(|line| is_blank_line(&line.text)).count();
    let leading = blank_before.min(old.core.start);
    let trailing = blank_after.min(old.lines.len() - old.core.end);
    Some(WholeLineMatch { rule, lines: core.start - leading..core.end + trailing, core })
}

/// A line without indentation and trailing blanks, as the level reads it.
fn body(level: Level, line: &str) -> String {
    let body = trimmed(split_indent(line).1);
    match level {
        Level::SpacingNormalized => collapse_blanks(&plain(body)),
        Level::PunctuationNormalized => plain(body),
        _ => body.to_owned(),
    }
}

/// The indentation of a line, as the level reads it.
fn indent(level: Level, line: &str) -> String {
    let indent = split_indent(line).0;
    if level >= Level::PunctuationNormalized { plain(indent) } else { indent.to_owned() }
}

/// The first rule that explains all pairs of indentations (of `old_str`, of the document).
fn rule_for(indents: &[(String, String)]) -> Option<IndentRule> {
    let (old, document) = &indents[0];
    let mut candidates = Vec::new();
    candidates.extend(document.strip_suffix(old.as_str()).map(|prefix| IndentRule::Add(prefix.to_owned())));
    candidates.extend(old.strip_suffix(document.as_str()).map(|prefix| IndentRule::Remove(prefix.to_owned())));
    candidates.extend([2, 3, 4, 8].map(IndentRule::TabsToSpaces));
    candidates.extend([2, 3, 4, 8].map(IndentRule::SpacesToTabs));
    candidates.into_iter().find(|rule| {
        let changes_something = match rule {
            IndentRule::Add(_) | IndentRule::Remove(_) => true,
            IndentRule::TabsToSpaces(_) => indents.iter().any(|(old, _)| old.contains('\t')),
            IndentRule::SpacesToTabs(_) => indents.iter().any(|(_, document)| document.contains('\t')),
        };
        changes_something && indents.iter().all(|(old, document)| explains(rule, old, document))
    })
}

fn explains(rule: &IndentRule, old: &str, document: &str) -> bool {
    match rule {
        IndentRule::Add(prefix) => *document == format!("{prefix}{old}"),
        IndentRule::Remove(prefix) => *old == format!("{prefix}{document}"),
        IndentRule::TabsToSpaces(width) => {
            tabs_then_spaces(old).is_some_and(|(tabs, spaces)| document == " ".repeat(width * tabs + spaces))
        }
        IndentRule::SpacesToTabs(width) => {
            let columns = old.chars().count();
            old == " ".repeat(columns) && document == "\t".repeat(columns / width) + &" ".repeat(columns % width)
        }
    }
}

fn tabs_then_spaces(indent: &str) -> Option<(usize, usize)> {
    let tabs = indent.chars().take_while(|&c| c == '\t').count();
    let spaces = indent.chars().skip(tabs).count();
    (indent == "\t".repeat(tabs) + &" ".repeat(spaces)).then_some((tabs, spaces))
}

/// The lines (with endings) that replace the span; `None` if a line cannot be indented.
fn fit(
    level: Level,
    content: &str,
    document: &[Line],
    old: &OldLines,
    place: &WholeLineMatch,
    new_str: &str,
) -> Option<Vec<(String, String)>> {
    let span_lines = &document[place.lines.clone()];
    let last_line = &span_lines[span_lines.len() - 1];
    let span_ending = ending_of_span(content, &(span_lines[0].start..last_line.text_end()));
    let old_leading = place.core.start - place.lines.start;
    let old_trailing = place.lines.end - place.core.end;
    let old_lines = &old.lines[old.core.start - old_leading..old.core.end + old_trailing];

    let mut new = read_new(new_str, old, last_line);
    for _ in old_leading..old.core.start {
        if new.first().is_some_and(|line| is_blank_line(line)) {
            new.remove(0);
        }
    }
    for _ in old_trailing..old.lines.len() - old.core.end {
        if new.last().is_some_and(|line| is_blank_line(line)) {
            new.pop();
        }
    }
    if new.is_empty() && !old.final_newline {
        // Not a line of `new_str`, so it is not the document's either.
        return Some(vec![(String::new(), last_line.ending.clone())]);
    }

    let dictionary = learnt(level, &old.lines[old.core.clone()], &document[place.core.clone()]);
    let mut result = Vec::new();
    let pairs = line_pairs::pair(old_lines, &new);
    for (index, kept) in pairs.iter().enumerate() {
        let (text, mut ending) = match *kept {
            Some(kept) => (span_lines[kept].text.clone(), span_lines[kept].ending.clone()),
            None => {
                // A line that takes the place of others has the document's characters, one that is wholly new its own.
                let changed = line_pairs::replaces_lines(&pairs, old_lines.len(), index);
                let dictionary = if changed { &dictionary } else { &Dictionary::default() };
                if makes_a_mixture(&place.rule, &new[index])
                    && !old_lines.iter().any(|old| makes_a_mixture(&place.rule, old))
                {
                    return None;
                }
                (write(level, &place.rule, &new[index], dictionary)?, span_ending.clone())
            }
        };
        if index + 1 == new.len() {
            ending = last_line.ending.clone();
        } else if ending.is_empty() {
            ending = span_ending.clone();
        }
        result.push((text, ending));
    }
    Some(result)
}

/// `new_str` as lines, for a span that ends with `last_line`.
fn read_new(new_str: &str, old: &OldLines, last_line: &Line) -> Vec<String> {
    if old.final_newline {
        if new_str.is_empty() { Vec::new() } else { texts_without_final_newline(new_str) }
    } else if last_line.ending.is_empty() {
        texts_without_final_newline(new_str)
    } else {
        texts(new_str)
    }
}

/// Whether adding a prefix puts a tab after spaces, or more than one space after a tab.
fn makes_a_mixture(rule: &IndentRule, line: &str) -> bool {
    let IndentRule::Add(prefix) = rule else { return false };
    let (indent, _) = split_indent(line);
    !is_blank_line(line)
        && (prefix.ends_with(' ') && indent.starts_with('\t')
            || prefix.ends_with('\t') && indent.starts_with(' ') && indent.len() > 1)
}

/// What the characters of `old_str` stood for.
fn learnt(level: Level, old: &[String], document: &[Line]) -> Dictionary {
    if level < Level::PunctuationNormalized {
        return Dictionary::default();
    }
    let pairs = old.iter().zip(document).filter(|(old, _)| !is_blank_line(old));
    dictionary(pairs.map(|(old, line)| (old.as_str(), line.text.as_str())), level == Level::SpacingNormalized)
}

/// A line of `new_str` as the document would have it; `None` if it cannot be indented.
fn write(level: Level, rule: &IndentRule, line: &str, dictionary: &Dictionary) -> Option<String> {
    if is_blank_line(line) {
        return Some(line.to_owned());
    }
    let (raw_indent, rest) = split_indent(line);
    let read_indent = indent(level, line);
    let indent = match rule {
        IndentRule::Add(prefix) => format!("{prefix}{raw_indent}"),
        IndentRule::Remove(prefix) => {
            read_indent.strip_prefix(prefix.as_str())?;
            raw_indent.chars().skip(prefix.chars().count()).collect()
        }
        IndentRule::TabsToSpaces(width) => {
            let (tabs, spaces) = tabs_then_spaces(&read_indent)?;
            " ".repeat(width * tabs + spaces)
        }
        IndentRule::SpacesToTabs(width) => {
            let columns = read_indent.chars().count();
            if read_indent != " ".repeat(columns) || !columns.is_multiple_of(*width) {
                return None;
            }
            "\t".repeat(columns / width)
        }
    };
    debug_assert!(indent.chars().all(is_blank));
    Some(indent + &translate(rest, dictionary))
}
