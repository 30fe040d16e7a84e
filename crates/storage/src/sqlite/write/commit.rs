//! Commits of batches: each change writes its item, content, history record, event and stale mark of the search index
//! in one transaction.

use std::borrow::Cow;
use std::sync::Arc;

use interline_items::fields::{CodePath, Description, FrontMatter, PromptName, Title, Url};
use interline_items::{ContentWrite, IdempotencyRecord, ItemId, PlanOnNewest, Record, Stamp, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::codec::CodecError;
use crate::codec::undo::{self, UndoChain, UndoRecord};
use crate::new_event::NewEvent;
use crate::sqlite::failure::Failure;
use crate::sqlite::history::records;
use crate::sqlite::items::item_rows;
use crate::sqlite::items::unique;
use crate::sqlite::rows;
use crate::sqlite::sql::poll_once;
use crate::sqlite::write::encoded_write::{EncodedBatch, EncodedWrite};
use crate::sqlite::write::group_commit::CommitGroup;
use crate::tables::{changed_items, idempotency, import_sources, proposals, purged_changes};

// SQLite compares what differs, so that an edit touches the indexes of `updated_at` alone.
const STORED_ITEM: &str = "
    SELECT number, version, revision, chain_bytes, chain_steps,
           title IS ?2 AND description IS ?3 AND url IS ?4 AND name IS ?5 AND arguments IS ?6 AND path IS ?13
               AND front_matter IS ?14,
           tags IS ?7,
           archived_at IS ?8 AND deleted_at IS ?9,
           space IS ?10 AND kind IS ?11 AND created_at IS ?12
    FROM items
    WHERE id = ?1";

const TO_PURGE: &str = "SELECT number, version, revision, space, kind FROM items WHERE id = ?1";

/// Cascades to the content, tags and history.
const REMOVE: &str = "DELETE FROM items WHERE number = ?1";

/// The state of an item in the table before a change.
struct StoredItem {
    number: i64,
    stamp: Stamp,
    chain: UndoChain,
    differs: item_rows::Differs,
    /// Whether space, kind and time of creation stay the same.
    same_item: bool,
}

/// Where the whole copy of a content is compressed when the undo chain is too long.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WholeCopies {
    /// Outside the writer thread: [`Failure::WholeCopyDue`] says for which write, and nothing else is wrong with it.
    Elsewhere,
    /// On the writer thread, at once.
    Here,
}

/// Writes a batch, its writes one after the other. After a failure the caller must roll back.
pub(crate) fn write_batch(
    group: &mut CommitGroup<'_>,
    batch: &EncodedBatch,
    whole_copies: WholeCopies,
) -> Result<(), Failure> {
    let connection = group.connection();
    if let Some(record) = &batch.idempotency {
        poll_once(idempotency::put(connection, record))?;
    }
    for (index, encoded) in batch.writes.iter().enumerate() {
        match write_item(group, encoded, whole_copies)? {
            WriteResult::Written => {}
            WriteResult::WholeCopyDue => return Err(Failure::WholeCopyDue(index)),
        }
    }
    let connection = group.connection();
    poll_once(import_sources::put(connection, &batch.imports))?;
    poll_once(changed_items::decide(connection, &batch.decisions))?;
    poll_once(proposals::write(connection, &batch.proposals))?;
    for announcement in &batch.announcements {
        records::put_event(connection, &NewEvent::from_announcement(announcement))?;
    }
    Ok(())
}

/// The result of one write.
enum WriteResult {
    Written,
    WholeCopyDue,
}

fn write_item(
    group: &mut CommitGroup<'_>,
    encoded: &EncodedWrite,
    whole_copies: WholeCopies,
) -> Result<WriteResult, Failure> {
    let connection = group.connection();
    let after = &encoded.write.after;
    let stored = stored_item(connection, encoded)?;
    if stored.as_ref().map(|stored| stored.stamp) != encoded.write.before {
        return Err(StoreError::Stale(after.id).into());
    }
    if stored.as_ref().is_some_and(|stored| !stored.same_item) {
        return Err(StoreError::Failed(format!("a change would make item {} another one", after.id)).into());
    }
    let new_fields = stored.as_ref().is_none_or(|stored| stored.differs.fields || stored.differs.tags);
    let chain = stored.as_ref().map_or(UndoChain::default(), |stored| stored.chain);
    let Some(ChainLink { mut undo, chain }) = extended(chain, encoded, whole_copies)? else {
        return Ok(WriteResult::WholeCopyDue);
    };
    if let (ContentWrite::Repair { .. }, Some(stored)) = (&encoded.write.content, &stored) {
        records::keep_hash(connection, stored.number)?;
        if let Some(old) = group.readable_content(stored.number)? {
            undo = undo.and(Some(Cow::Owned(undo::encode_damaged(&old)?)));
        }
    }
    let put = match &stored {
        None => item_rows::insert(connection, encoded),
        Some(stored) => {
            item_rows::update(connection, stored.number, encoded, stored.differs, chain).map(|()| stored.number)
        }
    };
    let number = put.map_err(|failure| unique::explain(connection, after, failure))?;
    match &encoded.write.content {
        ContentWrite::Keep => {}
        ContentWrite::Edit { new, .. } => group.put_content(number, Some(Arc::clone(new))),
        ContentWrite::Set { old: None, new: None } => {}
        ContentWrite::Set { new, .. } | ContentWrite::Repair { new } => group.put_content(number, new.clone()),
    }
    let fields = encoded.version.as_ref().map(|version| version.fields.as_str()).filter(|_| new_fields);
    records::put_record(connection, number, encoded, fields, undo.as_deref())?;
    let record = &encoded.write.record;
    if record.is_event() {
        records::put_event(connection, &NewEvent::from_write(&encoded.write, encoded.changed_fields.clone()))?;
    }
    records::mark_stale(connection, number, after.stamp, record.event_time())?;
    Ok(WriteResult::Written)
}

/// Writes what `plan` makes of the newest state of an item; whether there was something to write.
pub(crate) fn on_newest(group: &mut CommitGroup<'_>, id: ItemId, mut plan: PlanOnNewest) -> Result<bool, Failure> {
    let Some(batch) = plan(group.snapshot(id)?) else { return Ok(false) };
    write_batch(group, &EncodedBatch::encode(batch)?, WholeCopies::Here)?;
    Ok(true)
}

/// Removes an item whose stamp is `before`.
pub(crate) fn purge(
    group: &mut CommitGroup<'_>,
    id: ItemId,
    before: Stamp,
    record: &Record,
    idempotency: Option<&IdempotencyRecord>,
) -> Result<(), Failure> {
    let connection = group.connection();
    if let Some(record) = idempotency {
        poll_once(idempotency::put(connection, record))?;
    }
    let mut statement = connection.prepare_cached(TO_PURGE)?;
    let mut found = statement.query([id.uuid().into_bytes()])?;
    let Some(row) = found.next()? else { return Err(StoreError::Stale(id).into()) };
    let mut columns = rows::Columns::from_row(row);
    let number: i64 = columns.next()?;
    if (Stamp { version: columns.count()?, revision: columns.count()? }) != before {
        return Err(StoreError::Stale(id).into());
    }
    let event = NewEvent::for_purge(id, columns.uuid()?, columns.next()?, before, record);
    drop(found);
    poll_once(purged_changes::leave(connection, id, record.at))?;
    poll_once(proposals::purge_item(connection, id))?;
    connection.prepare_cached(REMOVE)?.execute([number])?;
    group.drop_content(number);
    records::put_event(connection, &event)?;
    // One more than the mark of its last state, so that the index does not count as up to date.
    records::mark_stale(connection, number, Stamp { revision: before.revision + 1, ..before }, record.at)
}

fn stored_item(connection: &Connection, encoded: &EncodedWrite) -> Result<Option<StoredItem>, Failure> {
    let after = &encoded.write.after;
    let fields = &after.fields;
    let mut statement = connection.prepare_cached(STORED_ITEM)?;
    let found = statement.query_row(
        params![
            after.id.uuid().into_bytes(),
            fields.title.as_ref().map(Title::as_str),
            fields.description.as_ref().map(Description::as_str),
            fields.url.as_ref().map(Url::as_str),
            fields.name.as_ref().map(PromptName::as_str),
            encoded.arguments,
            encoded.tags,
            after.archived_at.map(Timestamp::as_microsecond),
            after.deleted_at.map(Timestamp::as_microsecond),
            after.space.uuid().into_bytes(),
            after.kind.name(),
            after.created_at.as_microsecond(),
            fields.path.as_ref().map(CodePath::as_str),
            fields.front_matter.as_ref().map(FrontMatter::as_str),
        ],
        |row| {
            Ok(StoredItem {
                number: row.get(0)?,
                stamp: Stamp {
                    version: row.get::<_, i64>(1)?.cast_unsigned(),
                    revision: row.get::<_, i64>(2)?.cast_unsigned(),
                },
                chain: UndoChain { bytes: row.get::<_, i64>(3)?.cast_unsigned(), steps: row.get(4)? },
                differs: item_rows::Differs {
                    fields: !row.get::<_, bool>(5)?,
                    tags: !row.get::<_, bool>(6)?,
                    life: !row.get::<_, bool>(7)?,
                },
                same_item: row.get(8)?,
            })
        },
    );
    Ok(found.optional()?)
}

/// What a write adds to the chain of undo records of its item.
struct ChainLink<'a> {
    /// The undo record, if the write makes a version.
    undo: Option<Cow<'a, UndoRecord>>,
    /// The chain with it.
    chain: UndoChain,
}

/// What a write adds to a chain; `None` if a whole copy must be made elsewhere first.
fn extended(
    chain: UndoChain,
    encoded: &EncodedWrite,
    whole_copies: WholeCopies,
) -> Result<Option<ChainLink<'_>>, CodecError> {
    let Some(version) = &encoded.version else { return Ok(Some(ChainLink { undo: None, chain })) };
    let content = &encoded.write.content;
    let (undo, chain) = match whole_copies {
        WholeCopies::Elsewhere => match chain.extended(content, &version.undo) {
            Some(longer) => (Cow::Borrowed(&version.undo), longer),
            None => return Ok(None),
        },
        WholeCopies::Here => chain.extended_or_restarted(content, &version.undo)?,
    };
    Ok(Some(ChainLink { undo: Some(undo), chain }))
}
