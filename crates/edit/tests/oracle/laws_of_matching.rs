//! Laws of replacements above `exact`: what no loosening may do to a text. Every function panics where its law is broken.

use std::collections::BTreeMap;
use std::ops::Range;

use interline_edit::{Level, Replace};

use super::characters::plain_char;
use super::laws_of_typography::{self, Written};
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
        lines_after_a_closer_are_not_moved(content, request, range, written);
        if level >= Level::PunctuationNormalized && !request.old_str.ends_with('\r') {
            laws_of_typography::replacement(level, &written_lines(content, request, range, written));
        }
        indentation_is_that_of_the_file(content, request, range, written);
    } else if is_fitted(content, request, range) {
        lines_after_a_closer_are_not_moved(content, request, range, written);
        indentation_is_that_of_the_file(content, request, range, written);
    } else {
        no_lines_are_joined(after, request, range.start, end);
        the_first_line_is_where_it_was(content, after, request, range.start);
    }
}

/// The lines of the replacement.
fn written_lines(content: &str, request: &Replace<'_>, range: &Range<usize>, written: &str) -> Written {
    Written {
        old: texts_without_final_newline(request.old_str),
        document: texts(&content[range.clone()]),
        new: texts_without_final_newline(request.new_str),
        written: texts(written),
    }
}

/// Where `old_str` is one line without its indentation, and lines of `new_str` close what it does not open, what is at the
/// first column from there on stays there.
///
/// Quotes are none of this law's business: where there are any, it says nothing. Neither are lines of nothing but `\r`: in a
/// file with `\n` such a line is read as an empty one, whose `\r` belongs to its ending.
fn lines_after_a_closer_are_not_moved(content: &str, request: &Replace<'_>, range: &Range<usize>, written: &str) {
    if request.old_str.ends_with('\r') {
        return;
    }
    let has_text = |line: &String| !is_blank_line(line.trim_end_matches('\r'));
    let with_text = |text: &str| -> Vec<String> { texts(text).into_iter().filter(has_text).collect() };
    let (old, new, written) = (with_text(request.old_str), with_text(request.new_str), with_text(written));
    let document = with_text(&content[range.clone()]);
    let is_quote = |c: char| matches!(plain_char(c).as_str(), "'" | "\"" | "`");
    if old.len() != 1
        || !split_indent(&old[0]).0.is_empty()
        || document.first().is_none_or(|line| split_indent(line).0.is_empty())
        || [request.old_str, request.new_str].iter().any(|text| text.contains(is_quote))
        || depths(&old)[0] < 0
    {
        return;
    }
    assert_eq!(new.len(), written.len(), "every line of `new_str` is written");
    let Some(closer) = depths(&new).iter().position(|&depth| depth < 0) else { return };
    for (new, written) in new.iter().zip(&written).skip(closer) {
        let moved = split_indent(new).0.is_empty() && !split_indent(written).0.is_empty();
        assert!(!moved, "{written:?} comes after what closes an outer block");
    }
}

/// How deep in brackets every line begins, after those that it closes first; below 0 it closes what none of them opens.
fn depths(lines: &[String]) -> Vec<isize> {
    let mut depth = 0;
    let mut depths = Vec::new();
    for line in lines {
        let body = split_indent(line).1;
        let leading = body.chars().take_while(|c| ")]}".contains(*c)).count();
        depths.push(depth - isize::try_from(leading).unwrap());
        depth += body.chars().map(|c| isize::from("([{".contains(c)) - isize::from(")]}".contains(c))).sum::<isize>();
    }
    depths
}

/// Where only indentation stands before the match, the line that is written there begins with as much.
fn the_first_line_is_where_it_was(content: &str, after: &str, request: &Replace<'_>, start: usize) {
    let line = line_number(content, start) - 1;
    let (there, written) = (texts(content).swap_remove(line), texts(after).swap_remove(line));
    let before = &content[lines(content)[line].start..start];
    let first_is_blank = |text: &str| is_blank_line(&texts(without_carriage_return(text))[0]);
    let begins_there = !before.is_empty() && is_blank_line(before);
    if begins_there && !first_is_blank(request.old_str) && !first_is_blank(request.new_str) {
        assert_eq!(split_indent(&written).0, split_indent(&there).0, "the first line is indented otherwise");
    }
}

/// Whether a match of `whitespace_normalized` takes in indentation that `old_str` lacks.
fn is_fitted(content: &str, request: &Replace<'_>, range: &Range<usize>) -> bool {
    // A final `\r` may be that of the line's ending; one before other lines is a character.
    let first = texts(without_carriage_return(request.old_str)).swap_remove(0);
    let first = trimmed(&first);
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

/// The indentations of lines that are more than blanks and `\r`.
fn indents<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    lines.filter(|line| !line.trim().is_empty()).map(|line| split_indent(line).0).collect()
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
///
/// A line of blanks and a `\r` of its own shows nothing of the file, but it is matched by its indentation like any other
/// line: a request that has spaces before the `\r` and tabs elsewhere is not of one style.
fn request_is_of_style(request: &Replace<'_>, style: FileStyle) -> bool {
    let all = [request.old_str, request.new_str].map(|text| -> Vec<String> {
        texts(text).iter().filter(|line| !is_blank_line(line)).map(|line| split_indent(line).0.to_owned()).collect()
    });
    let old_shortest = all[0].iter().map(String::len).min().unwrap_or(0);
    let all = all.concat();
    let only = |kind: char| all.iter().all(|indent| indent.chars().all(|c| c == kind));
    let steps_of = |unit: usize| all.iter().all(|indent| indent.len().abs_diff(old_shortest).is_multiple_of(unit));
    match style {
        FileStyle::Tabs => only('\t') || only(' ') && all.iter().any(|indent| !indent.is_empty()),
        FileStyle::Spaces(unit) => only('\t') || only(' ') && steps_of(unit),
        FileStyle::Unclear => false,
    }
}
