//! From spans to hits: line numbers and context, read from the text once however many matches share a line.

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::lines::newlines;

use super::{Found, Hit, SearchOptions};

/// Gathers matches, given in ascending order of their starts and of their ends.
#[derive(Debug)]
pub(super) struct Hits<'t> {
    text: &'t str,
    options: SearchOptions,
    found: Found<'t>,
    start: Cursor,
    last: Cursor,
    /// The context's start and its line, for the matches that start on the line given first.
    context_start: Option<(usize, usize, usize)>,
    /// The context's end, for the matches that end on the line given first.
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

impl<'t> Hits<'t> {
    pub(super) fn new(text: &'t str, options: &SearchOptions) -> Self {
        let cursor = Cursor { at: 0, line: 1 };
        Hits {
            text,
            options: *options,
            found: Found { hits: Vec::new(), total: 0 },
            start: cursor,
            last: cursor,
            context_start: None,
            context_end: None,
        }
    }

    pub(super) fn add(&mut self, range: Range<usize>) {
        self.found.total += 1;
        if self.found.hits.len() >= self.options.limit {
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
        self.found.hits.push(Hit {
            range,
            first_line: self.start.line,
            last_line: self.last.line,
            context: &self.text[from..to],
            context_first_line,
        });
    }

    pub(super) fn found(self) -> Found<'t> {
        self.found
    }

    fn context_start(&mut self) -> (usize, usize) {
        if let Some((line, from, first_line)) = self.context_start
            && line == self.start.line
        {
            return (from, first_line);
        }
        let bytes = self.text.as_bytes();
        let mut from = memrchr(b'\n', &bytes[..self.start.at]).map_or(0, |newline| newline + 1);
        let mut first_line = self.start.line;
        while from > 0 && self.start.line - first_line < self.options.context_lines {
            from = memrchr(b'\n', &bytes[..from - 1]).map_or(0, |newline| newline + 1);
            first_line -= 1;
        }
        self.context_start = Some((self.start.line, from, first_line));
        (from, first_line)
    }

    fn context_end(&mut self) -> usize {
        if let Some((line, to)) = self.context_end
            && line == self.last.line
        {
            return to;
        }
        let bytes = self.text.as_bytes();
        let line_end = |from: usize| memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |offset| from + offset);
        let mut to = line_end(self.last.at);
        let mut lines = 0;
        while to < bytes.len() && lines < self.options.context_lines {
            to = line_end(to + 1);
            lines += 1;
        }
        self.context_end = Some((self.last.line, to));
        to
    }
}
