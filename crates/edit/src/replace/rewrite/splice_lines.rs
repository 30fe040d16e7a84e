//! Makes the splices that replace the lines of a span, around the lines that stay.

use std::borrow::Cow;
use std::ops::Range;

use crate::edit::Splice;
use crate::lines::Line;

/// Replaces the lines of the span by `new`, leaving those that are paired as they are in the content.
///
/// `pairs` are (line of the span, index in `new`), both 0-based and in order. New lines end with `ending`.
pub(in crate::replace) fn splice_lines(
    content: &str,
    span: &Range<usize>,
    pairs: &[(usize, usize)],
    new: &[Cow<'_, str>],
    ending: &str,
) -> Vec<Splice> {
    let mut splices = Vec::new();
    let mut lines = SpanLines::new(content, span);
    // After the last kept line: where the next removed line of the content starts, and the next new line.
    let mut from = span.start;
    let mut next_new = 0;
    let mut last_kept: Option<Line> = None;
    for (old_index, new_index) in pairs {
        let Some(kept) = lines.nth_line(*old_index) else { break };
        let mut text = String::new();
        for line in &new[next_new..*new_index] {
            text.push_str(line);
            text.push_str(ending);
        }
        splices.push(Splice { range: from..kept.start, text });
        from = kept.end.min(span.end);
        next_new = new_index + 1;
        last_kept = Some(kept);
    }
    splices.push(last_splice(content, span, from, last_kept, &new[next_new..], ending));
    splices
}

/// The splice after the last kept line; the ending after the span stays where it is.
fn last_splice(
    content: &str,
    span: &Range<usize>,
    from: usize,
    kept: Option<Line>,
    new: &[Cow<'_, str>],
    ending: &str,
) -> Splice {
    let text = new.join(ending);
    match kept {
        Some(kept) if kept.text_end >= span.end && !new.is_empty() => {
            let own = if kept.text_end == span.end { kept.ending(content) } else { "" };
            let own = if own.is_empty() { ending } else { own };
            Splice { range: span.end..span.end, text: own.to_owned() + &text }
        }
        // No line follows the kept one any more: its ending is removed with the lines after it.
        Some(kept) if new.is_empty() => Splice { range: kept.text_end.min(span.end)..span.end, text },
        _ => Splice { range: from..span.end, text },
    }
}

/// The lines of a span by number; the first starts with it.
struct SpanLines<'t> {
    content: &'t str,
    /// The number and the start of the next line.
    next: (usize, usize),
}

impl<'t> SpanLines<'t> {
    fn new(content: &'t str, span: &Range<usize>) -> SpanLines<'t> {
        SpanLines { content, next: (0, span.start) }
    }

    /// The line of that number; numbers may only grow.
    fn nth_line(&mut self, number: usize) -> Option<Line> {
        while self.next.0 <= number {
            let line = Line::at(self.content, self.next.1);
            self.next = (self.next.0 + 1, line.end);
            if self.next.0 > number {
                return Some(line);
            }
            if line.end == line.text_end {
                break;
            }
        }
        None
    }
}
