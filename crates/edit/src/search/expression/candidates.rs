//! Where a match can start at all, found at the speed of memory.

use std::ops::Range;

use regex_automata::util::prefilter::Prefilter;
use regex_automata::{MatchKind, Span};
use regex_syntax::hir::Hir;

use super::super::SearchInterrupted;
use super::super::work_budget::{SCANNED_BYTES, WorkBudget};

/// How many bytes to look through at once.
const PIECE: usize = 64 << 10;

/// The texts that matches start with, if they are few.
#[derive(Debug, Clone)]
pub(super) struct Candidates(Option<Prefilter>);

impl Candidates {
    pub(super) fn from_hir(tree: &Hir) -> Candidates {
        Candidates(Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, tree))
    }

    pub(super) fn prefilter(&self) -> Option<&Prefilter> {
        self.0.as_ref()
    }

    /// The first position in the span where a match may start; its end counts, if nothing is known of matches.
    pub(super) fn next(
        &self,
        text: &str,
        span: Range<usize>,
        budget: &mut WorkBudget<'_>,
    ) -> Result<Option<usize>, SearchInterrupted> {
        let Some(prefilter) = &self.0 else { return Ok(Some(span.start)) };
        let mut at = span.start;
        while at < span.end {
            let next = at.saturating_add(PIECE).min(span.end);
            let end = next.saturating_add(prefilter.max_needle_len()).min(span.end);
            let found = prefilter.find(text.as_bytes(), Span { start: at, end });
            budget.spend(1 + (found.map_or(end, |found| found.start) - at) / SCANNED_BYTES)?;
            if let Some(found) = found {
                return Ok(Some(found.start));
            }
            at = next;
        }
        Ok(None)
    }
}
