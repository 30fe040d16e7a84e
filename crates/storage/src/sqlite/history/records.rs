//! The rows that a change leaves beside its item: a history record, an event, and a mark that the search index is stale.

use interline_items::{Attribution, Reason, Stamp, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use crate::codec::undo::UndoRecord;
use crate::codec::{json, names, proposals};
use crate::new_event::{NewEvent, work_time};
use crate::sqlite::failure::Failure;
use crate::sqlite::jobs::{JobsForChange, enqueue};
use crate::sqlite::write::encoded_write::EncodedWrite;
use crate::tables::changed_items;

const INSERT_RECORD: &str = "
    INSERT INTO versions (
        item, stamp_version, stamp_revision, version, action, changed_fields, at, source, user, token,
        content_characters, content_bytes, fields, undo_kind, undo, content_hash, imported_from,
        merged_base, change_set, client_name, client_version, reason, author, undoes, lines_added, lines_removed,
        accepted
    ) VALUES (
        ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
        ?25, ?26, ?27
    )";

/// A record that nobody has looked at makes its item so in the set, whatever was decided before it.
const PUT_CHANGED_ITEM: &str = "
    INSERT INTO changed_items (space, set_begun, change_set, item, part, user, token, client_name, author, review)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    ON CONFLICT DO UPDATE SET author = excluded.author, review = excluded.review
    WHERE excluded.review IS NOT NULL AND review IS NOT excluded.review";

/// For the version of an item that is about to be repaired: an older program has left its hash with the item alone.
const KEEP_HASH: &str = "
    UPDATE versions SET content_hash = (SELECT content_hash FROM items WHERE number = ?1)
    WHERE item = ?1 AND content_hash IS NULL AND version = (SELECT version FROM items WHERE number = ?1)";

const NEXT_EVENT: &str = "UPDATE spaces SET last_event = last_event + 1 WHERE id = ?1 RETURNING last_event";

const INSERT_EVENT: &str = "
    INSERT INTO events (
        space, number, event, item, kind, version, changed_fields, source, at, user, token, client_name, client_version, reason, change_set
    )
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

// The mark counts the states of the item, so that the indexer can tell whether it has indexed the last one.
const MARK_STALE: &str = "
    INSERT INTO stale_items (item, mark, changed_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (item) DO UPDATE SET mark = excluded.mark, changed_at = excluded.changed_at";

/// Adds the record of a change to the history of its item. With `undo` the change makes a version; `fields` are stored
/// where they differ from the version before.
pub(crate) fn put_record(
    connection: &Connection,
    number: i64,
    encoded: &EncodedWrite,
    fields: Option<&str>,
    undo: Option<&UndoRecord>,
) -> Result<(), Failure> {
    let (item, record) = (&encoded.write.after, &encoded.write.record);
    let Attribution { client, reason, author, change_set } = &record.attribution;
    connection.prepare_cached(INSERT_RECORD)?.execute(params![
        number,
        item.stamp.version.cast_signed(),
        item.stamp.revision.cast_signed(),
        undo.map(|_| item.stamp.version.cast_signed()),
        record.action.name(),
        encoded.changed_fields,
        record.at.as_microsecond(),
        record.source.name(),
        record.user.uuid().into_bytes(),
        record.token.map(|token| token.uuid().into_bytes()),
        item.content.as_ref().map(|content| content.characters.cast_signed()),
        item.content.as_ref().map(|content| content.bytes.cast_signed()),
        fields,
        undo.map(|undo| undo.kind as i64),
        undo.map(|undo| undo.bytes.as_slice()),
        undo.and(item.content.as_ref()).map(|content| content.hash),
        json::encode_imported_from(record),
        record.merged_base.map(u64::cast_signed),
        change_set.id.uuid().into_bytes(),
        client.name(),
        client.version(),
        reason.as_ref().map(Reason::as_str),
        names::stored_author(*author),
        record.undoes.map(|set| set.uuid().into_bytes()),
        record.lines.map(|lines| lines.added.cast_signed()),
        record.lines.map(|lines| lines.removed.cast_signed()),
        proposals::encode_accepted(record),
    ])?;
    connection.prepare_cached(PUT_CHANGED_ITEM)?.execute(params![
        item.space.uuid().into_bytes(),
        change_set.begun_at.as_microsecond(),
        change_set.id.uuid().into_bytes(),
        number,
        changed_items::part(item.stamp).cast_signed(),
        record.user.uuid().into_bytes(),
        record.token.map(|token| token.uuid().into_bytes()),
        client.name(),
        names::stored_author(*author),
        names::stored_initial_review(record),
    ])?;
    Ok(())
}

/// Keeps the hash of a damaged content with its version.
pub(crate) fn keep_hash(connection: &Connection, number: i64) -> Result<(), Failure> {
    connection.prepare_cached(KEEP_HASH)?.execute([number])?;
    Ok(())
}

/// Gives an event the next number of its space, and enqueues the jobs that follow from it.
pub(crate) fn put_event(connection: &Connection, event: &NewEvent<'_>) -> Result<(), Failure> {
    let author = &event.author;
    let space = event.space.into_bytes();
    let number: Option<i64> = connection.prepare_cached(NEXT_EVENT)?.query_row([space], |row| row.get(0)).optional()?;
    let number = number.ok_or_else(|| StoreError::Failed(format!("there is no space {}", event.space)))?;
    connection.prepare_cached(INSERT_EVENT)?.execute(params![
        space,
        number,
        event.name,
        event.subject.into_bytes(),
        event.kind,
        event.version.cast_signed(),
        event.changed_fields,
        event.source,
        event.at,
        author.user.into_bytes(),
        author.token.map(Uuid::into_bytes),
        author.client.name(),
        author.client.version(),
        author.reason,
        author.change_set.into_bytes(),
    ])?;
    let item_to_enrich = event.asks_for_enrichment.then_some(event.subject);
    let (space, user, at) = (event.space, author.user, work_time(event.at));
    enqueue(connection, &JobsForChange { space, event: number, at, user, item_to_enrich })
}

/// Marks an item as stale: the search index does not have it in the state of this stamp.
pub(crate) fn mark_stale(connection: &Connection, number: i64, stamp: Stamp, at: Timestamp) -> Result<(), Failure> {
    let mark = (stamp.version + stamp.revision).cast_signed();
    connection.prepare_cached(MARK_STALE)?.execute([number, mark, work_time(at.as_microsecond())])?;
    Ok(())
}
