//! Collects the matches of a search as hits with line numbers and context; reads the text once however many matches
//! share a line.

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::lines::{Line, newlines, skip_lines};

use super::{Hit, SearchOptions, SearchResult};

/// Gathers matches, given in ascending order of their starts and of their ends.
#[derive(Debug)]
pub(super) struct HitCollector<'t> {
    text: &'t str,
    options: SearchOptions,
    result: SearchResult<'t>,
    start: Cursor,
    last: Cursor,
    /// The start of the last context, and its line.
    context_start: Option<(usize, usize)>,
    /// The end of the last context, and the last line of its match.
    context_end: Option<(usize, usize)>,
}

/// A position and its line, which only move on.
#[derive(Debug, Clone, Copy)]
struct Cursor {
    at: usize,
    line: usize,
}

impl Cursor {
    fn move_to(&mut self, text: &str, position: usize) {
        self.line += newlines(&text.as_bytes()[self.at..position]);
        self.at = position;
    }
}

impl<'t> HitCollector<'t> {
    pub(super) fn new(text: &'t str, options: &SearchOptions) -> Self {
        let cursor = Cursor { at: 0, line: 1 };
        HitCollector {
            text,
            options: *options,
            result: SearchResult { hits: Vec::new(), total: 0 },
            start: cursor,
            last: cursor,
            context_start: None,
            context_end: None,
        }
    }

    pub(super) fn add(&mut self, range: Range<usize>) {
        self.result.total += 1;
        if self.result.hits.len() >= self.options.limit {
            return;
        }
        self.start.move_to(self.text, range.start);
        // Overlapping matches share lines: counting inside each of them again would be quadratic.
        if self.last.at < self.start.at {
            self.last = self.start;
        }
        let last_byte = range.end.saturating_sub(1).max(self.last.at);
        self.last.move_to(self.text, last_byte);
        let (from, context_first_line) = self.context_start();
        let to = self.context_end();
        self.result.hits.push(Hit {
            range,
            first_line: self.start.line,
            last_line: self.last.line,
            context: &self.text[from..to],
            context_first_line,
        });
    }

    pub(super) fn finish(self) -> SearchResult<'t> {
        self.result
    }

    /// Where the context of the match starts, and its line.
    ///
    /// From one match to the next it moves on or is found anew, whichever passes fewer lines: many lines of context
    /// around many matches would otherwise be passed again and again.
    fn context_start(&mut self) -> (usize, usize) {
        let first_line = self.start.line.saturating_sub(self.options.context_lines).max(1);
        let from = match self.context_start {
            Some((from, line)) if first_line - line < self.options.context_lines.max(1) => {
                skip_lines(self.text, from, first_line - line).unwrap_or(self.text.len())
            }
            _ => {
                let own = memrchr(b'\n', &self.text.as_bytes()[..self.start.at]).map_or(0, |newline| newline + 1);
                let lines_back = self.start.line - first_line;
                (0..lines_back).fold(own, |from, _| Line::before(self.text, from).map_or(0, |line| line.start))
            }
        };
        self.context_start = Some((from, first_line));
        (from, first_line)
    }

    /// Where the context of the match ends; found like its start.
    fn context_end(&mut self) -> usize {
        let bytes = self.text.as_bytes();
        let line_end = |from: usize| memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |offset| from + offset);
        let (mut to, lines) = match self.context_end {
            Some((to, line)) if self.last.line - line < self.options.context_lines.max(1) => {
                (to, self.last.line - line)
            }
            _ => (line_end(self.last.at), self.options.context_lines),
        };
        for _ in 0..lines {
            if to == bytes.len() {
                break;
            }
            to = line_end(to + 1);
        }
        self.context_end = Some((to, self.last.line));
        to
    }
}
