//! As much of a content as one answer holds, with its line numbers and how to read on.

use interline_items::{ContentPart, ReadItem};

use crate::wire::{MAX_CHARS, Truncation, total_lines};

/// As much as one answer holds of the content that was read.
pub(in crate::mcp) struct ContentExcerpt<'r> {
    pub(in crate::mcp) text: &'r str,
    pub(in crate::mcp) start_line: u64,
    pub(in crate::mcp) end_line: u64,
    pub(in crate::mcp) total_lines: u64,
    truncation: Truncation<'r>,
}

impl<'r> ContentExcerpt<'r> {
    /// `None` where no content was read.
    pub(in crate::mcp) fn from_read(read: &'r ReadItem) -> Option<ContentExcerpt<'r>> {
        let ContentPart { text, start_line, end_line } = read.part.as_ref()?;
        let truncation = Truncation::new(text);
        Some(ContentExcerpt {
            text: truncation.text(text),
            start_line: *start_line,
            end_line: match truncation {
                Truncation::Whole => *end_line,
                Truncation::AtLineEnd(text) | Truncation::InsideLine(text) => start_line + newlines(text),
            },
            total_lines: total_lines(&read.item),
            truncation,
        })
    }

    /// `Some(true)` if the text was cut.
    pub(in crate::mcp) fn truncated(&self) -> Option<bool> {
        self.truncation.truncated()
    }

    /// The line after the excerpt, where the text was cut and there is one.
    pub(in crate::mcp) fn next_line(&self) -> Option<u64> {
        let next = self.end_line + 1;
        self.truncated().filter(|_| next <= self.total_lines).map(|_| next)
    }

    /// How to read on, where the text was cut; `long_line_hint` is added about a line that alone is too long.
    pub(in crate::mcp) fn how_to_read_on(&self, long_line_hint: &str) -> Option<String> {
        let (line, total_lines) = (self.end_line, self.total_lines);
        let read_on = |next: u64| format!("go on with start_line={next}");
        match (&self.truncation, self.next_line()) {
            (Truncation::Whole, _) => None,
            (Truncation::AtLineEnd(_), _) => Some(format!("{} (of {total_lines} lines)", read_on(line + 1))),
            (Truncation::InsideLine(_), next) => {
                let cut = format!("line {line} is cut: it alone is longer than {MAX_CHARS} characters{long_line_hint}");
                Some(next.map_or(cut.clone(), |next| format!("{cut}; {}", read_on(next))))
            }
        }
    }
}

fn newlines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}
