//! Forgetting old records of histories.

use interline_items::{ItemId, Retention, Stamp};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::failure::Failure;
use super::rows::Columns;
use crate::codec::retention::{Cut, MAX_ITEMS, OldRecord, RECORDS_TO_READ, cut};

const NEXT_ITEMS: &str = "SELECT number, id FROM items WHERE id > ?1 ORDER BY id LIMIT ?2";

/// Whether an item has a record that is too old, or one too many.
const HAS_OLD: &str = "
    SELECT ifnull((SELECT at FROM versions WHERE item = ?1 ORDER BY stamp_version, stamp_revision LIMIT 1) < ?2, 0)
        OR ifnull((SELECT count(*) FROM versions WHERE item = ?1) > ?3, 0)";

const ITEM: &str = "SELECT version, (SELECT count(*) FROM versions WHERE item = number) FROM items WHERE number = ?1";

const OLDEST: &str = "
    SELECT stamp_version, stamp_revision, version, at FROM versions WHERE item = ?1
    ORDER BY stamp_version, stamp_revision
    LIMIT ?2";

// The first version that stays keeps the fields that it has from those that go, and leads back to nothing.
const CLOSE: &str = "
    UPDATE versions
    SET undo_kind = 1, undo = x'', fields = ifnull(fields, (
        SELECT fields FROM versions AS older
        WHERE older.item = ?1 AND (older.stamp_version, older.stamp_revision) < (?2, ?3) AND older.fields IS NOT NULL
        ORDER BY older.stamp_version DESC, older.stamp_revision DESC
        LIMIT 1
    ))
    WHERE item = ?1 AND (stamp_version, stamp_revision) = (
        SELECT first.stamp_version, first.stamp_revision FROM versions AS first
        WHERE first.item = ?1 AND (first.stamp_version, first.stamp_revision) >= (?2, ?3) AND first.version IS NOT NULL
        ORDER BY first.stamp_version, first.stamp_revision
        LIMIT 1
    )";

const FORGET: &str = "DELETE FROM versions WHERE item = ?1 AND (stamp_version, stamp_revision) < (?2, ?3)";

/// Some items, by their numbers, that may have something to forget.
pub(super) struct Candidates {
    pub(super) items: Vec<i64>,
    /// The last item that was looked at; `None` after the last there is.
    pub(super) last: Option<ItemId>,
}

/// The next items that may have something to forget. The connection is in a transaction.
pub(super) fn candidates(
    connection: &Connection,
    retention: Retention,
    after: Option<ItemId>,
) -> Result<Candidates, Failure> {
    let after = after.map_or(Uuid::nil(), ItemId::uuid).into_bytes();
    let keep = retention.keep.map(|keep| i64::try_from(keep.max(1)).unwrap_or(i64::MAX));
    let mut has_old = connection.prepare_cached(HAS_OLD)?;
    let mut next = connection.prepare_cached(NEXT_ITEMS)?;
    let mut found = next.query(params![after, MAX_ITEMS])?;
    let mut candidates = Candidates { items: Vec::new(), last: None };
    let mut looked_at = 0;
    while let Some(row) = found.next()? {
        let mut columns = Columns::of(row);
        let number: i64 = columns.next()?;
        let keys = params![number, retention.before.map(Timestamp::as_microsecond), keep];
        if has_old.query_row(keys, |row| row.get(0))? {
            candidates.items.push(number);
        }
        looked_at += 1;
        candidates.last = Some(ItemId::from_uuid(columns.uuid()?)).filter(|_| looked_at == MAX_ITEMS);
    }
    Ok(candidates)
}

/// Forgets what one transaction can of an item's history; how many records.
pub(super) fn forget(connection: &Connection, item: i64, retention: Retention) -> Result<u64, Failure> {
    let known =
        connection.prepare_cached(ITEM)?.query_row([item], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
    let Some((newest, total)) = known.optional()? else { return Ok(0) };
    let mut statement = connection.prepare_cached(OLDEST)?;
    let oldest = statement.query_and_then([item, RECORDS_TO_READ], |row| {
        let mut columns = Columns::of(row);
        Ok::<_, Failure>(OldRecord {
            stamp: Stamp { version: columns.count()?, revision: columns.count()? },
            version: columns.next::<Option<i64>>()?.map(i64::cast_unsigned),
            at: columns.time()?,
        })
    })?;
    let oldest = oldest.collect::<Result<Vec<_>, _>>()?;
    let Some(Cut { records, first_kept }) = cut(&oldest, total.cast_unsigned(), newest.cast_unsigned(), retention)
    else {
        return Ok(0);
    };
    for sql in [CLOSE, FORGET] {
        let keys = params![item, first_kept.version.cast_signed(), first_kept.revision.cast_signed()];
        connection.prepare_cached(sql)?.execute(keys)?;
    }
    Ok(records)
}
