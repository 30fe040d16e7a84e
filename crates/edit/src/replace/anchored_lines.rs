//! Iterates over the lines that can be part of a match: the lines around each occurrence of an anchor, a piece of text
//! that every match contains.

use memchr::memmem::{self, Finder};
use memchr::memrchr;

use crate::lines::Line;

/// A piece of text inside one line of every match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor<'a> {
    /// Text without a newline; when it is empty every line can be part of a match.
    pub(super) text: &'a str,
    /// How many lines of a match come before the one with the anchor.
    pub(super) lines_before: usize,
    /// How many come after it.
    pub(super) lines_after: usize,
}

impl<'a> Anchor<'a> {
    /// The longest of the texts, which are verbatim parts of the lines of every match: it is probably the rarest.
    pub(super) fn longest(lines: impl ExactSizeIterator<Item = &'a str>) -> Anchor<'a> {
        let total = lines.len();
        let mut best = Anchor { text: "", lines_before: 0, lines_after: total.saturating_sub(1) };
        for (index, text) in lines.enumerate() {
            if text.len() > best.text.len() {
                best = Anchor { text, lines_before: index, lines_after: total - 1 - index };
            }
        }
        best
    }
}

/// The next step over the lines that can be part of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnchoredStep {
    /// A line.
    Line(Line),
    /// Lines were left out: no match contains lines from before and after this point.
    Gap,
}

/// Walks the lines around each occurrence of an anchor. Every byte is looked at a bounded number of times.
pub(super) struct AnchoredLines<'t, 'a> {
    content: &'t str,
    anchor: Anchor<'a>,
    finder: Finder<'a>,
    /// Start of the next line; `None` after the last.
    position: Option<usize>,
    /// The next occurrence of the anchor at or after `position`.
    next_hit: Option<usize>,
    /// How many more lines belong to matches of occurrences behind us.
    lines_left: usize,
}

impl<'t, 'a> AnchoredLines<'t, 'a> {
    pub(super) fn new(content: &'t str, anchor: Anchor<'a>) -> AnchoredLines<'t, 'a> {
        let first_hit = memmem::find(content.as_bytes(), anchor.text.as_bytes());
        AnchoredLines::from_hit(content, anchor, first_hit)
    }

    /// The same where the first occurrence is known: a long text need not be searched for it again.
    pub(super) fn from_hit(content: &'t str, anchor: Anchor<'a>, first_hit: Option<usize>) -> AnchoredLines<'t, 'a> {
        let finder = Finder::new(anchor.text.as_bytes());
        AnchoredLines { content, anchor, finder, position: first_hit.and(Some(0)), next_hit: first_hit, lines_left: 0 }
    }

    /// Moves to the first line of a match around the next occurrence; returns whether lines were left out.
    fn jump_to(&mut self, hit: usize, position: usize) -> bool {
        let passed = &self.content.as_bytes()[position..hit];
        let mut end = passed.len();
        let mut start = hit;
        for _ in 0..=self.anchor.lines_before {
            match memrchr(b'\n', &passed[..end]) {
                Some(newline) => (start, end) = (position + newline + 1, newline),
                None => {
                    start = position;
                    break;
                }
            }
        }
        self.position = Some(start);
        // The line with the occurrence sets the number anew when it is reached.
        self.lines_left = self.anchor.lines_before + 1;
        start > position
    }
}

impl Iterator for AnchoredLines<'_, '_> {
    type Item = AnchoredStep;

    fn next(&mut self) -> Option<AnchoredStep> {
        let position = self.position?;
        if self.lines_left == 0 {
            match self.next_hit {
                None => {
                    self.position = None;
                    return None;
                }
                Some(hit) => {
                    if self.jump_to(hit, position) {
                        return Some(AnchoredStep::Gap);
                    }
                }
            }
        }
        let start = self.position?;
        let line = Line::at(self.content, start);
        self.lines_left -= 1;
        let is_last = line.text_end == line.end;
        self.position = (!is_last).then_some(line.end);
        if self.next_hit.is_some_and(|hit| hit <= line.text_end) {
            self.lines_left = self.anchor.lines_after;
            let rest = &self.content.as_bytes()[line.end..];
            self.next_hit = self.position.and_then(|_| self.finder.find(rest)).map(|length| line.end + length);
        }
        Some(AnchoredStep::Line(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(content: &str, text: &str, lines_before: usize, lines_after: usize) -> String {
        let anchor = Anchor { text, lines_before, lines_after };
        AnchoredLines::new(content, anchor)
            .map(|step| match step {
                AnchoredStep::Line(line) => line.text(content).to_owned(),
                AnchoredStep::Gap => "|".to_owned(),
            })
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn only_lines_around_the_anchor_are_walked() {
        let content = "1\n2\n3x\n4\n5\n6\n7\n8x\n9";
        assert_eq!(walk(content, "x", 0, 0), "| 3x | 8x");
        assert_eq!(walk(content, "x", 1, 1), "| 2 3x 4 | 7 8x 9");
        assert_eq!(walk(content, "x", 2, 2), "1 2 3x 4 5 6 7 8x 9");
        assert_eq!(walk(content, "x", 9, 0), "1 2 3x 4 5 6 7 8x");
        assert_eq!(walk(content, "absent", 9, 9), "");
        assert_eq!(walk(content, "", 0, 0), "1 2 3x 4 5 6 7 8x 9");
    }

    #[test]
    fn the_empty_last_line_is_a_line() {
        assert_eq!(walk("x\n", "x", 0, 5), "x ");
        assert_eq!(walk("", "", 0, 0), "");
        assert_eq!(AnchoredLines::new("", Anchor { text: "", lines_before: 0, lines_after: 0 }).count(), 1);
    }
}
