//! Laws of replacements above `exact`: what no loosening may do to a text. Every function panics where its law is broken.

use std::collections::BTreeMap;
use std::ops::Range;

use interline_edit::{Level, Replace};

use super::lines::{
    Line, cuts_a_word, is_blank, is_blank_line, line_number, lines, split_indent, texts, texts_without_final_newline,
    trimmed,
};
use super::replace::without_carriage_return;
use super::whole_lines::changed_line::{has_other_blank, tokens};
use super::whole_lines::file_style::{FileStyle, file_style};

/// The laws of a replacement that was made at `level` in these ranges.
pub(crate) fn replacement(content: &str, after: &str, request: &Replace<'_>, level: Level, ranges: &[Range<usize>]) {
    if level == Level::Exact {
        return;
    }
    for range in ranges {
        assert!(!cuts_a_word(content, range.start), "a word is cut at the start of {range:?}");
        assert!(!cuts_a_word(content, range.end), "a word is cut at the end of {range:?}");
    }
    let [range] = ranges else { return };
    // Removed lines may take a line ending along, so the text after the match may have lost its start.
    let end = (after.len() + range.end).saturating_sub(content.len());
    let written = after.get(range.start..end).unwrap_or("");
    if level >= Level::IndentationRelative {
        no_blank_is_lost(content, request, range, written);
        indentation_is_that_of_the_file(content, request, range, written);
    } else if is_fitted(content, request, range) {
        indentation_is_that_of_the_file(content, request, range, written);
    } else {
        no_lines_are_joined(after, request, range.start, end);
    }
}

/// Whether a match of `whitespace_normalized` takes in indentation that `old_str` lacks.
fn is_fitted(content: &str, request: &Replace<'_>, range: &Range<usize>) -> bool {
    let first = texts(request.old_str).swap_remove(0);
    // A final `\r` may be that of the line's ending.
    let first = trimmed(without_carriage_return(&first));
    !is_blank_line(first) && !content[range.start..].starts_with(first)
}

/// Where `old_str` has a newline at an edge, the text beyond it still ends or begins a line.
fn no_lines_are_joined(after: &str, request: &Replace<'_>, start: usize, end: usize) {
    let ends_a_line = |text: &str| text.is_empty() || text.trim_start_matches(is_blank).starts_with(['\n', '\r']);
    if request.old_str.starts_with('\n') || request.old_str.starts_with("\r\n") {
        assert!(ends_a_line(&after[start..]), "lines are joined at the start");
    }
    if request.old_str.ends_with('\n') {
        assert!(after[..end].is_empty() || after[..end].ends_with('\n'), "lines are joined at the end");
    }
}

/// Every run of blanks that has another one than a space, inside a line that is written anew, is still there, unless
/// `old_str` had it as it stood.
///
/// Where `old_str` and `new_str` have a line in common, or all lines go, lines may be deleted with what is in them.
fn no_blank_is_lost(content: &str, request: &Replace<'_>, range: &Range<usize>, written: &str) {
    let (old, new) = (texts_without_final_newline(request.old_str), texts(request.new_str));
    // A final `\r` may be that of a line's ending, and then is none of the last line's characters.
    let as_read = request.old_str.ends_with('\r');
    if as_read || new.iter().all(|line| is_blank_line(line)) || old.iter().any(|line| new.contains(line)) {
        return;
    }
    let core = |list: Vec<String>| -> Vec<String> { list.into_iter().filter(|line| !is_blank_line(line)).collect() };
    let (old, document) = (core(old), core(texts(&content[range.clone()])));
    assert_eq!(old.len(), document.len(), "as many lines as `old_str` has");
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for (old, document) in old.iter().zip(&document) {
        for (run, there) in runs(old).into_iter().zip(runs(document)) {
            if run != there && has_other_blank(&there) {
                *wanted.entry(there).or_default() += 1;
            }
        }
    }
    let found: Vec<String> = texts(written).iter().flat_map(|line| runs(line)).collect();
    for (run, count) in wanted {
        let there = found.iter().filter(|found| **found == run).count();
        assert!(there >= count, "{run:?} stood {count} times in lines that change, and is written {there} times");
    }
}

/// The runs of blanks between the first and the last character of a line.
fn runs(line: &str) -> Vec<String> {
    tokens(trimmed(split_indent(line).1)).into_iter().filter(|token| is_blank_line(token)).collect()
}

/// Where the whole content is indented by one unit, and the request by that unit or by tabs, every line that is written is.
fn indentation_is_that_of_the_file(content: &str, request: &Replace<'_>, range: &Range<usize>, written: &str) {
    let document = lines(content);
    let span = line_number(content, range.start) - 1..line_number(content, range.end);
    let style = file_style(&document, &span);
    let there = indents(document.iter().map(|line: &Line| line.text.as_str()));
    if !there.iter().all(|indent| is_of_style(indent, style)) || !request_is_of_style(request, style) {
        return;
    }
    for indent in indents(written.split('\n')) {
        let aligned = style == FileStyle::Tabs && indent.ends_with(' ');
        let indent = if aligned { &indent[..indent.len() - 1] } else { indent };
        assert!(is_of_style(indent, style), "{indent:?} in a file of {style:?}");
    }
}

fn indents<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    lines.filter(|line| !is_blank_line(line.trim_end_matches('\r'))).map(|line| split_indent(line).0).collect()
}

/// Whether the indentation is made of the style's units.
fn is_of_style(indent: &str, style: FileStyle) -> bool {
    match style {
        FileStyle::Tabs => indent.chars().all(|c| c == '\t'),
        FileStyle::Spaces(unit) => indent.chars().all(|c| c == ' ') && indent.len().is_multiple_of(unit),
        FileStyle::Unclear => false,
    }
}

/// Whether both texts of the request have only tabs as indentation, or spaces: any number in a file of tabs, and in one
/// of spaces steps of its unit.
fn request_is_of_style(request: &Replace<'_>, style: FileStyle) -> bool {
    let all = [request.old_str, request.new_str].map(|text| indents(text.split('\n')));
    let old_shortest = all[0].iter().map(|indent| indent.len()).min().unwrap_or(0);
    let all = all.concat();
    let only = |kind: char| all.iter().all(|indent| indent.chars().all(|c| c == kind));
    let steps_of = |unit: usize| all.iter().all(|indent| indent.len().abs_diff(old_shortest).is_multiple_of(unit));
    match style {
        FileStyle::Tabs => only('\t') || only(' ') && all.iter().any(|indent| !indent.is_empty()),
        FileStyle::Spaces(unit) => only('\t') || only(' ') && steps_of(unit),
        FileStyle::Unclear => false,
    }
}
