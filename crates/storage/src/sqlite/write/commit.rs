//! Changes of items: each leaves its item, content, record, event and mark for the search index, together.

use std::borrow::Cow;
use std::sync::Arc;

use interline_items::fields::{CodePath, Description, PromptName, Title, Url};
use interline_items::{ContentWrite, IdempotencyRecord, ItemId, PlanOnNewest, Record, Stamp, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::codec::CodecError;
use crate::codec::undo::{self, UndoChain, UndoRecord};
use crate::sqlite::failure::Failure;
use crate::sqlite::history::records::{self, Event};
use crate::sqlite::items::item_rows;
use crate::sqlite::items::unique;
use crate::sqlite::remembered;
use crate::sqlite::rows;
use crate::sqlite::write::encoded_write::{EncodedBatch, EncodedWrite};
use crate::sqlite::write::group_commit::CommitGroup;

// What differs is asked of SQLite, so that an edit touches the indexes of `updated_at` alone.
const STORED_ITEM: &str = "
    SELECT number, version, revision, chain_bytes, chain_steps,
           title IS ?2 AND description IS ?3 AND url IS ?4 AND name IS ?5 AND arguments IS ?6 AND path IS ?13,
           tags IS ?7,
           archived_at IS ?8 AND deleted_at IS ?9,
           space IS ?10 AND kind IS ?11 AND created_at IS ?12
    FROM items
    WHERE id = ?1";

const TO_PURGE: &str = "SELECT number, version, revision, space, kind FROM items WHERE id = ?1";

/// Takes the content, tags and history along.
const REMOVE: &str = "DELETE FROM items WHERE number = ?1";

/// What is stored of an item before it is changed.
struct StoredItem {
    number: i64,
    stamp: Stamp,
    chain: UndoChain,
    differs: item_rows::Differs,
    /// Whether space, kind and time of creation stay.
    same_item: bool,
}

/// Where a whole copy of a content is made when one is due.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WholeCopies {
    /// Elsewhere: [`Failure::WholeCopyDue`] says for which change, and nothing else is wrong with it.
    Elsewhere,
    /// Here and now.
    Here,
}

/// Carries out a batch, its changes one after the other. After a failure, what was done must be rolled back.
pub(crate) fn write_batch(
    group: &mut CommitGroup<'_>,
    batch: &EncodedBatch,
    whole_copies: WholeCopies,
) -> Result<(), Failure> {
    let connection = group.connection();
    if let Some(answer) = &batch.remember {
        remembered::put(connection, answer)?;
    }
    for (index, encoded) in batch.changes.iter().enumerate() {
        match write_item(group, encoded, whole_copies)? {
            WriteResult::Written => {}
            WriteResult::WholeCopyDue => return Err(Failure::WholeCopyDue(index)),
        }
    }
    Ok(())
}

/// The same, by the name that the table of apps calls.
pub(crate) use self::write_batch as carry_out;

/// What became of a change.
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
    let Some(ChainLink { undo, chain }) = extended(chain, encoded, whole_copies)? else {
        return Ok(WriteResult::WholeCopyDue);
    };
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
        ContentWrite::Set { new, .. } => group.put_content(number, new.clone()),
    }
    let fields = encoded.version.as_ref().map(|version| version.fields.as_str()).filter(|_| new_fields);
    records::put_record(connection, number, encoded, fields, undo.as_deref())?;
    records::put_event(connection, &Event::of_change(encoded))?;
    records::mark_stale(connection, number, after.stamp, encoded.write.record.at)?;
    Ok(WriteResult::Written)
}

/// Carries out what `prepare` makes of the newest state of an item; whether there was something to do.
pub(crate) fn on_newest(group: &mut CommitGroup<'_>, id: ItemId, mut plan: PlanOnNewest) -> Result<bool, Failure> {
    let Some(batch) = plan(group.snapshot(id)?) else { return Ok(false) };
    write_batch(group, &EncodedBatch::encode(batch)?, WholeCopies::Here)?;
    Ok(true)
}

/// Removes an item that is in the state `before`.
pub(crate) fn purge(
    group: &mut CommitGroup<'_>,
    id: ItemId,
    before: Stamp,
    record: &Record,
    remember: Option<&IdempotencyRecord>,
) -> Result<(), Failure> {
    let connection = group.connection();
    if let Some(answer) = remember {
        remembered::put(connection, answer)?;
    }
    let mut statement = connection.prepare_cached(TO_PURGE)?;
    let mut found = statement.query([id.uuid().into_bytes()])?;
    let Some(row) = found.next()? else { return Err(StoreError::Stale(id).into()) };
    let mut columns = rows::Columns::from_row(row);
    let number: i64 = columns.next()?;
    if (Stamp { version: columns.count()?, revision: columns.count()? }) != before {
        return Err(StoreError::Stale(id).into());
    }
    let event = Event::of_purge(id, columns.uuid()?, columns.next()?, before, record);
    drop(found);
    connection.prepare_cached(REMOVE)?.execute([number])?;
    group.drop_content(number);
    records::put_event(connection, &event)?;
    // One more than its last state, so that the search index has not seen it.
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

/// What a change adds to the chain of undo records.
struct ChainLink<'a> {
    /// The record, if the change makes a version.
    undo: Option<Cow<'a, UndoRecord>>,
    /// The chain with it.
    chain: UndoChain,
}

/// What a change adds to a chain; `None` if a whole copy must come first.
fn extended(
    chain: UndoChain,
    encoded: &EncodedWrite,
    whole_copies: WholeCopies,
) -> Result<Option<ChainLink<'_>>, CodecError> {
    let Some(version) = &encoded.version else { return Ok(Some(ChainLink { undo: None, chain })) };
    match (chain.extended(&encoded.write.content, &version.undo), whole_copies) {
        (Some(chain), _) => Ok(Some(ChainLink { undo: Some(Cow::Borrowed(&version.undo)), chain })),
        (None, WholeCopies::Elsewhere) => Ok(None),
        (None, WholeCopies::Here) => {
            let whole = undo::encode_whole(&encoded.write.content)?;
            Ok(Some(ChainLink { undo: Some(Cow::Owned(whole)), chain: UndoChain::default() }))
        }
    }
}
