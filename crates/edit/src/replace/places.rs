//! Where `old_str` was found.

use std::ops::Range;

use super::indentation::Rule;

/// How many places an error shows.
pub(super) const MAX_SHOWN_PLACES: usize = 20;

/// One place of `old_str` in the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundPlace {
    /// The bytes that are replaced.
    pub(super) span: Range<usize>,
    /// How the lines of `old_str` lie in it; `None` where it is taken verbatim.
    pub(super) fit: Option<Fit>,
}

/// How whole lines of `old_str` lie in the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fit {
    /// What its indentation became.
    pub(super) rule: Rule,
    /// Its blank lines at the start that the content does not have.
    pub(super) ignored_at_start: usize,
    /// Its blank lines at the end that the content does not have.
    pub(super) ignored_at_end: usize,
}

/// The places at one level: all are counted, the first are kept.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) kept: Vec<FoundPlace>,
    pub(super) total: usize,
    limit: usize,
}

impl Places {
    /// Keeps the first so many.
    pub(super) fn keeping(limit: usize) -> Places {
        Places { kept: Vec::new(), total: 0, limit }
    }

    /// Counts a place; it is made only if it is to be kept.
    pub(super) fn add(&mut self, place: impl FnOnce() -> FoundPlace) {
        self.total += 1;
        if self.kept.len() < self.limit {
            self.kept.push(place());
        }
    }

    /// Whether two places share a byte, or a line where they are whole lines. They are in order.
    pub(super) fn overlap(&self) -> bool {
        self.kept.windows(2).any(|pair| match pair[1].fit {
            None => pair[0].span.end > pair[1].span.start,
            // An empty line has no byte to share: its end is its start.
            Some(_) => pair[0].span.end >= pair[1].span.start,
        })
    }
}
