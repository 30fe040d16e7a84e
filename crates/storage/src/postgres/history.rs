//! What a change leaves behind besides the item: a record, an event, and a mark for the search index.

use deadpool_postgres::Transaction;
use interline_items::{EventKind, ItemId, ItemWrite, Record, Stamp, TokenId};
use jiff::Timestamp;
use uuid::Uuid;

use super::commit::{Known, Purge};
use super::failure::Failure;
use super::jobs::{JobsForChange, enqueue};
use super::rows::stored;
use super::work::CommitProof;
use crate::codec::json;
use crate::codec::undo::Undo;

const PUT_RECORD: &str = "
    INSERT INTO versions (
        item, stamp_version, stamp_revision, version, action, changed_fields, at, source, \"user\", token,
        content_characters, content_bytes, fields, undo_kind, undo
    ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";

const MARK_STALE: &str = "
    INSERT INTO stale_items (item, mark, changed_at) VALUES ($1, $2, $3)
    ON CONFLICT (item) DO UPDATE SET mark = excluded.mark, changed_at = excluded.changed_at";

/// The counter's row stays locked until the commit, so that numbers are in the order of commits.
const PUT_EVENT: &str = "
    WITH counter AS (
        UPDATE spaces SET last_event = last_event + 1 WHERE id = $1 RETURNING last_event
    )
    INSERT INTO events (space, number, event, item, kind, version, changed_fields, source, at)
    SELECT $1, last_event, $2, $3, $4, $5, $6, $7, $8 FROM counter
    RETURNING number,
        EXISTS (SELECT FROM webhooks WHERE webhooks.space = $1 AND stopped_at IS NULL) AS is_told,
        EXISTS (SELECT FROM tasks_done WHERE task = 'enrich' AND until > $8) AS is_enriched";

/// An event that has no number yet.
pub(super) struct Event {
    pub(super) space: Uuid,
    event: &'static str,
    item: Uuid,
    kind: String,
    version: i64,
    changed_fields: String,
    source: &'static str,
    at: i64,
    asks_for_enrichment: bool,
}

impl Event {
    pub(super) fn of_write(write: &ItemWrite) -> Result<Event, Failure> {
        let item = &write.after;
        let event = Event::new(
            EventKind::from(write.record.action).name(),
            item.id,
            item.space.uuid(),
            item.kind.name(),
            item.stamp,
            &write.record,
        )?;
        Ok(Event { asks_for_enrichment: write.asks_for_enrichment(), ..event })
    }

    pub(super) fn of_purge(purge: &Purge, known: &Known) -> Result<Event, Failure> {
        Event::new(EventKind::Purged.name(), purge.id, known.space, &known.kind, purge.before, &purge.record)
    }

    fn new(
        event: &'static str,
        item: ItemId,
        space: Uuid,
        kind: &str,
        stamp: Stamp,
        record: &Record,
    ) -> Result<Event, Failure> {
        Ok(Event {
            space,
            event,
            item: item.uuid(),
            kind: kind.to_owned(),
            version: stored(stamp.version)?,
            changed_fields: json::of_words(record.changed_fields.iter().copied()),
            source: record.source.name(),
            at: record.at.as_microsecond(),
            asks_for_enrichment: false,
        })
    }
}

/// Writes the record of a change; with `undo`, it makes a version, which keeps the fields that are not as before.
pub(super) async fn put_record(
    transaction: &Transaction<'_>,
    write: &ItemWrite,
    before: Option<&Known>,
    undo: Option<&Undo>,
) -> Result<(), Failure> {
    let (item, record) = (&write.after, &write.record);
    let version = stored(item.stamp.version)?;
    let new_fields = before.is_none_or(|known| known.fields != item.fields);
    let content = item.content.as_ref();
    let statement = transaction.prepare_cached(PUT_RECORD).await?;
    transaction
        .execute(
            &statement,
            &[
                &item.id.uuid(),
                &version,
                &stored(item.stamp.revision)?,
                &undo.is_some().then_some(version),
                &record.action.name(),
                &json::of_words(record.changed_fields.iter().copied()),
                &record.at.as_microsecond(),
                &record.source.name(),
                &record.user.uuid(),
                &record.token.map(TokenId::uuid),
                &content.map(|content| stored(content.characters)).transpose()?,
                &content.map(|content| stored(content.bytes)).transpose()?,
                &(undo.is_some() && new_fields).then(|| json::of_fields(&item.fields)),
                &undo.map(|undo| undo.kind as i64),
                &undo.map(|undo| undo.bytes.as_slice()),
            ],
        )
        .await?;
    Ok(())
}

/// Marks that the search index does not know an item as it is after `changes` changes of it.
pub(super) async fn mark_stale(
    transaction: &Transaction<'_>,
    id: ItemId,
    changes: u64,
    at: Timestamp,
) -> Result<(), Failure> {
    let statement = transaction.prepare_cached(MARK_STALE).await?;
    transaction.execute(&statement, &[&id.uuid(), &stored(changes)?, &at.as_microsecond()]).await?;
    Ok(())
}

/// How many changes have led to a state.
pub(super) fn changes(stamp: Stamp) -> u64 {
    stamp.version + stamp.revision
}

/// Gives an event the next number of its space, and leaves what follows from it to be done.
pub(super) async fn put_event(transaction: &Transaction<'_>, event: &Event) -> Result<CommitProof, Failure> {
    let Event { space, item, at, .. } = *event;
    let statement = transaction.prepare_cached(PUT_EVENT).await?;
    let row = transaction
        .query_one(
            &statement,
            &[&space, &event.event, &item, &event.kind, &event.version, &event.changed_fields, &event.source, &at],
        )
        .await?;
    let number = row.try_get("number")?;
    let is_enriched: bool = row.try_get("is_enriched")?;
    let item_to_enrich = (event.asks_for_enrichment && is_enriched).then_some(item);
    enqueue(
        transaction,
        &JobsForChange { space, event: number, at, has_webhooks: row.try_get("is_told")?, item_to_enrich },
    )
    .await?;
    Ok(CommitProof::Event { space, number, item, at })
}
