//! Search: candidates from the index, and a read of the texts of which the index is not certain.
//!
//! The database only returns rows: what is computed from them runs on blocking threads, off the threads of the async
//! runtime.

pub(super) mod check;
pub(super) mod files;
mod filter;
pub(super) mod index;
mod matching;
mod merge;
mod segments;
mod texts;

use std::collections::HashMap;
use std::sync::Arc;

use deadpool_postgres::{Client, Transaction};
use interline_items::StoreError;
use interline_items::fair::Checkpoint;
use interline_items::search::{SearchHit, SearchQuery, SearchResults};
use interline_search::Search;

use self::filter::{FilteredItem, filter_items};
use self::matching::Matcher;
use self::segments::{TermLookups, Vocabularies, live_segments, stale_items};
use self::texts::{batch, texts};
use crate::integrity::Integrity;
use crate::paging::{PageEntry, cut_page};
use crate::postgres::connection::Pools;
use crate::postgres::failure::Failure;
use crate::postgres::history::versions::snapshot_transaction;
use crate::postgres::rows::{self, item_columns};
use crate::postgres::write::transaction_retry::run_blocking;
use crate::search::candidates::{CandidateLookup, Candidates};
use crate::search::hit::search_hit;
use crate::search::live_segment::LiveSegment;

const SNAPSHOTS: &str = concat!(
    "SELECT items.number, ",
    item_columns!(),
    ", contents.text FROM items LEFT JOIN contents ON contents.item = items.id WHERE items.number = ANY($1)"
);

/// A page of the items that match, and how many do, in one snapshot of the database.
pub(super) async fn search(pools: &Pools, query: &SearchQuery) -> Result<SearchResults, StoreError> {
    search_on(pools, &query.checkpoint, async |client| page(client, &pools.integrity, query).await).await
}

/// Runs a search on a connection; [`StoreError::OutOfTime`] if its time is over.
async fn search_on<T>(
    pools: &Pools,
    checkpoint: &Checkpoint,
    work: impl AsyncFnOnce(&mut Client) -> Result<T, Failure>,
) -> Result<T, StoreError> {
    pools
        .read_long(Some(checkpoint), async |client| match work(client).await {
            Err(failure) if failure.took_too_long() && checkpoint.time_left().is_err() => {
                Err(StoreError::OutOfTime.into())
            }
            outcome => outcome,
        })
        .await
}

/// A transaction of one snapshot, whose statements may take the time that the search has, be it more or less than other
/// statements may take.
async fn transaction<'a>(client: &'a mut Client, checkpoint: &Checkpoint) -> Result<Transaction<'a>, Failure> {
    let transaction = snapshot_transaction(client).await?;
    if let Some(left) = checkpoint.time_left().map_err(StoreError::from)? {
        let limit = left.as_millis() + 1;
        transaction.batch_execute(&format!("SET LOCAL statement_timeout = {limit}")).await?;
    }
    Ok(transaction)
}

async fn page(client: &mut Client, integrity: &Arc<Integrity>, query: &SearchQuery) -> Result<SearchResults, Failure> {
    let transaction = transaction(client, &query.checkpoint).await?;
    let found = found(&transaction, query).await?;
    let lengths: HashMap<i64, u64> = found.iter().map(|item| (item.entry.number, item.bytes)).collect();
    let mut entries: Vec<PageEntry> = found.into_iter().map(|item| item.entry).collect();
    let total = entries.len() as u64;
    let next = cut_page(&mut entries, &query.start, query.limit, query.order.direction());
    let mut items = Vec::with_capacity(entries.len());
    let mut rest = &entries[..];
    while !rest.is_empty() {
        query.checkpoint.check_async().await.map_err(StoreError::from)?;
        let now;
        (now, rest) = rest.split_at(batch(rest, |entry| lengths.get(&entry.number).copied().unwrap_or(0)));
        items.append(&mut page_items(&transaction, integrity, query, now).await?);
    }
    Ok(SearchResults { items, total, next })
}

/// The items that match, in no particular order.
async fn found(transaction: &Transaction<'_>, query: &SearchQuery) -> Result<Vec<FilteredItem>, Failure> {
    let candidates = candidates(transaction, &query.search, &query.checkpoint).await?;
    let matcher = Matcher { search: Arc::clone(&query.search), candidates: Arc::new(candidates) };
    let shared = matcher.clone();
    let candidates = run_blocking(move || shared.candidates()).await?;
    let filtered = filter_items(transaction, query, candidates).await?;
    let shared = matcher.clone();
    let (mut found, unread) = run_blocking(move || shared.split(filtered)).await?;
    let mut rest = &unread[..];
    while !rest.is_empty() {
        query.checkpoint.check_async().await.map_err(StoreError::from)?;
        let now;
        (now, rest) = rest.split_at(batch(rest, |item| item.bytes));
        let numbers: Vec<i64> = now.iter().map(|item| item.entry.number).collect();
        let texts = texts(transaction, &numbers).await?;
        let (shared, filtered, checkpoint) = (matcher.clone(), now.to_vec(), query.checkpoint.clone());
        found.append(&mut run_blocking(move || shared.read(filtered, &texts, &checkpoint)).await??);
    }
    Ok(found)
}

/// The candidates of a search, by the postings of its terms.
async fn candidates(
    transaction: &Transaction<'_>,
    search: &Arc<Search>,
    checkpoint: &Checkpoint,
) -> Result<Candidates, Failure> {
    // One after the other: of two at once, the one would report that the other failed, and not why.
    let segments: Arc<[LiveSegment]> = live_segments(transaction).await?.into();
    let mut lookup = CandidateLookup::new(search, stale_items(transaction).await?);
    if lookup.needs_vocabulary() {
        let mut vocabularies = Vocabularies::new(&segments);
        while let Some(blocks) = vocabularies.next(transaction).await? {
            let checkpoint = checkpoint.clone();
            lookup = run_blocking(move || {
                for block in blocks {
                    checkpoint.check().map_err(StoreError::from)?;
                    lookup.scan_vocabulary(block.try_get("data")?)?;
                }
                Ok::<_, Failure>(lookup)
            })
            .await??;
        }
    }
    let keys = lookup.keys();
    let mut lookups = TermLookups::new(&segments, &keys);
    while let Some((keys, blocks)) = lookups.next(transaction).await? {
        checkpoint.check_async().await.map_err(StoreError::from)?;
        let (segments, keys) = (Arc::clone(&segments), keys.to_vec());
        lookup = run_blocking(move || {
            for block in blocks {
                block.look(&segments, &keys, |segment, key, data| Ok(lookup.add(key, data, &segment.tombstones)?))?;
            }
            Ok::<_, Failure>(lookup)
        })
        .await??;
    }
    let search = Arc::clone(search);
    run_blocking(move || lookup.finish(&search)).await
}

/// The hits of some entries of a page.
async fn page_items(
    transaction: &Transaction<'_>,
    integrity: &Arc<Integrity>,
    query: &SearchQuery,
    entries: &[PageEntry],
) -> Result<Vec<SearchHit>, Failure> {
    let numbers: Vec<i64> = entries.iter().map(|entry| entry.number).collect();
    let statement = transaction.prepare_cached(SNAPSHOTS).await?;
    let found = transaction.query(&statement, &[&numbers]).await?;
    let (query, integrity) = (query.clone(), Arc::clone(integrity));
    let items = run_blocking(move || {
        let mut items: HashMap<i64, SearchHit> = HashMap::new();
        for row in &found {
            if let Some(snapshot) = integrity.unless_damaged(rows::snapshot(row))? {
                items.insert(row.try_get("number")?, search_hit(integrity.without_damage(snapshot), &query)?);
            }
        }
        Ok::<_, Failure>(items)
    });
    let mut items = items.await??;
    Ok(numbers.iter().filter_map(|number| items.remove(number)).collect())
}
