//! The newest text by lines, each with its ending; the last one, which may be empty, has none.

use std::ops::Range;

pub(super) struct NewestLines<'t> {
    text: &'t str,
    /// Where each line starts; at last the end of the text.
    starts: Vec<usize>,
}

impl<'t> NewestLines<'t> {
    pub(super) fn new(text: &'t str) -> NewestLines<'t> {
        let after_newlines = memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1);
        NewestLines { text, starts: [0].into_iter().chain(after_newlines).chain([text.len()]).collect() }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn lines(&self, lines: &Range<usize>) -> &'t str {
        &self.text[self.starts[lines.start]..self.starts[lines.end]]
    }

    pub(super) fn line(&self, line: usize) -> &'t str {
        self.lines(&(line..line + 1))
    }

    /// Which of some lines has this byte of their text, and where the line starts in it.
    pub(super) fn line_at(&self, lines: &Range<usize>, byte: usize) -> (usize, usize) {
        let first = self.starts[lines.start];
        let line = self.starts[lines.clone()].partition_point(|start| *start <= first + byte) - 1;
        (line, self.starts[lines.start + line] - first)
    }
}
