//! Matching: which candidates match, by the index or by their texts.

use std::collections::HashMap;
use std::sync::Arc;

use interline_items::StoreError;
use interline_items::fair::Checkpoint;
use interline_search::{Search, Verdict};
use tokio_postgres::Row;

use super::filter::FilteredItem;
use super::texts::searched;
use crate::postgres::failure::Failure;
use crate::search::candidates::Candidates;

/// Decides which items match. Each method may take milliseconds.
#[derive(Clone)]
pub(super) struct Matcher {
    pub(super) search: Arc<Search>,
    pub(super) candidates: Arc<Candidates>,
}

impl Matcher {
    /// The items that may match; `None` if the index rules none out.
    pub(super) fn candidates(&self) -> Option<Vec<i64>> {
        let mut candidates = self.candidates.items(&self.search)?;
        candidates.retain(|item| self.verdict(*item) != Verdict::No);
        Some(candidates)
    }

    /// The items that match by the index, and those whose texts must be read.
    pub(super) fn split(&self, filtered: Vec<FilteredItem>) -> (Vec<FilteredItem>, Vec<FilteredItem>) {
        let (mut found, mut unread) = (Vec::new(), Vec::new());
        for item in filtered {
            match self.verdict(item.entry.number) {
                Verdict::No => {}
                Verdict::Yes(score) => found.push(Matcher::ranked(item, score)),
                Verdict::Read => unread.push(item),
            }
        }
        (found, unread)
    }

    /// The items that match by their texts.
    pub(super) fn read(
        &self,
        filtered: Vec<FilteredItem>,
        texts: &[Row],
        checkpoint: &Checkpoint,
    ) -> Result<Vec<FilteredItem>, Failure> {
        let mut filtered: HashMap<i64, FilteredItem> =
            filtered.into_iter().map(|item| (item.entry.number, item)).collect();
        let mut has_time = || checkpoint.check().is_ok();
        let mut found = Vec::new();
        for row in texts {
            if !has_time() {
                return Err(StoreError::OutOfTime.into());
            }
            let number = row.try_get("number")?;
            let presence = |term| self.candidates.presence(term, number);
            let score =
                self.search.score(&searched(row)?, presence, &mut has_time).map_err(|_| StoreError::OutOfTime)?;
            if let (Some(score), Some(item)) = (score, filtered.remove(&number)) {
                found.push(Matcher::ranked(item, score));
            }
        }
        Ok(found)
    }

    fn verdict(&self, item: i64) -> Verdict {
        self.search.evaluate(|term| self.candidates.presence(term, item))
    }

    fn ranked(mut item: FilteredItem, score: u32) -> FilteredItem {
        item.entry.set_score(score);
        item
    }
}
