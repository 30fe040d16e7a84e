//! Forgetting old records of histories, in the tables `versions` and `changed_items`.

use interline_items::{ItemId, Retention, Stamp, StoreError};
use uuid::Uuid;

use super::changed_items;
use crate::codec::retention::{Cut, MAX_ITEMS, OldRecord, RECORDS_TO_READ, cut};
use crate::sql::{RowReader, Sql, Statement, column, query_first, query_only, statement, values};

/// The next items, and again those of them that have a record that is too old, or one too many.
macro_rules! candidates {
    ($key:literal) => {
        concat!(
            "SELECT id, CASE
                 WHEN coalesce((
                     SELECT at FROM versions WHERE item = items.",
            $key,
            "        ORDER BY stamp_version, stamp_revision LIMIT 1
                 ) < ?2, false) THEN id
                 WHEN coalesce((SELECT count(*) FROM versions WHERE item = items.",
            $key,
            "    ) > ?3, false) THEN id
             END
             FROM items WHERE id > ?1 ORDER BY id LIMIT ?4"
        )
    };
}

const CANDIDATES: Statement = statement!(sqlite: candidates!("number"), postgres: candidates!("id"));

const LOCK: Statement = statement!(
    sqlite: "SELECT version FROM items WHERE id = ?1",
    postgres: "SELECT version FROM items WHERE id = ?1 FOR UPDATE",
);

/// A statement about the records of an item, whose id is ?1. SQLite keeps the records under the item's number.
macro_rules! of_item {
    ($text:ident) => {
        statement!(sqlite: $text!("(SELECT number FROM items WHERE id = ?1)"), postgres: $text!("?1"))
    };
}

macro_rules! count {
    ($item:literal) => {
        concat!("SELECT count(*) FROM versions WHERE item = ", $item)
    };
}

/// A statement after the lock: it does not count the records that another process forgot while the lock was waited for.
const COUNT: Statement = of_item!(count);

macro_rules! oldest {
    ($item:literal) => {
        concat!(
            "SELECT stamp_version, stamp_revision, version, at FROM versions WHERE item = ",
            $item,
            " ORDER BY stamp_version, stamp_revision LIMIT ?2"
        )
    };
}

const OLDEST: Statement = of_item!(oldest);

macro_rules! close {
    ($item:literal) => {
        concat!(
            "UPDATE versions
             SET undo_kind = 1, undo = ?4, fields = coalesce(fields, (
                 SELECT older.fields FROM versions AS older
                 WHERE older.item = ",
            $item,
            "      AND (older.stamp_version, older.stamp_revision) < (?2, ?3) AND older.fields IS NOT NULL
                 ORDER BY older.stamp_version DESC, older.stamp_revision DESC
                 LIMIT 1
             ))
             WHERE item = ",
            $item,
            " AND (stamp_version, stamp_revision) = (
                 SELECT first.stamp_version, first.stamp_revision FROM versions AS first
                 WHERE first.item = ",
            $item,
            "      AND (first.stamp_version, first.stamp_revision) >= (?2, ?3) AND first.version IS NOT NULL
                 ORDER BY first.stamp_version, first.stamp_revision
                 LIMIT 1
             )"
        )
    };
}

/// The first version that stays keeps the fields that it has from those that go, and leads back to nothing.
const CLOSE: Statement = of_item!(close);

macro_rules! forget {
    ($item:literal) => {
        concat!("DELETE FROM versions WHERE item = ", $item, " AND (stamp_version, stamp_revision) < (?2, ?3)")
    };
}

const FORGET: Statement = of_item!(forget);

/// Some items that have records to forget.
pub(crate) struct Candidates {
    pub(crate) items: Vec<ItemId>,
    /// The last item that was looked at; `None` after the last there is.
    pub(crate) last: Option<ItemId>,
}

/// Looks at the next items for such that have records to forget.
pub(crate) async fn candidates<S: Sql>(
    sql: &S,
    retention: Retention,
    after: Option<ItemId>,
) -> Result<Candidates, S::Failure> {
    let after = after.map_or(Uuid::nil(), ItemId::uuid);
    let keep = retention.keep.map(|keep| keep.max(1));
    let read = |row: &mut RowReader<'_>| Ok((row.get()?, row.optional()?));
    let looked_at: Vec<(ItemId, Option<ItemId>)> =
        sql.query(CANDIDATES, values![after, retention.before, keep, MAX_ITEMS], read).await?;
    let is_full = i64::try_from(looked_at.len()) == Ok(MAX_ITEMS);
    let last = looked_at.last().map(|(id, _)| *id).filter(|_| is_full);
    Ok(Candidates { items: looked_at.into_iter().filter_map(|(_, candidate)| candidate).collect(), last })
}

/// Forgets as many records of an item's history as one transaction should, which the caller has begun; how many, 0 if there
/// are no more.
pub(crate) async fn forget<S: Sql>(sql: &S, item: ItemId, retention: Retention) -> Result<u64, S::Failure> {
    let newest = query_first(sql, LOCK, values![item], column).await?;
    let Some(newest) = newest else { return Ok(0) };
    let total = query_only(sql, COUNT, values![item], column).await?;
    let oldest = sql.query(OLDEST, values![item, RECORDS_TO_READ], record_from_row).await?;
    let Some(Cut { records, first_kept }) = cut(&oldest, total, newest, retention) else { return Ok(0) };
    let Stamp { version, revision } = first_kept;
    sql.execute(CLOSE, values![item, version, revision, b""]).await?;
    sql.execute(FORGET, values![item, version, revision]).await?;
    changed_items::forget(sql, item, first_kept).await?;
    Ok(records)
}

fn record_from_row(row: &mut RowReader<'_>) -> Result<OldRecord, StoreError> {
    let stamp = Stamp { version: row.get()?, revision: row.get()? };
    Ok(OldRecord { stamp, version: row.optional()?, at: row.get()? })
}
