//! The lines that an edit changed, for answers that show these instead of the whole content.

use std::ops::Range;

use interline_edit::{ChangedLines, excerpt};

use crate::Error;

use super::EditResult;
use super::resolve::engine_mismatch;

/// Lines before and after a change.
const CONTEXT_LINES: usize = 2;
/// How many lines of one change are shown at the most.
const MAX_LINES: usize = 40;
/// No further change is shown after so many bytes.
const MAX_BYTES: usize = 16 * 1024;

/// The lines that an edit changed, as they are now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The first of them, in order.
    pub passages: Vec<ChangedPassage>,
    /// Whether there are more.
    pub truncated: bool,
}

/// Changed lines of the new text with 2 lines around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPassage {
    /// 1-based first line of `text`.
    pub start_line: usize,
    /// 1-based last line of `text`.
    pub end_line: usize,
    /// The lines, joined by `\n`; long ones are cut around what was changed.
    pub text: String,
}

impl EditResult {
    /// The lines that the edit changed.
    pub fn changes(&self) -> Result<Changes, Error> {
        let content = self.after.content.as_deref().unwrap_or_default();
        let lines = self.edit.changed_lines(content, CONTEXT_LINES).map_err(engine_mismatch)?;
        let spans = self.new_spans();
        let mut changes = Changes::default();
        let (mut line, mut line_start, mut shown_bytes) = (1, 0, 0);
        for ChangedLines { start_line, end_line } in lines {
            if shown_bytes > MAX_BYTES {
                changes.truncated = true;
                break;
            }
            line_start = line_start_after(content, line_start, start_line - line);
            line = start_line;
            let shown_lines = (end_line - start_line).min(MAX_LINES - 1);
            changes.truncated |= shown_lines < end_line - start_line;
            let last = line_start_after(content, line_start, shown_lines);
            let end = content[last..].find('\n').map_or(content.len(), |newline| last + newline);
            let text = excerpt(content, &focus(&spans, line_start..end), CONTEXT_LINES);
            shown_bytes += text.len();
            let first_line = start_line.saturating_sub(CONTEXT_LINES).max(1);
            let end_line = first_line + text.bytes().filter(|byte| *byte == b'\n').count();
            changes.passages.push(ChangedPassage { start_line: first_line, end_line, text });
        }
        Ok(changes)
    }

    /// The byte ranges of the edit's new texts in the content after it.
    fn new_spans(&self) -> Vec<Range<usize>> {
        let (mut removed, mut added) = (0, 0);
        let spans = self.edit.splices().iter().map(|splice| {
            let start = splice.range.start - removed + added;
            removed += splice.range.len();
            added += splice.text.len();
            start..start + splice.text.len()
        });
        spans.collect()
    }
}

/// The part of `lines` from the first change in them to the last; a change that goes beyond them is cut.
fn focus(spans: &[Range<usize>], lines: Range<usize>) -> Range<usize> {
    let from = spans.partition_point(|span| span.end < lines.start);
    let to = spans.partition_point(|span| span.start <= lines.end);
    match spans.get(from..to) {
        Some([first, .., last]) => first.start.max(lines.start)..last.end.min(lines.end),
        Some([only]) => only.start.max(lines.start)..only.end.min(lines.end),
        Some([]) | None => lines,
    }
}

/// The byte offset of the line that comes `lines` lines after the line that begins at `start`.
fn line_start_after(text: &str, start: usize, lines: usize) -> usize {
    let newlines = text[start..].match_indices('\n');
    match lines.checked_sub(1) {
        None => start,
        Some(before) => newlines.map(|(at, _)| start + at + 1).nth(before).unwrap_or(text.len()),
    }
}
