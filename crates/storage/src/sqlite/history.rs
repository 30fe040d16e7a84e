//! What a change leaves beside the item: a record, an event, and a mark for the search index.

use interline_items::{EventKind, ItemId, Record, Stamp, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use super::failure::Failure;
use super::jobs::{JobsForChange, enqueue};
use super::prepared::Prepared;
use crate::codec::json;
use crate::codec::undo::Undo;

const INSERT_RECORD: &str = "
    INSERT INTO versions (
        item, stamp_version, stamp_revision, version, action, changed_fields, at, source, user, token,
        content_characters, content_bytes, fields, undo_kind, undo
    ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

const NEXT_EVENT: &str = "UPDATE spaces SET last_event = last_event + 1 WHERE id = ?1 RETURNING last_event";

const INSERT_EVENT: &str = "
    INSERT INTO events (space, number, event, item, kind, version, changed_fields, source, at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

// The mark counts the states of the item, so that the index can tell whether it has seen the last one.
const MARK_STALE: &str = "
    INSERT INTO stale_items (item, mark, changed_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (item) DO UPDATE SET mark = excluded.mark, changed_at = excluded.changed_at";

/// Something that happened, without its number.
pub(super) struct Event {
    space: Uuid,
    name: &'static str,
    item: ItemId,
    kind: String,
    version: u64,
    changed_fields: String,
    source: &'static str,
    at: i64,
    asks_for_enrichment: bool,
}

impl Event {
    /// What a change is for those who listen.
    pub(super) fn of_change(prepared: &Prepared) -> Event {
        let (item, record) = (&prepared.write.after, &prepared.write.record);
        Event {
            space: item.space.uuid(),
            name: EventKind::from(record.action).name(),
            item: item.id,
            kind: item.kind.name().to_owned(),
            version: item.stamp.version,
            changed_fields: prepared.changed_fields.clone(),
            source: record.source.name(),
            at: record.at.as_microsecond(),
            asks_for_enrichment: prepared.write.asks_for_enrichment(),
        }
    }

    /// The end of an item.
    pub(super) fn of_purge(item: ItemId, space: Uuid, kind: String, last: Stamp, record: &Record) -> Event {
        Event {
            space,
            name: EventKind::Purged.name(),
            item,
            kind,
            version: last.version,
            changed_fields: json::of_words(record.changed_fields.iter().copied()),
            source: record.source.name(),
            at: record.at.as_microsecond(),
            asks_for_enrichment: false,
        }
    }
}

/// Adds a change to the history of its item; with `undo`, it makes a version, and `fields` are those that differ.
pub(super) fn put_record(
    connection: &Connection,
    number: i64,
    prepared: &Prepared,
    fields: Option<&str>,
    undo: Option<&Undo>,
) -> Result<(), Failure> {
    let (item, record) = (&prepared.write.after, &prepared.write.record);
    connection.prepare_cached(INSERT_RECORD)?.execute(params![
        number,
        item.stamp.version.cast_signed(),
        item.stamp.revision.cast_signed(),
        undo.map(|_| item.stamp.version.cast_signed()),
        record.action.name(),
        prepared.changed_fields,
        record.at.as_microsecond(),
        record.source.name(),
        record.user.uuid().into_bytes(),
        record.token.map(|token| token.uuid().into_bytes()),
        item.content.as_ref().map(|content| content.characters.cast_signed()),
        item.content.as_ref().map(|content| content.bytes.cast_signed()),
        fields,
        undo.map(|undo| undo.kind as i64),
        undo.map(|undo| undo.bytes.as_slice()),
    ])?;
    Ok(())
}

/// Gives an event the next number of its space, and leaves what follows from it to be done.
pub(super) fn put_event(connection: &Connection, event: &Event) -> Result<(), Failure> {
    let space = event.space.into_bytes();
    let number: Option<i64> = connection.prepare_cached(NEXT_EVENT)?.query_row([space], |row| row.get(0)).optional()?;
    let number = number.ok_or_else(|| StoreError::Failed(format!("there is no space {}", event.space)))?;
    connection.prepare_cached(INSERT_EVENT)?.execute(params![
        space,
        number,
        event.name,
        event.item.uuid().into_bytes(),
        event.kind,
        event.version.cast_signed(),
        event.changed_fields,
        event.source,
        event.at,
    ])?;
    let item_to_enrich = event.asks_for_enrichment.then(|| event.item.uuid());
    enqueue(connection, &JobsForChange { space: event.space, event: number, at: event.at, item_to_enrich })
}

/// Notes that the search index does not know an item in this state.
pub(super) fn mark_stale(connection: &Connection, number: i64, stamp: Stamp, at: Timestamp) -> Result<(), Failure> {
    let mark = (stamp.version + stamp.revision).cast_signed();
    connection.prepare_cached(MARK_STALE)?.execute([number, mark, at.as_microsecond()])?;
    Ok(())
}
