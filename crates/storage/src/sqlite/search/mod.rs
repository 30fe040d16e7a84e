//! Searching: what the index knows, and what is read because it does not.

pub(super) mod check;
pub(super) mod files;
mod filter;
pub(super) mod index;
pub(super) mod merge;
mod segments;
mod texts;

use std::time::Instant;

use interline_items::search::{Search, SearchHit, SearchQuery, SearchResults, SearchedFields, TermPresence, Verdict};
use interline_items::{Contents, StoreError};
use rusqlite::Connection;

use self::filter::CandidateFilter;
use self::segments::{live_segments, stale_items, with_block, with_vocabulary};
use self::texts::Texts;
use crate::paging::{PageEntry, cut_page};
use crate::search::candidates::{CandidateLookup, Candidates};
use crate::search::item_set::ItemSet;
use crate::search::live_segment::LiveSegment;
use crate::sqlite::failure::Failure;
use crate::sqlite::rows::{self, select_snapshot};

const SNAPSHOT: &str = concat!(select_snapshot!(), " WHERE items.number = ?1");

/// A page of what matches, and how many items do. The connection is in a transaction.
pub(super) fn search(connection: &Connection, query: &SearchQuery) -> Result<SearchResults, Failure> {
    let candidates =
        candidates(connection, &query.search, query.until, &live_segments(connection)?, stale_items(connection)?)?;
    let mut run = SearchRun::new(connection, query)?;
    run.look_up(&candidates)?;
    run.page()
}

/// What the index says about the terms of a search.
fn candidates(
    connection: &Connection,
    search: &Search,
    until: Instant,
    segments: &[LiveSegment],
    stale: ItemSet,
) -> Result<Candidates, Failure> {
    let mut lookup = CandidateLookup::new(search, stale);
    let keys = lookup.keys();
    for segment in segments {
        let mut pieces = Vec::new();
        if lookup.needs_vocabulary() {
            with_vocabulary(connection, segment, |block| {
                check_time(until)?;
                pieces.append(&mut lookup.scan_vocabulary(block)?);
                Ok(())
            })?;
        }
        for key in &keys {
            check_time(until)?;
            with_block(connection, segment, key, |block| Ok(lookup.add(key, block, &segment.tombstones)?))?;
        }
        // Pieces may be many, and neighbours.
        let mut rest = pieces.as_slice();
        while let Some(first) = rest.first() {
            check_time(until)?;
            let mut settled = 1;
            with_block(connection, segment, first, |block| {
                settled = lookup.add_many(rest, block, &segment.tombstones)?;
                Ok(())
            })?;
            rest = &rest[settled..];
        }
    }
    Ok(lookup.finish(search))
}

/// [`StoreError::OutOfTime`] if the search may not go on.
fn check_time(until: Instant) -> Result<(), StoreError> {
    if Instant::now() < until { Ok(()) } else { Err(StoreError::OutOfTime) }
}

/// What was found so far.
struct SearchRun<'a> {
    connection: &'a Connection,
    query: &'a SearchQuery,
    texts: Texts<'a>,
    filter: CandidateFilter<'a>,
    found: Vec<PageEntry>,
}

impl<'a> SearchRun<'a> {
    fn new(connection: &'a Connection, query: &'a SearchQuery) -> Result<SearchRun<'a>, Failure> {
        let (texts, filter) = (Texts::new(connection)?, CandidateFilter::new(connection, query)?);
        Ok(SearchRun { connection, query, texts, filter, found: Vec::new() })
    }

    /// Adds the items that match.
    fn look_up(&mut self, candidates: &Candidates) -> Result<(), Failure> {
        let search = &self.query.search;
        let judge = |item: i64| search.judge(|term| candidates.presence(term, item));
        for mut entry in self.filter.entries(candidates.items(search))? {
            let number = entry.number;
            let score = match judge(number) {
                Verdict::No => None,
                Verdict::Yes(score) => Some(score),
                Verdict::Read => self.read(number, |term| candidates.presence(term, number))?,
            };
            if let Some(score) = score {
                entry.set_score(self.query.order, score);
                self.found.push(entry);
            }
        }
        Ok(())
    }

    /// How well an item matches, if it does.
    fn read(&mut self, number: i64, known: impl Fn(usize) -> TermPresence) -> Result<Option<u32>, Failure> {
        check_time(self.query.until)?;
        let mut in_time = || Instant::now() < self.query.until;
        let score = self.texts.with_fields(number, |item| {
            Ok(self.query.search.score(item, known, &mut in_time).map_err(|_| StoreError::OutOfTime)?)
        })?;
        Ok(score.flatten())
    }

    fn page(mut self) -> Result<SearchResults, Failure> {
        let total = self.found.len() as u64;
        let next = cut_page(&mut self.found, &self.query.start, self.query.limit, self.query.order.direction());
        let items = self.found.iter().map(|entry| self.item(entry)).collect::<Result<_, _>>()?;
        Ok(SearchResults { items, total, next })
    }

    fn item(&self, entry: &PageEntry) -> Result<SearchHit, Failure> {
        let mut statement = self.connection.prepare_cached(SNAPSHOT)?;
        let mut found = statement.query([entry.number])?;
        let row = found.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        let mut snapshot = rows::snapshot(row)?;
        let mut in_time = || Instant::now() < self.query.until;
        let snippet = self.query.search.snippet(&SearchedFields::of(&snapshot), &mut in_time);
        let snippet = snippet.map_err(|_| StoreError::OutOfTime)?;
        if self.query.contents == Contents::Omit {
            snapshot.content = None;
        }
        Ok(SearchHit { snapshot, snippet })
    }
}
