//! The integrity check: contents, versions and the search index of every item.
//!
//! All is read in one transaction, in parts: each statement has the usual time limit, the check as a whole has none.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use deadpool_postgres::{Client, Transaction};
use interline_items::{CheckProblem, CheckReport, ContentInfo, ItemId, content_hash};
use tokio_postgres::Row;
use uuid::Uuid;

use super::SNAPSHOTS;
use super::segments::{live_segments, members};
use super::texts::batch;
use crate::codec::CodecError;
use crate::integrity::Damage;
use crate::postgres::connection::with_timeout;
use crate::postgres::failure::Failure;
use crate::postgres::history::versions::{snapshot_transaction, version_in};
use crate::postgres::rows::{self, maybe_count};
use crate::postgres::write::transaction_retry::run_blocking;
use crate::search::fingerprint::{Fingerprints, fingerprint};
use crate::search::item_keys::item_keys;
use crate::search::live_segment::LiveSegment;

/// How many rows are read at a time where they are small.
const ROWS: i64 = 256;

const ITEMS: &str = "SELECT number, id, content_bytes FROM items WHERE number > $1 ORDER BY number LIMIT $2";

const VERSIONS: &str = "SELECT version FROM versions WHERE item = $1 AND version IS NOT NULL ORDER BY version";

const BLOCKS: &str = "
    SELECT first, data FROM search_blocks WHERE segment = $1 AND first > $2 ORDER BY first LIMIT $3";

const PUBLISHED: &str = "SELECT hash, encode(hash, 'hex') AS name FROM published_contents ORDER BY hash";

const PUBLISHED_TEXT: &str = "SELECT text FROM published_contents WHERE hash = $1";

const STALE: &str = "
    SELECT stale_items.item, items.id IS NULL AS is_gone
    FROM stale_items LEFT JOIN items ON items.id = stale_items.item";

/// Checks everything that is stored, in one snapshot of the database.
pub(crate) async fn check(client: &mut Client) -> Result<CheckReport, Failure> {
    let transaction = with_timeout(snapshot_transaction(client)).await?;
    // After a statement that fails, the transaction goes on from here.
    with_timeout(async { Ok(transaction.batch_execute("SAVEPOINT part").await?) }).await?;
    let mut check = StoreCheck { transaction: &transaction, report: CheckReport::default(), stale: HashSet::new() };
    let segments = with_timeout(live_segments(&transaction)).await?;
    let mut sums = check.sums(&segments).await?;
    for number in check.stale_items(&segments).await? {
        sums.remove(&number);
    }
    check.items(&mut sums).await?;
    check.published_contents().await?;
    for number in sums.into_keys() {
        let damage = format!("the index has item {number}, which is not there");
        check.report.add(CheckProblem::Damage(damage));
    }
    Ok(check.report)
}

/// A check in progress.
struct StoreCheck<'a> {
    transaction: &'a Transaction<'a>,
    report: CheckReport,
    stale: HashSet<Uuid>,
}

/// An item to check.
struct ListedItem {
    number: i64,
    id: ItemId,
    bytes: u64,
}

/// What is wrong with an item.
#[derive(Clone, Copy)]
enum ItemFault {
    Item(ItemId),
    Content(ItemId),
    Index(ItemId),
}

impl StoreCheck<'_> {
    /// The fingerprint of each item, by the index.
    async fn sums(&mut self, segments: &[LiveSegment]) -> Result<BTreeMap<i64, u128>, Failure> {
        let mut sums = Fingerprints::default();
        for segment in segments {
            let tombstones = Arc::new(segment.tombstones.clone());
            let mut last: Vec<u8> = Vec::new();
            loop {
                let found = self.rows(BLOCKS, &[&segment.number, &last, &ROWS]).await?;
                let Some(row) = found.last() else { break };
                last = row.try_get("first")?;
                let tombstones = Arc::clone(&tombstones);
                let damages;
                (sums, damages) = run_blocking(move || {
                    let mut damages = Vec::new();
                    for row in &found {
                        damages.extend(sums.add_block(row.try_get("data")?, &tombstones).err());
                    }
                    Ok::<_, Failure>((sums, damages))
                })
                .await??;
                damages.iter().for_each(|error| self.add_damage(segment, error));
            }
            if let Err(error) = sums.end_segment() {
                self.add_damage(segment, &error);
            }
        }
        Ok(sums.into_sums())
    }

    fn add_damage(&mut self, segment: &LiveSegment, error: &CodecError) {
        self.report.add(CheckProblem::Damage(format!("segment {}: {error}", segment.number)));
    }

    /// Reads which items are stale. Returns the numbers of those that were purged, as the index has them.
    async fn stale_items(&mut self, segments: &[LiveSegment]) -> Result<Vec<i64>, Failure> {
        let mut gone = Vec::new();
        for row in self.rows(STALE, &[]).await? {
            let id = row.try_get("item")?;
            self.stale.insert(id);
            if row.try_get("is_gone")? {
                gone.push(id);
            }
        }
        let mut numbers = Vec::new();
        for some in gone.chunks(256) {
            let found = with_timeout(members(self.transaction, segments, some)).await?;
            numbers.extend(found.into_iter().flat_map(|(_, items)| items));
        }
        Ok(numbers)
    }

    /// Checks all items, and takes their fingerprints from `sums`.
    async fn items(&mut self, sums: &mut BTreeMap<i64, u128>) -> Result<(), Failure> {
        let mut last = 0;
        loop {
            let listed = self.rows(ITEMS, &[&last, &ROWS]).await?;
            let listed = listed.iter().map(ListedItem::from_row).collect::<Result<Vec<_>, _>>()?;
            let Some(end) = listed.last() else { return Ok(()) };
            last = end.number;
            let mut rest = &listed[..];
            while !rest.is_empty() {
                let now;
                (now, rest) = rest.split_at(batch(rest, |listed| listed.bytes));
                self.texts(now, sums).await?;
            }
            for item in &listed {
                self.versions(item.id).await?;
            }
        }
    }

    async fn texts(&mut self, listed: &[ListedItem], sums: &mut BTreeMap<i64, u128>) -> Result<(), Failure> {
        let numbers: Vec<i64> = listed.iter().map(|item| item.number).collect();
        let found = self.snapshots(listed, &numbers).await?;
        let mut in_index = BTreeMap::new();
        for item in listed {
            self.report.items += 1;
            let sum = sums.remove(&item.number).unwrap_or_default();
            if self.stale.contains(&item.id.uuid()) {
                self.report.stale += 1;
            } else {
                in_index.insert(item.number, sum);
            }
        }
        for fault in run_blocking(move || faults(&found, &in_index)).await?? {
            self.report.add(match fault {
                ItemFault::Item(id) => CheckProblem::Item(id),
                ItemFault::Content(id) => CheckProblem::Content(id),
                ItemFault::Index(id) => CheckProblem::Index(id),
            });
        }
        Ok(())
    }

    /// The rows of items; one by one where one of them cannot be read, which is a problem of its own.
    async fn snapshots(&mut self, listed: &[ListedItem], numbers: &[i64]) -> Result<Vec<Row>, Failure> {
        let all = self.rows(SNAPSHOTS, &[&numbers]).await;
        if let Some(rows) = self.or_none(all).await? {
            return Ok(rows);
        }
        let mut found = Vec::new();
        for item in listed {
            let one = self.rows(SNAPSHOTS, &[&vec![item.number]]).await;
            match self.or_none(one).await? {
                Some(mut rows) => found.append(&mut rows),
                None => self.report.add(CheckProblem::Content(item.id)),
            }
        }
        Ok(found)
    }

    /// What was read; `None` if it is damaged, and then the transaction can go on.
    async fn or_none<T>(&self, read: Result<T, Failure>) -> Result<Option<T>, Failure> {
        match read.map_err(Failure::into_corruption) {
            Ok(read) => Ok(Some(read)),
            Err(Ok(_)) => {
                let back = self.transaction.batch_execute("ROLLBACK TO SAVEPOINT part");
                with_timeout(async { Ok(back.await?) }).await?;
                Ok(None)
            }
            Err(Err(failure)) => Err(failure),
        }
    }

    /// Checks the contents of published files, which are kept under their hashes.
    async fn published_contents(&mut self) -> Result<(), Failure> {
        let hashes = self.rows(PUBLISHED, &[]).await?;
        for row in hashes {
            let hash: Vec<u8> = row.try_get("hash")?;
            let texts = self.rows(PUBLISHED_TEXT, &[&hash]).await;
            let texts = self.or_none(texts).await?.unwrap_or_default();
            let is_whole = run_blocking(move || {
                texts.iter().any(|row| row.try_get("text").is_ok_and(|text: &str| content_hash(text) == *hash))
            });
            if !is_whole.await? {
                let name: String = row.try_get("name")?;
                let problem = format!("table published_contents: the text of {name} does not have its hash");
                self.report.add(CheckProblem::Table(problem));
            }
        }
        Ok(())
    }

    async fn versions(&mut self, id: ItemId) -> Result<(), Failure> {
        for row in self.rows(VERSIONS, &[&id.uuid()]).await? {
            let version = rows::count(&row, "version")?;
            self.report.versions += 1;
            let rebuilt = with_timeout(version_in(self.transaction, id, version)).await;
            if self.or_none(rebuilt).await?.flatten().is_none() {
                self.report.add(CheckProblem::Version { id, version });
            }
        }
        Ok(())
    }

    async fn rows(
        &self,
        sql: &str,
        parameters: &[&(dyn tokio_postgres::types::ToSql + Sync)],
    ) -> Result<Vec<Row>, Failure> {
        with_timeout(async {
            let statement = self.transaction.prepare_cached(sql).await?;
            Ok(self.transaction.query(&statement, parameters).await?)
        })
        .await
    }
}

impl ListedItem {
    fn from_row(row: &Row) -> Result<ListedItem, Failure> {
        let bytes = maybe_count(row, "content_bytes")?.unwrap_or(0);
        Ok(ListedItem { number: row.try_get("number")?, id: ItemId::from_uuid(row.try_get("id")?), bytes })
    }
}

/// What is wrong with the items of some rows; `in_index` has the fingerprints of those that are not stale. The time grows
/// with the length of the texts.
fn faults(found: &[Row], in_index: &BTreeMap<i64, u128>) -> Result<Vec<ItemFault>, Failure> {
    let mut faults = Vec::new();
    for row in found {
        let id = ItemId::from_uuid(row.try_get("id")?);
        let snapshot = match rows::snapshot(row).map_err(Failure::into_corruption) {
            Ok(snapshot) => snapshot,
            Err(Ok(_)) => {
                faults.push(ItemFault::Item(id));
                continue;
            }
            Err(Err(failure)) => return Err(failure),
        };
        if snapshot.content.as_deref().map(ContentInfo::from_text) != snapshot.item.content {
            faults.push(ItemFault::Content(id));
        }
        let sum = in_index.get(&row.try_get("number")?);
        let keys = || item_keys(&snapshot.searched_fields(), id.uuid().as_bytes());
        if sum.is_some_and(|sum| *sum != fingerprint(keys())) {
            faults.push(ItemFault::Index(id));
        }
    }
    Ok(faults)
}
