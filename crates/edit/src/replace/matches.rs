//! The matches of `old_str` at one level: where each lies, and how its lines fit.

use std::ops::Range;

use super::indentation::IndentRule;

/// How many matches an error shows.
pub(super) const MAX_SHOWN_MATCHES: usize = 20;

/// One match of `old_str` in the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OldStrMatch {
    /// The byte range of the content that is replaced.
    pub(super) span: Range<usize>,
    /// How the lines of `old_str` fit the content; `None` where `new_str` is written verbatim.
    pub(super) fit: Option<WholeLineFit>,
    /// What a final `\r` of `old_str` is here.
    pub(super) final_carriage_return: FinalCarriageReturn,
}

/// What a final `\r` of `old_str` stands for in a match; no matter where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FinalCarriageReturn {
    /// A character of the match.
    Text,
    /// The beginning of the ending of its last line, as in a line that was read. The ending is no part of the match.
    OfLineEnding,
}

/// How `old_str` fits the content at a level that compares whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WholeLineFit {
    /// The rule that makes the content's indentation of that of `old_str`.
    pub(super) rule: IndentRule,
    /// Blank lines at the start of `old_str` that the content does not have.
    pub(super) ignored_at_start: usize,
    /// Blank lines at the end of `old_str` that the content does not have.
    pub(super) ignored_at_end: usize,
}

/// The matches at one level: all are counted, the first are kept.
#[derive(Debug)]
pub(super) struct OldStrMatches {
    pub(super) kept: Vec<OldStrMatch>,
    pub(super) total: usize,
    limit: usize,
}

impl OldStrMatches {
    /// No match yet; at most the first `limit` will be kept.
    pub(super) fn keeping(limit: usize) -> OldStrMatches {
        OldStrMatches { kept: Vec::new(), total: 0, limit }
    }

    /// Counts a match; it is made only if it is to be kept.
    pub(super) fn add(&mut self, found: impl FnOnce() -> OldStrMatch) {
        self.total += 1;
        if self.kept.len() < self.limit {
            self.kept.push(found());
        }
    }

    /// Whether two matches share a byte, or a line where they are whole lines. They are in order.
    pub(super) fn overlap(&self) -> bool {
        self.kept.windows(2).any(|pair| match (&pair[0].fit, &pair[1].fit) {
            // An empty line has no byte to share: its end is its start.
            (Some(_), Some(_)) => pair[0].span.end >= pair[1].span.start,
            _ => pair[0].span.end > pair[1].span.start,
        })
    }
}
