//! Forgetting old records of histories.

use deadpool_postgres::{Client, Pool};
use interline_items::{ForgottenVersions, ItemId, Retention, Stamp};
use uuid::Uuid;

use super::connect::in_time;
use super::failure::Failure;
use super::rows::{count, maybe_count, micros, stored, time};
use crate::codec::retention::{Cut, MAX_ITEMS, OldRecord, RECORDS_TO_READ, cut};

/// The next items, and whether each has a record that is too old, or one too many.
const CANDIDATES: &str = "
    SELECT id,
           coalesce((SELECT at FROM versions WHERE item = id ORDER BY stamp_version, stamp_revision LIMIT 1) < $2, false)
               OR coalesce((SELECT count(*) FROM versions WHERE item = id) > $3, false) AS has_old
    FROM items
    WHERE id > $1
    ORDER BY id
    LIMIT $4";

const LOCK: &str = "SELECT version FROM items WHERE id = $1 FOR UPDATE";

/// A statement after the lock: it does not count what another process forgot while the lock was waited for.
const COUNT: &str = "SELECT count(*) AS total FROM versions WHERE item = $1";

const OLDEST: &str = "
    SELECT stamp_version, stamp_revision, version, at FROM versions WHERE item = $1
    ORDER BY stamp_version, stamp_revision
    LIMIT $2";

/// The first version that stays keeps the fields that it has from those that go, and leads back to nothing.
const CLOSE: &str = "
    UPDATE versions
    SET undo_kind = 1, undo = '', fields = coalesce(fields, (
        SELECT older.fields FROM versions AS older
        WHERE older.item = $1 AND (older.stamp_version, older.stamp_revision) < ($2, $3) AND older.fields IS NOT NULL
        ORDER BY older.stamp_version DESC, older.stamp_revision DESC
        LIMIT 1
    ))
    WHERE item = $1 AND (stamp_version, stamp_revision) = (
        SELECT first.stamp_version, first.stamp_revision FROM versions AS first
        WHERE first.item = $1 AND (first.stamp_version, first.stamp_revision) >= ($2, $3) AND first.version IS NOT NULL
        ORDER BY first.stamp_version, first.stamp_revision
        LIMIT 1
    )";

const FORGET: &str = "DELETE FROM versions WHERE item = $1 AND (stamp_version, stamp_revision) < ($2, $3)";

/// Forgets old records of the next items.
pub(super) async fn forget_versions(
    pool: &Pool,
    retention: Retention,
    after: Option<ItemId>,
) -> Result<ForgottenVersions, Failure> {
    let mut client = pool.get().await?;
    let after = after.map_or(Uuid::nil(), ItemId::uuid);
    let keep = retention.keep.map(|keep| i64::try_from(keep.max(1)).unwrap_or(i64::MAX));
    let looking = async {
        let statement = client.prepare_cached(CANDIDATES).await?;
        Ok(client.query(&statement, &[&after, &micros(retention.before), &keep, &MAX_ITEMS]).await?)
    };
    let looked_at = in_time(looking).await?;
    let mut forgotten = ForgottenVersions { records: 0, last: None };
    for row in &looked_at {
        let item: Uuid = row.try_get("id")?;
        if row.try_get("has_old")? {
            loop {
                match in_time(forget(&mut client, item, retention)).await? {
                    0 => break,
                    records => forgotten.records += records,
                }
            }
        }
        forgotten.last = Some(ItemId::from_uuid(item)).filter(|_| looked_at.len() as i64 == MAX_ITEMS);
    }
    Ok(forgotten)
}

/// Forgets what one transaction can of an item's history; how many records.
async fn forget(client: &mut Client, item: Uuid, retention: Retention) -> Result<u64, Failure> {
    let transaction = client.transaction().await?;
    let lock = transaction.prepare_cached(LOCK).await?;
    let Some(known) = transaction.query_opt(&lock, &[&item]).await? else { return Ok(0) };
    let total = transaction.prepare_cached(COUNT).await?;
    let total = count(&transaction.query_one(&total, &[&item]).await?, "total")?;
    let oldest = transaction.prepare_cached(OLDEST).await?;
    let oldest = transaction.query(&oldest, &[&item, &RECORDS_TO_READ]).await?;
    let oldest = oldest.iter().map(|row| {
        Ok(OldRecord {
            stamp: Stamp { version: count(row, "stamp_version")?, revision: count(row, "stamp_revision")? },
            version: maybe_count(row, "version")?,
            at: time(row, "at")?,
        })
    });
    let oldest = oldest.collect::<Result<Vec<_>, Failure>>()?;
    let Some(Cut { records, first_kept }) = cut(&oldest, total, count(&known, "version")?, retention) else {
        return Ok(0);
    };
    for sql in [CLOSE, FORGET] {
        let statement = transaction.prepare_cached(sql).await?;
        transaction.execute(&statement, &[&item, &stored(first_kept.version)?, &stored(first_kept.revision)?]).await?;
    }
    transaction.commit().await?;
    Ok(records)
}
