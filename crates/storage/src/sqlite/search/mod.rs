//! Search: candidates from the index, and a read of the texts of which the index is not certain.

pub(super) mod check;
pub(super) mod files;
mod filter;
pub(super) mod index;
pub(super) mod merge;
mod segments;
mod texts;

use interline_items::fair::Checkpoint;
use interline_items::search::{SearchQuery, SearchResults};
use interline_items::{Contents, StoreError};
use interline_search::{Search, TermPresence, Verdict};
use rusqlite::Connection;

use self::filter::CandidateFilter;
use self::segments::{live_segments, stale_items, with_block, with_vocabulary};
use self::texts::Texts;
use crate::integrity::{Damage, Integrity};
use crate::paging::{PageEntry, cut_page};
use crate::search::candidates::{CandidateLookup, Candidates};
use crate::search::hit::search_hit;
use crate::search::item_set::ItemSet;
use crate::search::live_segment::LiveSegment;
use crate::sqlite::failure::Failure;
use crate::sqlite::items::lookup::page_snapshot;

/// A page of the items that match, and how many do. The connection is in a transaction.
pub(super) fn search(
    connection: &Connection,
    integrity: &Integrity,
    query: &SearchQuery,
) -> Result<SearchResults, Failure> {
    let (segments, stale) = (live_segments(connection)?, stale_items(connection)?);
    let candidates = candidates(connection, &query.search, &query.checkpoint, &segments, stale)?;
    let mut run = SearchRun::new(connection, integrity, query)?;
    run.look_up(&candidates)?;
    run.page()
}

/// The candidates of a search, by the postings of its terms.
fn candidates(
    connection: &Connection,
    search: &Search,
    checkpoint: &Checkpoint,
    segments: &[LiveSegment],
    stale: ItemSet,
) -> Result<Candidates, Failure> {
    let mut lookup = CandidateLookup::new(search, stale);
    let keys = lookup.keys();
    for segment in segments {
        let mut tokens = Vec::new();
        if lookup.needs_vocabulary() {
            with_vocabulary(connection, segment, |block| {
                check_time(checkpoint)?;
                tokens.append(&mut lookup.scan_vocabulary(block)?);
                Ok(())
            })?;
        }
        for key in &keys {
            check_time(checkpoint)?;
            with_block(connection, segment, key, |block| Ok(lookup.add(key, block, &segment.tombstones)?))?;
        }
        // Pieces may be many, and neighbours in one block.
        let mut rest = tokens.as_slice();
        while let Some(first) = rest.first() {
            check_time(checkpoint)?;
            let mut done = 1;
            with_block(connection, segment, first, |block| {
                done = lookup.add_many(rest, block, &segment.tombstones)?;
                Ok(())
            })?;
            rest = &rest[done..];
        }
    }
    Ok(lookup.finish(search))
}

/// [`StoreError::OutOfTime`] if the time of the search is over, or nobody waits for it.
fn check_time(checkpoint: &Checkpoint) -> Result<(), StoreError> {
    checkpoint.check().map_err(StoreError::from)
}

/// A search in progress, with the matches so far.
struct SearchRun<'a> {
    connection: &'a Connection,
    integrity: &'a Integrity,
    query: &'a SearchQuery,
    texts: Texts<'a>,
    filter: CandidateFilter<'a>,
    matches: Vec<PageEntry>,
}

impl<'a> SearchRun<'a> {
    fn new(
        connection: &'a Connection,
        integrity: &'a Integrity,
        query: &'a SearchQuery,
    ) -> Result<SearchRun<'a>, Failure> {
        let (texts, filter) = (Texts::new(connection)?, CandidateFilter::new(connection, query)?);
        Ok(SearchRun { connection, integrity, query, texts, filter, matches: Vec::new() })
    }

    /// Adds the candidates that match.
    fn look_up(&mut self, candidates: &Candidates) -> Result<(), Failure> {
        let search = &self.query.search;
        let verdict = |item: i64| search.evaluate(|term| candidates.presence(term, item));
        for mut entry in self.filter.entries(candidates.items(search))? {
            let number = entry.number;
            let score = match verdict(number) {
                Verdict::No => None,
                Verdict::Yes(score) => Some(score),
                Verdict::Read => {
                    let read = self.read(number, |term| candidates.presence(term, number));
                    let (id, _) = entry.item();
                    self.integrity.unless_damaged(read.map_err(|failure| failure.of_item(id)))?.flatten()
                }
            };
            if let Some(score) = score {
                entry.set_score(score);
                self.matches.push(entry);
            }
        }
        Ok(())
    }

    /// The score of an item by its text, if it matches.
    fn read(&mut self, number: i64, presence: impl Fn(usize) -> TermPresence) -> Result<Option<u32>, Failure> {
        check_time(&self.query.checkpoint)?;
        let mut has_time = || self.query.checkpoint.check().is_ok();
        let score = self.texts.with_fields(number, |item| {
            Ok(self.query.search.score(item, presence, &mut has_time).map_err(|_| StoreError::OutOfTime)?)
        })?;
        Ok(score.flatten())
    }

    fn page(mut self) -> Result<SearchResults, Failure> {
        let total = self.matches.len() as u64;
        let next = cut_page(&mut self.matches, &self.query.start, self.query.limit, self.query.order.direction());
        let mut items = Vec::with_capacity(self.matches.len());
        for entry in &self.matches {
            // With the content, for the snippet.
            if let Some(snapshot) = page_snapshot(self.connection, self.integrity, entry.item(), Contents::Read)? {
                items.push(search_hit(snapshot, self.query)?);
            }
        }
        Ok(SearchResults { items, total, next })
    }
}
