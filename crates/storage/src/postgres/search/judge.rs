//! Which items match, by what the index says or by their texts.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use interline_items::StoreError;
use interline_items::search::SearchOrder;
use interline_search::{Search, Verdict};
use tokio_postgres::Row;

use super::super::failure::Failure;
use super::places::Place;
use super::texts::searched;
use crate::search::evidence::Evidence;

/// What decides about items. All that it does may take milliseconds.
#[derive(Clone)]
pub(super) struct Judge {
    pub(super) search: Arc<Search>,
    pub(super) evidence: Arc<Evidence>,
    pub(super) order: SearchOrder,
}

impl Judge {
    /// The items that may match; `None` if nothing rules any out.
    pub(super) fn candidates(&self) -> Option<Vec<i64>> {
        let mut candidates = self.evidence.candidates(&self.search)?;
        candidates.retain(|item| self.verdict(*item) != Verdict::No);
        Some(candidates)
    }

    /// The items that match, and those that must be read.
    pub(super) fn judge(&self, places: Vec<Place>) -> (Vec<Place>, Vec<Place>) {
        let (mut found, mut unread) = (Vec::new(), Vec::new());
        for place in places {
            match self.verdict(place.entry.number) {
                Verdict::No => {}
                Verdict::Yes(score) => found.push(self.ranked(place, score)),
                Verdict::Read => unread.push(place),
            }
        }
        (found, unread)
    }

    /// Those of the items that match, by their texts.
    pub(super) fn read(&self, places: Vec<Place>, texts: &[Row], until: Instant) -> Result<Vec<Place>, Failure> {
        let mut places: HashMap<i64, Place> = places.into_iter().map(|place| (place.entry.number, place)).collect();
        let mut in_time = move || Instant::now() < until;
        let mut found = Vec::new();
        for row in texts {
            if !in_time() {
                return Err(StoreError::OutOfTime.into());
            }
            let number = row.try_get("number")?;
            let known = |term| self.evidence.known(term, number);
            let score = self.search.score(&searched(row)?, known, &mut in_time).map_err(|_| StoreError::OutOfTime)?;
            if let (Some(score), Some(place)) = (score, places.remove(&number)) {
                found.push(self.ranked(place, score));
            }
        }
        Ok(found)
    }

    fn verdict(&self, item: i64) -> Verdict {
        self.search.evaluate(|term| self.evidence.known(term, item))
    }

    fn ranked(&self, mut place: Place, score: u32) -> Place {
        place.entry.rank(self.order, score);
        place
    }
}
