//! Searching: what the index knows, and what is read because it does not.

pub(super) mod check;
pub(super) mod files;
pub(super) mod index;
pub(super) mod merge;
mod places;
mod segments;
mod texts;

use std::time::Instant;

use interline_items::search::{SearchHit, SearchQuery, SearchResults};
use interline_items::{Contents, StoreError};
use interline_search::{Search, TermPresence, Verdict};
use rusqlite::Connection;

use self::places::Places;
use self::segments::{live, stale_items, with_block, with_vocabulary};
use self::texts::Texts;
use super::failure::Failure;
use super::rows::{self, select_snapshot};
use crate::order::{Entry, cut_page};
use crate::search::dead::DeadItems;
use crate::search::evidence::{Evidence, Gathered};
use crate::search::live::Segment;

const SNAPSHOT: &str = concat!(select_snapshot!(), " WHERE items.number = ?1");

/// A page of what matches, and how many items do. The connection is in a transaction.
pub(super) fn search(connection: &Connection, query: &SearchQuery) -> Result<SearchResults, Failure> {
    let evidence = evidence(connection, &query.search, query.until, &live(connection)?, stale_items(connection)?)?;
    let mut finding = Finding::new(connection, query)?;
    finding.look_up(&evidence)?;
    finding.page()
}

/// What the index says about the terms of a search.
fn evidence(
    connection: &Connection,
    search: &Search,
    until: Instant,
    segments: &[Segment],
    stale: DeadItems,
) -> Result<Evidence, Failure> {
    let mut gathered = Gathered::new(search, stale);
    let keys = gathered.keys();
    for segment in segments {
        let mut pieces = Vec::new();
        if gathered.needs_vocabulary() {
            with_vocabulary(connection, segment, |block| {
                check_time(until)?;
                pieces.append(&mut gathered.see(block)?);
                Ok(())
            })?;
        }
        for key in &keys {
            check_time(until)?;
            with_block(connection, segment, key, |block| Ok(gathered.add(key, block, &segment.dead)?))?;
        }
        // Pieces may be many, and neighbours.
        let mut rest = pieces.as_slice();
        while let Some(first) = rest.first() {
            check_time(until)?;
            let mut settled = 1;
            with_block(connection, segment, first, |block| {
                settled = gathered.add_many(rest, block, &segment.dead)?;
                Ok(())
            })?;
            rest = &rest[settled..];
        }
    }
    Ok(gathered.evidence(search))
}

/// [`StoreError::OutOfTime`] if the search may not go on.
fn check_time(until: Instant) -> Result<(), StoreError> {
    if Instant::now() < until { Ok(()) } else { Err(StoreError::OutOfTime) }
}

/// What was found so far.
struct Finding<'a> {
    connection: &'a Connection,
    query: &'a SearchQuery,
    texts: Texts<'a>,
    places: Places<'a>,
    found: Vec<Entry>,
}

impl<'a> Finding<'a> {
    fn new(connection: &'a Connection, query: &'a SearchQuery) -> Result<Finding<'a>, Failure> {
        let (texts, places) = (Texts::new(connection)?, Places::new(connection, query)?);
        Ok(Finding { connection, query, texts, places, found: Vec::new() })
    }

    /// Adds the items that match.
    fn look_up(&mut self, evidence: &Evidence) -> Result<(), Failure> {
        let search = &self.query.search;
        let judge = |item: i64| search.evaluate(|term| evidence.known(term, item));
        for mut entry in self.places.of(evidence.candidates(search))? {
            let number = entry.number;
            let score = match judge(number) {
                Verdict::No => None,
                Verdict::Yes(score) => Some(score),
                Verdict::Read => self.read(number, |term| evidence.known(term, number))?,
            };
            if let Some(score) = score {
                entry.rank(self.query.order, score);
                self.found.push(entry);
            }
        }
        Ok(())
    }

    /// How well an item matches, if it does.
    fn read(&mut self, number: i64, known: impl Fn(usize) -> TermPresence) -> Result<Option<u32>, Failure> {
        check_time(self.query.until)?;
        let mut in_time = || Instant::now() < self.query.until;
        let score = self.texts.of(number, |item| {
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

    fn item(&self, entry: &Entry) -> Result<SearchHit, Failure> {
        let mut statement = self.connection.prepare_cached(SNAPSHOT)?;
        let mut found = statement.query([entry.number])?;
        let row = found.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        let mut snapshot = rows::snapshot(row)?;
        let mut in_time = || Instant::now() < self.query.until;
        let snippet = self.query.search.snippet(&snapshot.searched_fields(), &mut in_time);
        let snippet = snippet.map_err(|_| StoreError::OutOfTime)?;
        if self.query.contents == Contents::Omit {
            snapshot.content = None;
        }
        Ok(SearchHit { snapshot, snippet })
    }
}
