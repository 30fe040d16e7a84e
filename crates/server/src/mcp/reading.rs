//! What a tool tells of a content: as much as one answer holds, and how to go on.

use interline_items::{ContentPart, LineRange, ReadContent, ReadItem};
use schemars::JsonSchema;
use serde::Serialize;

use super::arguments::Number;

/// The most of a content that one answer holds, in characters.
const MAX_CHARS: usize = 100_000;

/// A content, or what was asked for of it.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct ContentTold {
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_metadata: Option<PartTold>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// Where the content that is told stands in the whole.
#[derive(Serialize, JsonSchema)]
struct PartTold {
    total_lines: u64,
    start_line: u64,
    end_line: u64,
    is_partial: bool,
}

/// The lines that are asked for.
pub(super) fn line_range(start: Option<Number>, end: Option<Number>) -> LineRange {
    LineRange { start: start.map(|line| line.0), end: end.map(|line| line.0) }
}

impl ContentTold {
    /// What was read, or its beginning; `inside` is said of a line that alone is too long.
    pub(super) fn of(read: &ReadItem, wanted: ReadContent, inside: &str) -> ContentTold {
        let Some(ContentPart { text, start_line, end_line }) = &read.part else { return ContentTold::default() };
        let total_lines = read.item.content.as_ref().map_or(1, |content| content.lines);
        let cut = Cut::of(text);
        let end_line = match cut {
            Cut::Whole => *end_line,
            Cut::AtLineEnd(shown) | Cut::InsideLine(shown) => start_line + newlines(shown),
        };
        let is_partial = wanted != ReadContent::Whole || !matches!(cut, Cut::Whole);
        ContentTold {
            content: Some(cut.shown(text).to_owned()),
            content_metadata: Some(PartTold { total_lines, start_line: *start_line, end_line, is_partial }),
            truncated: is_cut(&cut),
            next: cut.next(end_line, total_lines, inside),
        }
    }
}

/// As much of a text as one answer holds, and `Some` if that is not all of it.
pub(super) fn beginning(text: &str) -> (&str, Option<bool>) {
    let cut = Cut::of(text);
    (cut.shown(text), is_cut(&cut))
}

fn is_cut(cut: &Cut<'_>) -> Option<bool> {
    match cut {
        Cut::Whole => None,
        Cut::AtLineEnd(_) | Cut::InsideLine(_) => Some(true),
    }
}

/// What of a text one answer holds.
enum Cut<'t> {
    Whole,
    /// Its first lines.
    AtLineEnd(&'t str),
    /// The beginning of its first line, which alone is too long.
    InsideLine(&'t str),
}

impl<'t> Cut<'t> {
    fn of(text: &'t str) -> Cut<'t> {
        let Some((end, next)) = text.char_indices().nth(MAX_CHARS) else { return Cut::Whole };
        let line_end = if next == '\n' { Some(end) } else { text[..end].rfind('\n') };
        match line_end {
            Some(line_end) => Cut::AtLineEnd(&text[..line_end]),
            None => Cut::InsideLine(&text[..end]),
        }
    }

    fn shown(&self, text: &'t str) -> &'t str {
        match self {
            Cut::Whole => text,
            Cut::AtLineEnd(shown) | Cut::InsideLine(shown) => shown,
        }
    }

    /// How to go on after the line that was told last; `inside` is said of a line that is cut.
    fn next(&self, line: u64, total_lines: u64, inside: &str) -> Option<String> {
        match self {
            Cut::Whole => None,
            Cut::AtLineEnd(_) => Some(format!("go on with start_line={} (of {total_lines} lines)", line + 1)),
            Cut::InsideLine(_) => {
                let cut = format!("line {line} is cut: it alone is longer than {MAX_CHARS} characters{inside}");
                Some(if line < total_lines { format!("{cut}; go on with start_line={}", line + 1) } else { cut })
            }
        }
    }
}

fn newlines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}
