//! Rows of PostgreSQL as items and snapshots, and the columns of a row as values.

use std::sync::Arc;

use interline_items::fields::{CodePath, Description, FrontMatter, PromptName, Title, Url};
use interline_items::{ContentInfo, Fields, Item, ItemId, PointRead, Snapshot, SpaceId, Stamp, StoreError};
use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use uuid::Uuid;

use crate::codec::{functions, json, names};
use crate::integrity::Damage;
pub(super) use crate::item_columns::item_columns;
use crate::postgres::failure::Failure;
use crate::postgres::write::transaction_retry::run_blocking;

/// The item of a row.
pub(super) fn item(row: &Row) -> Result<Item, Failure> {
    decode_item(row).map_err(|failure| match row.try_get("id") {
        Ok(id) => failure.of_item(ItemId::from_uuid(id)),
        Err(_) => failure,
    })
}

fn decode_item(row: &Row) -> Result<Item, Failure> {
    let code: Option<&str> = row.try_get("functions")?;
    Ok(Item {
        id: ItemId::from_uuid(row.try_get("id")?),
        kind: names::parse_kind(row.try_get("kind")?).map_err(StoreError::from)?,
        space: SpaceId::from_uuid(row.try_get("space")?),
        fields: fields(row)?,
        content: content_info(row)?,
        functions: code.map(functions::decode).transpose().map_err(StoreError::from)?,
        stamp: Stamp { version: count(row, "version")?, revision: count(row, "revision")? },
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
        last_used_at: maybe_time(row, "last_used_at")?,
        archived_at: maybe_time(row, "archived_at")?,
        deleted_at: maybe_time(row, "deleted_at")?,
        proposal: None,
    })
}

/// The item of a row, with the content of its column `text`.
pub(super) fn snapshot(row: &Row) -> Result<Snapshot, Failure> {
    Ok(Snapshot { item: item(row)?, content: row.try_get::<_, Option<&str>>("text")?.map(Arc::from) })
}

/// The same, off this thread if the content is long: checking and copying megabytes would hold up the thread's other requests.
pub(super) async fn long_snapshot(row: Row) -> Result<Snapshot, Failure> {
    if maybe_count(&row, "content_bytes")?.is_some_and(|bytes| bytes > PointRead::MAX_BYTES) {
        run_blocking(move || snapshot(&row)).await?
    } else {
        snapshot(&row)
    }
}

/// The fields of an item's row.
pub(super) fn fields(row: &Row) -> Result<Fields, Failure> {
    let arguments: Option<&str> = row.try_get("arguments")?;
    Ok(Fields {
        title: row.try_get::<_, Option<String>>("title")?.map(Title::from_stored),
        description: row.try_get::<_, Option<String>>("description")?.map(Description::from_stored),
        tags: json::decode_tags(row.try_get("tags")?).map_err(StoreError::from)?,
        url: row.try_get::<_, Option<String>>("url")?.map(Url::from_stored),
        name: row.try_get::<_, Option<String>>("name")?.map(PromptName::from_stored),
        arguments: arguments.map(json::decode_arguments).transpose().map_err(StoreError::from)?,
        path: row.try_get::<_, Option<String>>("path")?.map(CodePath::from_stored),
        front_matter: row.try_get::<_, Option<String>>("front_matter")?.map(FrontMatter::from_stored),
    })
}

fn content_info(row: &Row) -> Result<Option<ContentInfo>, Failure> {
    let Some(hash) = row.try_get::<_, Option<&[u8]>>("content_hash")? else { return Ok(None) };
    Ok(Some(ContentInfo {
        characters: count(row, "content_characters")?,
        bytes: count(row, "content_bytes")?,
        lines: count(row, "content_lines")?,
        preview: row.try_get("content_preview")?,
        hash: hash.try_into().map_err(|_| malformed("content_hash"))?,
    }))
}

/// A number that is not negative.
pub(super) fn count(row: &Row, column: &'static str) -> Result<u64, Failure> {
    let stored: i64 = row.try_get(column)?;
    u64::try_from(stored).map_err(|_| malformed(column))
}

/// A number that is not negative, or none.
pub(super) fn maybe_count(row: &Row, column: &'static str) -> Result<Option<u64>, Failure> {
    let stored: Option<i64> = row.try_get(column)?;
    stored.map(u64::try_from).transpose().map_err(|_| malformed(column))
}

/// A time.
pub(super) fn time(row: &Row, column: &'static str) -> Result<Timestamp, Failure> {
    Timestamp::from_microsecond(row.try_get(column)?).map_err(|_| malformed(column))
}

/// A time that may be missing.
pub(super) fn maybe_time(row: &Row, column: &'static str) -> Result<Option<Timestamp>, Failure> {
    let stored: Option<i64> = row.try_get(column)?;
    stored.map(Timestamp::from_microsecond).transpose().map_err(|_| malformed(column))
}

/// An id that may be missing.
pub(super) fn maybe_id<T>(row: &Row, column: &'static str, id: fn(Uuid) -> T) -> Result<Option<T>, Failure> {
    Ok(row.try_get::<_, Option<Uuid>>(column)?.map(id))
}

/// A small structure that is stored as text.
pub(super) fn decoded<'r, S, T, E>(
    row: &'r Row,
    column: &'static str,
    decode: fn(S) -> Result<T, E>,
) -> Result<T, Failure>
where
    S: FromSql<'r>,
    StoreError: From<E>,
{
    Ok(decode(row.try_get(column)?).map_err(StoreError::from)?)
}

fn malformed(column: &'static str) -> Failure {
    Failure::Answer(StoreError::Failed(format!("the column {column} holds what this program never writes")))
}

/// A count as the `bigint` that is stored.
pub(super) fn stored(count: u64) -> Result<i64, Failure> {
    i64::try_from(count).map_err(|_| Failure::Answer(StoreError::Failed(format!("{count} is too large to be stored"))))
}

/// A time as it is stored: in microseconds since 1970.
pub(super) fn micros(time: Option<Timestamp>) -> Option<i64> {
    time.map(Timestamp::as_microsecond)
}
