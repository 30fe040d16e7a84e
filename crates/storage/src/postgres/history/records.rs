//! The rows that a change leaves beside its item: a history record, an event, and a mark that the search index is stale.

use deadpool_postgres::Transaction;
use interline_items::{Attribution, ChangeSetId, ItemId, ItemWrite, Reason, Stamp, TokenId};
use jiff::Timestamp;

use crate::codec::undo::UndoRecord;
use crate::codec::{json, names, proposals};
use crate::new_event::{NewEvent, work_time};
use crate::postgres::failure::Failure;
use crate::postgres::jobs::{JobsForChange, enqueue};
use crate::postgres::rows::stored;
use crate::postgres::write::commit::LockedItem;
use crate::postgres::write::transaction_retry::CommitProof;
use crate::tables::changed_items;

/// The record, and the row of its set and item where it is the first of them. `$27` and `$28` are the space and the beginning
/// of the set.
macro_rules! put_record {
    ($late:literal) => {
        concat!(
            "WITH changed AS (
                 INSERT INTO changed_items (
                     space, set_begun, change_set, item, part, \"user\", token, client_name, author, review
                 )
                 VALUES ($27, $28, $19, $1, $29, $9, $10, $20, $23, $30)
                 ON CONFLICT DO NOTHING
             )",
            $late,
            " INSERT INTO versions (
        item, stamp_version, stamp_revision, version, action, changed_fields, at, source, \"user\", token,
        content_characters, content_bytes, fields, undo_kind, undo, content_hash, imported_from,
        merged_base, change_set, client_name, client_version, reason, author, undoes, lines_added, lines_removed,
        accepted
    ) VALUES (
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
        $25, $26, $31
    )"
        )
    };
}

const PUT_RECORD: &str = put_record!("");

/// A record that nobody has looked at makes its item so in the set, whatever was decided before it. Not by
/// `ON CONFLICT DO UPDATE`, which would lock the row, and that is a write.
const PUT_UNREVIEWED_RECORD: &str = put_record!(
    ", late AS (
         UPDATE changed_items SET author = $23, review = $30
         WHERE space = $27 AND set_begun = $28 AND change_set = $19 AND item = $1 AND part = $29
           AND review IS DISTINCT FROM $30
     )"
);

/// For the version of an item that is about to be repaired: an older program has left its hash with the item alone.
const KEEP_HASH: &str = "
    UPDATE versions SET content_hash = items.content_hash FROM items
    WHERE items.id = $1 AND versions.item = $1 AND versions.content_hash IS NULL AND versions.version = items.version";

const MARK_STALE: &str = "
    INSERT INTO stale_items (item, mark, changed_at) VALUES ($1, $2, $3)
    ON CONFLICT (item) DO UPDATE SET mark = excluded.mark, changed_at = excluded.changed_at";

/// The counter's row stays locked until the commit, so that numbers are in the order of commits.
const PUT_EVENT: &str = "
    WITH counter AS (
        UPDATE spaces SET last_event = last_event + 1 WHERE id = $1 RETURNING last_event
    )
    INSERT INTO events (
        space, number, event, item, kind, version, changed_fields, source, at, \"user\", token, client_name, client_version,
        reason, change_set
    )
    SELECT $1, last_event, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 FROM counter
    RETURNING number,
        EXISTS (SELECT FROM webhooks WHERE webhooks.space = $1 AND stopped_at IS NULL) AS has_webhooks,
        EXISTS (SELECT FROM tasks_done WHERE task = 'enrich' AND until > $8) AS is_enriching";

/// Adds the record of a change to the history of its item. With `undo` the change makes a version, which stores the
/// fields where they differ from the version before.
pub(crate) async fn put_record(
    transaction: &Transaction<'_>,
    write: &ItemWrite,
    before: Option<&LockedItem>,
    undo: Option<&UndoRecord>,
) -> Result<(), Failure> {
    let (item, record) = (&write.after, &write.record);
    let Attribution { client, reason, author, change_set } = &record.attribution;
    let version = stored(item.stamp.version)?;
    let new_fields = before.is_none_or(|locked| locked.fields != item.fields);
    let content = item.content.as_ref();
    let review = names::stored_initial_review(record);
    let statement = transaction.prepare_cached(review.map_or(PUT_RECORD, |_| PUT_UNREVIEWED_RECORD)).await?;
    transaction
        .execute(
            &statement,
            &[
                &item.id.uuid(),
                &version,
                &stored(item.stamp.revision)?,
                &undo.is_some().then_some(version),
                &record.action.name(),
                &json::encode_strings(record.changed_fields.iter().copied()),
                &record.at.as_microsecond(),
                &record.source.name(),
                &record.user.uuid(),
                &record.token.map(TokenId::uuid),
                &content.map(|content| stored(content.characters)).transpose()?,
                &content.map(|content| stored(content.bytes)).transpose()?,
                &(undo.is_some() && new_fields).then(|| json::encode_fields(&item.fields)),
                &undo.map(|undo| undo.kind as i64),
                &undo.map(|undo| undo.bytes.as_slice()),
                &undo.and(content).map(|content| content.hash.as_slice()),
                &json::encode_imported_from(record),
                &record.merged_base.map(stored).transpose()?,
                &change_set.id.uuid(),
                &client.name(),
                &client.version(),
                &reason.as_ref().map(Reason::as_str),
                &names::stored_author(*author),
                &record.undoes.map(ChangeSetId::uuid),
                &record.lines.map(|lines| stored(lines.added)).transpose()?,
                &record.lines.map(|lines| stored(lines.removed)).transpose()?,
                &item.space.uuid(),
                &change_set.begun_at.as_microsecond(),
                &stored(changed_items::part(item.stamp))?,
                &review,
                &proposals::encode_accepted(record),
            ],
        )
        .await?;
    Ok(())
}

/// Keeps the hash of a damaged content with its version.
pub(crate) async fn keep_hash(transaction: &Transaction<'_>, id: ItemId) -> Result<(), Failure> {
    let statement = transaction.prepare_cached(KEEP_HASH).await?;
    transaction.execute(&statement, &[&id.uuid()]).await?;
    Ok(())
}

/// Marks an item as stale: the search index does not have it in its state after so many changes.
pub(crate) async fn mark_stale(
    transaction: &Transaction<'_>,
    id: ItemId,
    changes: u64,
    at: Timestamp,
) -> Result<(), Failure> {
    let statement = transaction.prepare_cached(MARK_STALE).await?;
    transaction.execute(&statement, &[&id.uuid(), &stored(changes)?, &work_time(at.as_microsecond())]).await?;
    Ok(())
}

/// How many changes have led to the state of a stamp.
pub(crate) fn changes(stamp: Stamp) -> u64 {
    stamp.version + stamp.revision
}

/// Gives an event the next number of its space, and enqueues the jobs that follow from it.
pub(crate) async fn put_event(transaction: &Transaction<'_>, event: &NewEvent<'_>) -> Result<CommitProof, Failure> {
    let NewEvent { space, subject: item, at, author, .. } = *event;
    let statement = transaction.prepare_cached(PUT_EVENT).await?;
    let row = transaction
        .query_one(
            &statement,
            &[
                &space,
                &event.name,
                &item,
                &event.kind,
                &stored(event.version)?,
                &event.changed_fields,
                &event.source,
                &at,
                &author.user,
                &author.token,
                &author.client.name(),
                &author.client.version(),
                &author.reason,
                &author.change_set,
            ],
        )
        .await?;
    let number = row.try_get("number")?;
    let is_enriching: bool = row.try_get("is_enriching")?;
    let item_to_enrich = (event.asks_for_enrichment && is_enriching).then_some(item);
    let has_webhooks = row.try_get("has_webhooks")?;
    let due = work_time(at);
    let jobs = JobsForChange { space, event: number, at: due, has_webhooks, user: author.user, item_to_enrich };
    enqueue(transaction, &jobs).await?;
    Ok(CommitProof::Event { space, number, item, at })
}
