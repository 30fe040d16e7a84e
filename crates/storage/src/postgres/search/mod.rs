//! Searching: what the index knows, and what is read because it does not.
//!
//! The database is asked for rows and nothing else: what they say is computed off the threads that serve everybody.

pub(super) mod check;
pub(super) mod files;
pub(super) mod index;
mod judge;
mod merge;
mod places;
mod segments;
mod texts;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use deadpool_postgres::{Client, Transaction};
use interline_items::search::{SearchHit, SearchQuery, SearchResults};
use interline_items::{Contents, StoreError};
use interline_search::Search;
use tokio_postgres::Row;

use self::judge::Judge;
use self::places::{Place, places};
use self::segments::{Lookups, Vocabularies, live, stale_items};
use self::texts::{batch, texts};
use super::connect::Pools;
use super::failure::Failure;
use super::rows::{self, item_columns};
use super::versions::at_one_moment;
use super::work::compute;
use crate::order::{Entry, cut_page};
use crate::search::evidence::{Evidence, Gathered};
use crate::search::live::Segment;

const SNAPSHOTS: &str = concat!(
    "SELECT items.number, ",
    item_columns!(),
    ", contents.text FROM items LEFT JOIN contents ON contents.item = items.id WHERE items.number = ANY($1)"
);

/// A page of what matches, and how many items do, at one moment.
pub(super) async fn search(pools: &Pools, query: &SearchQuery) -> Result<SearchResults, StoreError> {
    in_turn(pools, query.until, async |client| page(client, query).await).await
}

/// What `work` finds on a connection, when it is its turn; [`StoreError::OutOfTime`] if that is too late.
async fn in_turn<T>(
    pools: &Pools,
    until: Instant,
    work: impl AsyncFnOnce(&mut Client) -> Result<T, Failure>,
) -> Result<T, StoreError> {
    // The semaphore is never closed.
    let _turn =
        tokio::time::timeout(time_left(until)?, pools.searches.acquire()).await.map_err(|_| StoreError::OutOfTime)?;
    let searching = async {
        match work(&mut pools.work.get().await?).await {
            Err(failure) if failure.took_too_long() && time_left(until).is_err() => Err(StoreError::OutOfTime.into()),
            outcome => outcome,
        }
    };
    pools.use_one(searching).await
}

/// A transaction that sees one moment, whose statements may take the time that the search has, be it more or less than
/// what others may take.
async fn transaction(client: &mut Client, until: Instant) -> Result<Transaction<'_>, Failure> {
    let transaction = at_one_moment(client).await?;
    let limit = time_left(until)?.as_millis() + 1;
    transaction.batch_execute(&format!("SET LOCAL statement_timeout = {limit}")).await?;
    Ok(transaction)
}

async fn page(client: &mut Client, query: &SearchQuery) -> Result<SearchResults, Failure> {
    let transaction = transaction(client, query.until).await?;
    let found = found(&transaction, query).await?;
    let lengths: HashMap<i64, u64> = found.iter().map(|place| (place.entry.number, place.bytes)).collect();
    let mut entries: Vec<Entry> = found.into_iter().map(|place| place.entry).collect();
    let total = entries.len() as u64;
    let next = cut_page(&mut entries, &query.start, query.limit, query.order.direction());
    let mut items = Vec::with_capacity(entries.len());
    let mut rest = &entries[..];
    while !rest.is_empty() {
        time_left(query.until)?;
        let now;
        (now, rest) = rest.split_at(batch(rest, |entry| lengths.get(&entry.number).copied().unwrap_or(0)));
        items.append(&mut found_items(&transaction, query, now).await?);
    }
    Ok(SearchResults { items, total, next })
}

/// How long a search may go on; [`StoreError::OutOfTime`] if no longer.
fn time_left(until: Instant) -> Result<Duration, StoreError> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(StoreError::OutOfTime) } else { Ok(left) }
}

/// The items that match, in any order.
async fn found(transaction: &Transaction<'_>, query: &SearchQuery) -> Result<Vec<Place>, Failure> {
    let evidence = evidence(transaction, &query.search, query.until).await?;
    let judge = Judge { search: Arc::clone(&query.search), evidence: Arc::new(evidence), order: query.order };
    let asked = judge.clone();
    let candidates = compute(move || asked.candidates()).await?;
    let places = places(transaction, query, candidates).await?;
    let asked = judge.clone();
    let (mut found, unread) = compute(move || asked.judge(places)).await?;
    let mut rest = &unread[..];
    while !rest.is_empty() {
        time_left(query.until)?;
        let now;
        (now, rest) = rest.split_at(batch(rest, |place| place.bytes));
        let numbers: Vec<i64> = now.iter().map(|place| place.entry.number).collect();
        let texts = texts(transaction, &numbers).await?;
        let (asked, places, until) = (judge.clone(), now.to_vec(), query.until);
        found.append(&mut compute(move || asked.read(places, &texts, until)).await??);
    }
    Ok(found)
}

/// What the index says about the terms of a search.
async fn evidence(transaction: &Transaction<'_>, search: &Arc<Search>, until: Instant) -> Result<Evidence, Failure> {
    // One after the other: of two at once, the one would tell that the other failed, and not why.
    let segments: Arc<[Segment]> = live(transaction).await?.into();
    let mut gathered = Gathered::new(search, stale_items(transaction).await?);
    if gathered.needs_vocabulary() {
        let mut vocabularies = Vocabularies::of(&segments);
        while let Some(blocks) = vocabularies.next(transaction).await? {
            gathered = compute(move || {
                for block in blocks {
                    time_left(until)?;
                    gathered.see(block.try_get("data")?)?;
                }
                Ok::<_, Failure>(gathered)
            })
            .await??;
        }
    }
    let keys = gathered.keys();
    let mut lookups = Lookups::new(&segments, &keys);
    while let Some((keys, blocks)) = lookups.next(transaction).await? {
        time_left(until)?;
        let (segments, keys) = (Arc::clone(&segments), keys.to_vec());
        gathered = compute(move || {
            for block in blocks {
                block.look(&segments, &keys, |segment, key, data| Ok(gathered.add(key, data, &segment.dead)?))?;
            }
            Ok::<_, Failure>(gathered)
        })
        .await??;
    }
    let search = Arc::clone(search);
    compute(move || gathered.evidence(&search)).await
}

/// Some items of a page.
async fn found_items(
    transaction: &Transaction<'_>,
    query: &SearchQuery,
    entries: &[Entry],
) -> Result<Vec<SearchHit>, Failure> {
    let numbers: Vec<i64> = entries.iter().map(|entry| entry.number).collect();
    let statement = transaction.prepare_cached(SNAPSHOTS).await?;
    let found = transaction.query(&statement, &[&numbers]).await?;
    let query = query.clone();
    let items = compute(move || {
        let item = |row: &Row| Ok((row.try_get("number")?, found_item(row, &query)?));
        found.iter().map(item).collect::<Result<HashMap<i64, SearchHit>, Failure>>()
    });
    let mut items = items.await??;
    Ok(numbers.iter().filter_map(|number| items.remove(number)).collect())
}

fn found_item(row: &Row, query: &SearchQuery) -> Result<SearchHit, Failure> {
    let mut snapshot = rows::snapshot(row)?;
    let mut in_time = || Instant::now() < query.until;
    let snippet = query.search.snippet(&snapshot.searched_fields(), &mut in_time);
    let snippet = snippet.map_err(|_| StoreError::OutOfTime)?;
    match query.contents {
        Contents::Read => {}
        Contents::Omit => snapshot.content = None,
    }
    Ok(SearchHit { snapshot, snippet })
}
