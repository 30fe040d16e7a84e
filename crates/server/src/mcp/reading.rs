//! What a tool tells of a content: as much as one answer holds, and how to go on.

use interline_items::{ContentPart, LineRange, ReadContent, ReadItem};
use schemars::JsonSchema;
use serde::Serialize;

use super::arguments::Number;
use crate::wire::{Cut, MAX_CHARS};

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
        let Some(shown) = Shown::of(read) else { return ContentTold::default() };
        let Shown { text, start_line, end_line, total_lines, ref cut } = shown;
        let is_partial = wanted != ReadContent::Whole || !matches!(cut, Cut::Whole);
        ContentTold {
            content: Some(text.to_owned()),
            content_metadata: Some(PartTold { total_lines, start_line, end_line, is_partial }),
            truncated: shown.truncated(),
            next: shown.next(inside),
        }
    }
}

/// As much of what was read as one answer holds.
pub(super) struct Shown<'r> {
    pub(super) text: &'r str,
    pub(super) start_line: u64,
    pub(super) end_line: u64,
    pub(super) total_lines: u64,
    cut: Cut<'r>,
}

impl<'r> Shown<'r> {
    /// `None` where nothing was read.
    pub(super) fn of(read: &'r ReadItem) -> Option<Shown<'r>> {
        let ContentPart { text, start_line, end_line } = read.part.as_ref()?;
        let cut = Cut::of(text);
        Some(Shown {
            text: cut.shown(text),
            start_line: *start_line,
            end_line: match cut {
                Cut::Whole => *end_line,
                Cut::AtLineEnd(shown) | Cut::InsideLine(shown) => start_line + newlines(shown),
            },
            total_lines: read.item.content.as_ref().map_or(1, |content| content.lines),
            cut,
        })
    }

    /// `Some` if that is not all of it.
    pub(super) fn truncated(&self) -> Option<bool> {
        is_cut(&self.cut)
    }

    /// The line to go on with, where there is more.
    pub(super) fn next_line(&self) -> Option<u64> {
        let next = self.end_line + 1;
        is_cut(&self.cut).filter(|_| next <= self.total_lines).map(|_| next)
    }

    /// How to go on, where there is more; `inside` is said of a line that alone is too long.
    pub(super) fn next(&self, inside: &str) -> Option<String> {
        let (line, total_lines) = (self.end_line, self.total_lines);
        let on = |next: u64| format!("go on with start_line={next}");
        match (&self.cut, self.next_line()) {
            (Cut::Whole, _) => None,
            (Cut::AtLineEnd(_), _) => Some(format!("{} (of {total_lines} lines)", on(line + 1))),
            (Cut::InsideLine(_), next) => {
                let cut = format!("line {line} is cut: it alone is longer than {MAX_CHARS} characters{inside}");
                Some(next.map_or(cut.clone(), |next| format!("{cut}; {}", on(next))))
            }
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

fn newlines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}
