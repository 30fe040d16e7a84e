//! Excerpts: a passage with lines of context, long lines cut, for error messages and search results.

use std::borrow::Cow;
use std::ops::Range;

use crate::lines::Line;

/// No line of an excerpt has more characters.
pub const MAX_EXCERPT_CHARS: usize = 400;

/// The lines of a byte range with so many lines before and after it, joined by `\n`; every line is cut to
/// [`MAX_EXCERPT_CHARS`] characters around the range, with `…` where it was cut.
///
/// The range must lie on character boundaries of the text.
pub fn excerpt(text: &str, range: &Range<usize>, context_lines: usize) -> String {
    bounded_excerpt(text, range, context_lines, usize::MAX)
}

/// The same, ended with the line that reaches `max_bytes`.
pub(crate) fn bounded_excerpt(text: &str, range: &Range<usize>, context_lines: usize, max_bytes: usize) -> String {
    let first = Line::containing(text, range.start);
    let mut line = first;
    for _ in 0..context_lines {
        let Some(before) = Line::before(text, line.start) else { break };
        line = before;
    }
    let mut lines_after = context_lines;
    let mut shown = String::new();
    loop {
        push_cut(&mut shown, text, &line, range);
        if line.start >= first.start && line.end >= range.end {
            if lines_after == 0 {
                break;
            }
            lines_after -= 1;
        }
        // The excerpt shows the range: its first line is never left out.
        if line.text_end == line.end || (shown.len() >= max_bytes && line.start >= first.start) {
            break;
        }
        shown.push('\n');
        line = Line::at(text, line.end);
    }
    shown
}

/// Adds the text of a line, cut around the part of it that lies in the range.
fn push_cut(shown: &mut String, text: &str, line: &Line, range: &Range<usize>) {
    let in_line = |at: usize| at.clamp(line.start, line.text_end) - line.start;
    // A line before the range is shown from its start, like one after it.
    let comes_later = range.start > line.text_end && range.start >= line.end;
    let focus = if comes_later { 0..0 } else { in_line(range.start)..in_line(range.end) };
    shown.push_str(&cut_line(line.text(text), &focus));
}

/// A line cut to [`MAX_EXCERPT_CHARS`] characters around a byte range of it.
pub(crate) fn cut_line<'l>(line: &'l str, focus: &Range<usize>) -> Cow<'l, str> {
    if line.len() <= MAX_EXCERPT_CHARS || line.chars().nth(MAX_EXCERPT_CHARS).is_none() {
        return line.into();
    }
    let focus_chars = line[focus.clone()].chars().take(MAX_EXCERPT_CHARS).count();
    // Two characters are for the marks.
    let room = MAX_EXCERPT_CHARS - 2;
    let chars_before = room.saturating_sub(focus_chars).div_ceil(2).max(room / 20);
    let before = line[..focus.start].char_indices().rev().take(chars_before);
    let start = before.last().map_or(focus.start, |(start, _)| start);
    let end = line[start..].char_indices().nth(room).map_or(line.len(), |(length, _)| start + length);
    let (left, right) = (if start > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
    [left, &line[start..end], right].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_lines_end_at_the_edges_of_the_text() {
        let text = "1\r\n2\n3\n4\n5";
        let check = |range: Range<usize>, context, expected| assert_eq!(excerpt(text, &range, context), expected);
        check(0..1, 1, "1\n2");
        check(5..6, 1, "2\n3\n4");
        check(5..7, 0, "3");
        check(5..8, 0, "3\n4");
        check(5..5, 1, "2\n3\n4");
        check(9..10, 9, "1\n2\n3\n4\n5");
        assert_eq!(excerpt("", &(0..0), 2), "");
    }

    #[test]
    fn a_long_line_is_cut_around_the_range() {
        let text = format!("{}needle{}", "é".repeat(5_000), "ü".repeat(5_000));
        let start = "é".len() * 5_000;
        let shown = excerpt(&text, &(start..start + 6), 0);
        assert_eq!(shown.chars().count(), MAX_EXCERPT_CHARS);
        assert!(shown.starts_with('…') && shown.contains("éneedleü") && shown.ends_with('…'));
        let beginning = excerpt(&text, &(0..text.len()), 0);
        assert!(beginning.starts_with('é') && beginning.chars().count() == MAX_EXCERPT_CHARS - 1);
    }
}
