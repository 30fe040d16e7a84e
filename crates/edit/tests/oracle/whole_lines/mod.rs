//! The oracle of the levels that compare whole lines, with one rule for the indentation.

pub(crate) mod absolute_lines;
pub(crate) mod changed_line;
pub(crate) mod file_style;
mod indents;
mod made_plain;
mod rebase;
pub(crate) mod separated_columns;
mod unclear_lines;

use std::collections::BTreeSet;
use std::ops::Range;

use interline_edit::{Level, Replace};

use super::characters::{collapse_blanks, plain};
use super::classes::note;
use super::line_pairs::{self, Gap};
use super::lines::{
    Line, ending_of_span, is_blank_line, line_number, lines, split_indent, texts, texts_without_final_newline, trimmed,
};
use super::replace::{ReplaceOutcome, refusal};
use absolute_lines::opens_a_block;
use file_style::file_style;
use indents::{ChangedIndents, Indent, IndentPair, adds_indentation, indent_changed_lines, rules_for};
use separated_columns::{
    added_body, body_and_trail, has_flattened_tab, is_row_with_trailing_tabs, may_be_short_of_cells, runs,
};
use unclear_lines::{Paired, has_deeper_line, is_relative_or_absolute, looks_absolute, may_be_absolute};

/// `old_str`, read as lines.
struct OldLines {
    lines: Vec<String>,
    final_newline: bool,
    /// Its lines between the blank lines at the edges.
    core: Range<usize>,
}

/// Where the core was found.
struct WholeLineMatch {
    /// The indentations of its lines that are not blank.
    indents: Vec<IndentPair>,
    /// The content lines of the core.
    core: Range<usize>,
    /// The content lines of the span: the core and the blank lines at the edges that both sides have.
    lines: Range<usize>,
}

/// The outcome at a whole-line level; `None` when nothing is found.
pub(crate) fn at(level: Level, content: &str, request: &Replace<'_>) -> Option<ReplaceOutcome> {
    let all = lines(content);
    let document = document_lines(content, &all);
    let old = read_old(request.old_str);
    let found: Vec<WholeLineMatch> =
        (0..document.len()).filter_map(|start| find_at(level, document, &old, start)).collect();
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

/// The lines of the content; the empty line after a final newline is none.
fn document_lines<'a>(content: &str, all: &'a [Line]) -> &'a [Line] {
    &all[..if content.ends_with('\n') { all.len() - 1 } else { all.len() }]
}

/// The span and its new text when the one line of `old_str` with text is the content line `first`, as a whole line;
/// `None` if the new lines cannot be indented.
///
/// For matches of `whitespace_normalized` that write whole lines.
pub(crate) fn fit_line(content: &str, request: &Replace<'_>, first: usize) -> (Range<usize>, Option<String>) {
    let all = lines(content);
    let document = document_lines(content, &all);
    let old = read_old(request.old_str);
    let place = find_at(Level::IndentationRelative, document, &old, first).unwrap();
    let span = all[place.lines.start].start..all[place.lines.end - 1].text_end();
    let lines = fit(Level::IndentationRelative, content, document, &old, &place, request.new_str);
    let text = lines.map(|mut lines| {
        // The last line's ending is not in the span.
        lines.last_mut().unwrap().1.clear();
        lines.into_iter().map(|(text, ending)| text + &ending).collect()
    });
    (span, text)
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
            indents.push(IndentPair { old: indent(level, old_line), document: indent(level, &line.text) });
        }
    }
    if rules_for(&indents).is_empty() {
        return None;
    }
    let blank_before = document[..core.start].iter().rev().take_while(|line| is_blank_line(&line.text)).count();
    let blank_after = document[core.end..].iter().take_while(|line| is_blank_line(&line.text)).count();
    let leading = blank_before.min(old.core.start);
    let trailing = blank_after.min(old.lines.len() - old.core.end);
    Some(WholeLineMatch { indents, lines: core.start - leading..core.end + trailing, core })
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

/// The indentation of a line.
fn indent(level: Level, line: &str) -> Indent {
    let given = split_indent(line).0;
    let read = if level >= Level::PunctuationNormalized { plain(given) } else { given.to_owned() };
    Indent { given: given.to_owned(), read }
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

    if is_relative_or_absolute(level, old, place, &new) || looks_absolute(level, document, old, place, &new) {
        note("relative or absolute");
        return None;
    }
    if may_be_absolute(level, old, place, new_str) {
        return None;
    }
    let texts: Vec<String> = span_lines.iter().map(|line| line.text.clone()).collect();
    let pairs = line_pairs::pair(old_lines, &new);
    let gaps = line_pairs::gaps(&pairs, old_lines.len());
    let paired = Paired { old: old_lines, new: &new, pairs: &pairs, gaps: &gaps };
    if has_deeper_line(level, place, &paired) {
        note("deeper line");
        return None;
    }
    if level >= Level::PunctuationNormalized {
        make_plain(&gaps, old_lines, &texts, &mut new);
    }
    let changed: Vec<usize> =
        (0..new.len()).filter(|&index| pairs[index].is_none() && !is_blank_line(&new[index])).collect();
    let indents: Vec<Indent> = changed.iter().map(|&index| indent(level, &new[index])).collect();
    let old_indents: Vec<Indent> =
        old_lines.iter().filter(|line| !is_blank_line(line)).map(|line| indent(level, line)).collect();
    let style = file_style(document, &place.lines);
    let steps: Vec<usize> = changed.iter().filter_map(|&index| step_into_a_block(level, &new, index)).collect();
    let least = old_indents.iter().map(|indent| indent.read.chars().count()).min().unwrap();
    let shallow: Vec<bool> =
        indents.iter().map(|indent| adds_indentation(&place.indents) && indent.read.chars().count() < least).collect();
    let changed = ChangedIndents { indents, steps };
    let Some(indents) = indent_changed_lines(&place.indents, &old_indents, style, &changed) else {
        note("cannot indent");
        return None;
    };
    if indents.iter().zip(shallow).any(|(indent, shallow)| shallow && !has_indentation(document, indent)) {
        note("shallower line");
        return None;
    }
    let around = lines_around(document, &place.lines);
    let there = There { old: old_lines, document: &texts, around: &around };
    let bodies = bodies(level, &gaps, &there, &new)?;

    let mut result = Vec::new();
    let mut indents = indents.into_iter();
    for (index, kept) in pairs.iter().enumerate() {
        let (text, mut ending) = match *kept {
            Some(kept) => (span_lines[kept].text.clone(), span_lines[kept].ending.clone()),
            None if is_blank_line(&new[index]) => (new[index].clone(), span_ending.clone()),
            None => (indents.next().unwrap() + &bodies[index], span_ending.clone()),
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

/// The texts of the lines, and of one on each side.
fn lines_around(document: &[Line], lines: &Range<usize>) -> Vec<String> {
    let around = document.iter().take(lines.end + 1).skip(lines.start.saturating_sub(1));
    around.map(|line| line.text.clone()).collect()
}

/// Whether a line of the document that is not blank has this indentation.
fn has_indentation(document: &[Line], indent: &str) -> bool {
    document.iter().any(|line| !is_blank_line(&line.text) && split_indent(&line.text).0 == indent)
}

/// How many spaces a line is deeper than the line before it, if that one opens a block.
fn step_into_a_block(level: Level, lines: &[String], index: usize) -> Option<usize> {
    let before = lines[..index].iter().rev().find(|line| !is_blank_line(line))?;
    let (outer, inner) = (indent(level, before).read, indent(level, &lines[index]).read);
    let step = inner.strip_prefix(outer.as_str())?;
    (opens_a_block(before) && !step.is_empty() && step.chars().all(|c| c == ' ')).then_some(step.len())
}

/// Makes the characters of written lines plain that the document has plain.
fn make_plain(gaps: &[Gap], old: &[String], document: &[String], new: &mut [String]) {
    let place = made_plain::Match { old, document };
    for gap in gaps {
        for written in gap.written.clone() {
            let plain = made_plain::write(&new[written], gap.replaced_by(written), &place);
            if plain != new[written] {
                note("made plain");
            }
            new[written] = plain;
        }
    }
}

/// The lines of a place.
struct There<'a> {
    old: &'a [String],
    document: &'a [String],
    /// Those of the document, and one on each side.
    around: &'a [String],
}

/// What follows the indentation on every line of `new`, written as the document has it where it replaces a line of
/// `old`, which is the line of the same index in `document`; `None` if blanks would be lost.
fn bodies(level: Level, gaps: &[Gap], there: &There<'_>, new: &[String]) -> Option<Vec<String>> {
    let There { old, document, around } = *there;
    let mut bodies: Vec<String> = new.iter().map(|line| split_indent(line).1.to_owned()).collect();
    let lacks_cells = |line: &usize| {
        is_row_with_trailing_tabs(&document[*line], around)
            && body_and_trail(&old[*line]).1 != body_and_trail(&document[*line]).1
    };
    let shortened: Vec<String> = (0..old.len()).filter(lacks_cells).map(|line| document[line].clone()).collect();
    for gap in gaps {
        let mut kept: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); old.len()];
        let mut replaced_by_text = BTreeSet::new();
        for written in gap.written.clone().filter(|&line| !is_blank_line(&new[line])) {
            let Some(replaced) = gap.replaced_by(written) else {
                bodies[written] = added_line(level, &new[written], old, document)?;
                continue;
            };
            let (line, runs) = changed_body(level, there, replaced, &new[written])?;
            bodies[written] = line;
            kept[replaced] = runs;
            replaced_by_text.insert(replaced);
        }
        let deletes = gap.written.clone().all(|line| is_blank_line(&new[line]));
        let loses = |line: usize| {
            let ((old, old_trail), (there, trail)) = (body_and_trail(&old[line]), body_and_trail(&document[line]));
            let loses_cells = is_row_with_trailing_tabs(&document[line], around)
                && old_trail != trail
                && !replaced_by_text.contains(&line);
            let loses_blanks =
                level >= Level::PunctuationNormalized && changed_line::loses_blanks(level, old, there, &kept[line]);
            loses_cells || loses_blanks
        };
        if !deletes && gap.removed.clone().any(loses) {
            note("lost blanks");
            return None;
        }
        let is_short = |line: usize| {
            let replaced = gap.replaced_by(line).map(|old| document[old].as_str());
            !is_blank_line(&new[line]) && may_be_short_of_cells(&bodies[line], replaced, &shortened)
        };
        if gap.written.clone().any(is_short) {
            note("short of cells");
            return None;
        }
    }
    Some(bodies)
}

/// What follows the indentation on a line that replaces the line `old`, and the document's runs of blanks that are in it;
/// `None` if tabs between cells would be lost.
fn changed_body(level: Level, place: &There<'_>, line: usize, new: &str) -> Option<(String, BTreeSet<usize>)> {
    let (old, document) = (&place.old[line], &place.document[line]);
    let ((body, mut trail), (there, trail_there)) = (body_and_trail(new), body_and_trail(document));
    let (old_body, old_trail) = body_and_trail(old);
    if is_row_with_trailing_tabs(document, place.around) && old_trail != trail_there {
        note("trailing tabs");
        if trail != old_trail || runs(body).len() != runs(old_body).len() {
            return None;
        }
        trail = trail_there;
    }
    if level < Level::PunctuationNormalized {
        return Some((body.to_owned() + trail, BTreeSet::new()));
    }
    let line = changed_line::write(level, old_body, there, body);
    if line.body != body {
        note("document's characters");
    }
    if has_flattened_tab(old, document) && !line.has_no_other_runs {
        note("other columns");
        return None;
    }
    Some((line.body + trail, line.runs))
}

/// What follows the indentation on a line that replaces none; `None` if it is not clear how its cells are parted.
fn added_line(level: Level, new: &str, old: &[String], document: &[String]) -> Option<String> {
    let (body, trail) = body_and_trail(new);
    if level < Level::PunctuationNormalized {
        return Some(body.to_owned() + trail);
    }
    let added = added_body(body, old, document);
    if added.as_deref() != Some(body) {
        note("added row");
    }
    Some(added? + trail)
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
