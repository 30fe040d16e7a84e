//! Removing an app from the trash, in steps that are short transactions.
//!
//! The first step marks the app (`apps.is_purging`): from then on it does not exist for anyone and cannot be restored, so that
//! the steps that follow may leave any part of it. The row of the app goes last: as long as it is there, [`apps_to_purge`]
//! finds it, and what a crash has left is removed by further steps.

use interline_items::{AppId, ItemId, Retention, SpaceId};
use jiff::Timestamp;

use super::removal::mark_stale;
use super::retention;
use crate::sql::{RowReader, Sql, Statement, column, query_first, statement, values};

/// How many items a step removes at the most, how many records of their histories, and how many bytes of their contents;
/// a single item may have more bytes.
const MAX_ITEMS: i64 = 100;
const MAX_RECORDS: u64 = 1_000;
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How many events, or deliveries to webhooks, a step removes at the most.
const MAX_ROWS: i64 = 10_000;

/// All but one record of a history, which goes with its item.
const ONE_RECORD: Retention = Retention { before: None, keep: Some(1) };

const TO_PURGE: Statement =
    statement!("SELECT id FROM apps WHERE is_purging OR deleted_at < ?1 ORDER BY deleted_at, id");

const MARK: Statement =
    statement!("UPDATE apps SET is_purging = true WHERE id = ?1 AND deleted_at < ?2 AND NOT is_purging");

const MARKED_SPACE: Statement =
    statement!("SELECT spaces.id FROM apps JOIN spaces ON spaces.app = apps.id WHERE apps.id = ?1 AND apps.is_purging");

macro_rules! next_items {
    ($key:literal, $lock:literal) => {
        concat!(
            "SELECT id, coalesce(content_bytes, 0), (SELECT count(*) FROM versions WHERE item = items.",
            $key,
            ") FROM items WHERE space = ?1 ORDER BY id LIMIT ?2",
            $lock
        )
    };
}

/// In the order of ids, in which every commit locks items.
const NEXT_ITEMS: Statement =
    statement!(sqlite: next_items!("number", ""), postgres: next_items!("id", " FOR UPDATE OF items"));

const MARK_STALE: Statement =
    statement!(sqlite: mark_stale!("number", "id = ?1"), postgres: mark_stale!("id", "id = ?1"));

/// Its content, its tags and its history go with it.
const REMOVE_ITEM: Statement = statement!("DELETE FROM items WHERE id = ?1");

const NEXT_VERSION: Statement = statement!("SELECT version FROM app_versions WHERE app = ?1 ORDER BY version LIMIT 1");

const PUBLISHED_HASHES: Statement =
    statement!("SELECT DISTINCT hash FROM app_version_files WHERE app = ?1 AND version = ?2");

const REMOVE_VERSION: [Statement; 2] = [
    statement!("DELETE FROM app_version_files WHERE app = ?1 AND version = ?2"),
    statement!("DELETE FROM app_versions WHERE app = ?1 AND version = ?2"),
];

const FORGET_CONTENT: Statement = statement!(
    "DELETE FROM published_contents
     WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM app_version_files WHERE hash = ?1)"
);

/// What may have many rows in a space beside its items.
const REMOVE_ROWS: [Statement; 2] = [
    statement!(
        "DELETE FROM deliveries WHERE number IN (
             SELECT deliveries.number FROM deliveries JOIN webhooks ON webhooks.id = deliveries.webhook
             WHERE webhooks.space = ?1 LIMIT ?2
         )"
    ),
    statement!(
        "DELETE FROM events
         WHERE space = ?1 AND number < (SELECT min(number) FROM events WHERE space = ?1) + ?2"
    ),
];

const REMOVE_SPACE: [Statement; 3] = [
    statement!("DELETE FROM webhooks WHERE space = ?1"),
    statement!("DELETE FROM members WHERE space = ?1"),
    statement!("DELETE FROM spaces WHERE id = ?1"),
];

const REMOVE_APP: Statement = statement!("DELETE FROM apps WHERE id = ?1");

/// What a step of a purge has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PurgeStep {
    /// There is no such app, or it is not to be purged.
    Unknown,
    /// There may be more.
    Unfinished,
    /// The app is gone.
    Finished,
}

/// An item to be removed, and how much goes with it.
#[derive(Clone, Copy)]
struct NextItem {
    id: ItemId,
    bytes: u64,
    records: u64,
}

/// The apps that were deleted before a time, and those of which a part is removed already; the one that was deleted first
/// comes first.
pub(crate) async fn apps_to_purge<S: Sql>(sql: &S, before: Timestamp) -> Result<Vec<AppId>, S::Failure> {
    sql.query(TO_PURGE, values![before], column).await
}

/// Removes as much of an app that was deleted before a time, or of which a part is removed already, as one transaction
/// should, which the caller has begun. Published contents that other versions share stay.
pub(crate) async fn purge_step<S: Sql>(sql: &S, app: AppId, before: Timestamp) -> Result<PurgeStep, S::Failure> {
    if sql.execute(MARK, values![app, before]).await? > 0 {
        return Ok(PurgeStep::Unfinished);
    }
    let Some(space) = query_first(sql, MARKED_SPACE, values![app], column::<SpaceId>).await? else {
        return Ok(PurgeStep::Unknown);
    };
    if remove_items(sql, space).await? || remove_version(sql, app).await? {
        return Ok(PurgeStep::Unfinished);
    }
    for statement in REMOVE_ROWS {
        if sql.execute(statement, values![space, MAX_ROWS]).await? > 0 {
            return Ok(PurgeStep::Unfinished);
        }
    }
    for statement in REMOVE_SPACE {
        sql.execute(statement, values![space]).await?;
    }
    sql.execute(REMOVE_APP, values![app]).await?;
    Ok(PurgeStep::Finished)
}

/// Removes the next items of a space, or a part of a long history; whether there was one.
async fn remove_items<S: Sql>(sql: &S, space: SpaceId) -> Result<bool, S::Failure> {
    let read = |row: &mut RowReader<'_>| Ok(NextItem { id: row.get()?, bytes: row.get()?, records: row.get()? });
    let next = sql.query(NEXT_ITEMS, values![space, MAX_ITEMS], read).await?;
    let Some(first) = next.first() else { return Ok(false) };
    if first.records > MAX_RECORDS && retention::forget(sql, first.id, ONE_RECORD).await? > 0 {
        return Ok(true);
    }
    for item in &next[..count_for_one_step(&next)] {
        sql.execute(MARK_STALE, values![item.id]).await?;
        sql.execute(REMOVE_ITEM, values![item.id]).await?;
    }
    Ok(true)
}

/// How many of the items one transaction removes: at least one.
fn count_for_one_step(next: &[NextItem]) -> usize {
    let (mut records, mut bytes) = (0, 0);
    let fits = |item: &&NextItem| {
        records += item.records;
        bytes += item.bytes;
        records <= MAX_RECORDS && bytes <= MAX_BYTES
    };
    next.iter().take_while(fits).count().max(1).min(next.len())
}

/// Removes the oldest published version of an app, whole, as it was written; whether there was one.
async fn remove_version<S: Sql>(sql: &S, app: AppId) -> Result<bool, S::Failure> {
    let Some(version) = query_first(sql, NEXT_VERSION, values![app], column::<u64>).await? else { return Ok(false) };
    let hashes: Vec<[u8; 32]> = sql.query(PUBLISHED_HASHES, values![app, version], column).await?;
    for statement in REMOVE_VERSION {
        sql.execute(statement, values![app, version]).await?;
    }
    for hash in hashes {
        sql.execute(FORGET_CONTENT, values![&hash]).await?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_bounded_and_removes_at_least_one_item() {
        let item = |records, bytes| NextItem { id: ItemId::generate(), bytes, records };
        let all_of = |items: &[NextItem]| count_for_one_step(items);
        assert_eq!(all_of(&[]), 0);
        assert_eq!(all_of(&[item(1, 0); 100]), 100);
        assert_eq!(all_of(&[item(400, 0); 5]), 2);
        assert_eq!(all_of(&[item(1, 8 * 1024 * 1024); 5]), 2);
        assert_eq!(all_of(&[item(5_000, 0), item(1, 0)]), 1);
        assert_eq!(all_of(&[item(1, 64 * 1024 * 1024), item(1, 0)]), 1);
    }
}
