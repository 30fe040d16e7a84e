//! Changes of items: each leaves its item, content, record, event and mark for the search index, together.

use std::borrow::Cow;
use std::sync::Arc;

use interline_items::fields::{CodePath, Description, PromptName, Title, Url};
use interline_items::{ContentWrite, IdempotencyRecord, ItemId, PlanOnNewest, Record, Stamp, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::failure::Failure;
use super::group::Group;
use super::history::{self, Event};
use super::prepared::{Prepared, PreparedBatch};
use super::sql::poll_once;
use super::{item, rows, unique};
use crate::codec::CodecError;
use crate::codec::undo::{self, Chain, Undo};
use crate::tables::idempotency;

// What differs is asked of SQLite, so that an edit touches the indexes of `updated_at` alone.
const KNOWN: &str = "
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

/// What is known of an item before it is changed.
struct Known {
    number: i64,
    stamp: Stamp,
    chain: Chain,
    differs: item::Differs,
    /// Whether space, kind and time of creation stay.
    same_item: bool,
}

/// Where a whole copy of a content is made when one is due.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WholeCopies {
    /// Elsewhere: [`Failure::WholeCopyDue`] says for which change, and nothing else is wrong with it.
    Elsewhere,
    /// Here and now.
    Here,
}

/// Carries out a batch, its changes one after the other. After a failure, what was done must be rolled back.
pub(super) fn carry_out(
    group: &mut Group<'_>,
    batch: &PreparedBatch,
    whole_copies: WholeCopies,
) -> Result<(), Failure> {
    let connection = group.connection();
    if let Some(answer) = &batch.remember {
        poll_once(idempotency::put(connection, answer))?;
    }
    for (index, prepared) in batch.changes.iter().enumerate() {
        match change(group, prepared, whole_copies)? {
            Done::Written => {}
            Done::WholeCopyDue => return Err(Failure::WholeCopyDue(index)),
        }
    }
    Ok(())
}

/// What became of a change.
enum Done {
    Written,
    WholeCopyDue,
}

fn change(group: &mut Group<'_>, prepared: &Prepared, whole_copies: WholeCopies) -> Result<Done, Failure> {
    let connection = group.connection();
    let after = &prepared.write.after;
    let known = known(connection, prepared)?;
    if known.as_ref().map(|known| known.stamp) != prepared.write.before {
        return Err(StoreError::Stale(after.id).into());
    }
    if known.as_ref().is_some_and(|known| !known.same_item) {
        return Err(StoreError::Failed(format!("a change would make item {} another one", after.id)).into());
    }
    let new_fields = known.as_ref().is_none_or(|known| known.differs.fields || known.differs.tags);
    let chain = known.as_ref().map_or(Chain::default(), |known| known.chain);
    let Some(Link { undo, chain }) = extended(chain, prepared, whole_copies)? else { return Ok(Done::WholeCopyDue) };
    let put = match &known {
        None => item::insert(connection, prepared),
        Some(known) => item::update(connection, known.number, prepared, known.differs, chain).map(|()| known.number),
    };
    let number = put.map_err(|failure| unique::explain(connection, after, failure))?;
    match &prepared.write.content {
        ContentWrite::Keep => {}
        ContentWrite::Edit { new, .. } => group.put_content(number, Some(Arc::clone(new))),
        ContentWrite::Set { old: None, new: None } => {}
        ContentWrite::Set { new, .. } => group.put_content(number, new.clone()),
    }
    let fields = prepared.rebuild.as_ref().map(|rebuild| rebuild.fields.as_str()).filter(|_| new_fields);
    history::put_record(connection, number, prepared, fields, undo.as_deref())?;
    history::put_event(connection, &Event::of_change(prepared))?;
    history::mark_stale(connection, number, after.stamp, prepared.write.record.at)?;
    Ok(Done::Written)
}

/// Carries out what `prepare` makes of the newest state of an item; whether there was something to do.
pub(super) fn on_newest(group: &mut Group<'_>, id: ItemId, mut prepare: PlanOnNewest) -> Result<bool, Failure> {
    let Some(batch) = prepare(group.snapshot(id)?) else { return Ok(false) };
    carry_out(group, &PreparedBatch::of(batch)?, WholeCopies::Here)?;
    Ok(true)
}

/// Removes an item that is in the state `before`.
pub(super) fn purge(
    group: &mut Group<'_>,
    id: ItemId,
    before: Stamp,
    record: &Record,
    remember: Option<&IdempotencyRecord>,
) -> Result<(), Failure> {
    let connection = group.connection();
    if let Some(answer) = remember {
        poll_once(idempotency::put(connection, answer))?;
    }
    let mut statement = connection.prepare_cached(TO_PURGE)?;
    let mut found = statement.query([id.uuid().into_bytes()])?;
    let Some(row) = found.next()? else { return Err(StoreError::Stale(id).into()) };
    let mut columns = rows::Columns::of(row);
    let number: i64 = columns.next()?;
    if (Stamp { version: columns.count()?, revision: columns.count()? }) != before {
        return Err(StoreError::Stale(id).into());
    }
    let event = Event::of_purge(id, columns.uuid()?, columns.next()?, before, record);
    drop(found);
    connection.prepare_cached(REMOVE)?.execute([number])?;
    group.drop_content(number);
    history::put_event(connection, &event)?;
    // One more than its last state, so that the search index has not seen it.
    history::mark_stale(connection, number, Stamp { revision: before.revision + 1, ..before }, record.at)
}

fn known(connection: &Connection, prepared: &Prepared) -> Result<Option<Known>, Failure> {
    let after = &prepared.write.after;
    let fields = &after.fields;
    let mut statement = connection.prepare_cached(KNOWN)?;
    let found = statement.query_row(
        params![
            after.id.uuid().into_bytes(),
            fields.title.as_ref().map(Title::as_str),
            fields.description.as_ref().map(Description::as_str),
            fields.url.as_ref().map(Url::as_str),
            fields.name.as_ref().map(PromptName::as_str),
            prepared.arguments,
            prepared.tags,
            after.archived_at.map(Timestamp::as_microsecond),
            after.deleted_at.map(Timestamp::as_microsecond),
            after.space.uuid().into_bytes(),
            after.kind.name(),
            after.created_at.as_microsecond(),
            fields.path.as_ref().map(CodePath::as_str),
        ],
        |row| {
            Ok(Known {
                number: row.get(0)?,
                stamp: Stamp {
                    version: row.get::<_, i64>(1)?.cast_unsigned(),
                    revision: row.get::<_, i64>(2)?.cast_unsigned(),
                },
                chain: Chain { bytes: row.get::<_, i64>(3)?.cast_unsigned(), steps: row.get(4)? },
                differs: item::Differs {
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
struct Link<'a> {
    /// The record, if the change makes a version.
    undo: Option<Cow<'a, Undo>>,
    /// The chain with it.
    chain: Chain,
}

/// What a change adds to a chain; `None` if a whole copy must come first.
fn extended(chain: Chain, prepared: &Prepared, whole_copies: WholeCopies) -> Result<Option<Link<'_>>, CodecError> {
    let Some(rebuild) = &prepared.rebuild else { return Ok(Some(Link { undo: None, chain })) };
    match (chain.extended(&prepared.write.content, &rebuild.undo), whole_copies) {
        (Some(chain), _) => Ok(Some(Link { undo: Some(Cow::Borrowed(&rebuild.undo)), chain })),
        (None, WholeCopies::Elsewhere) => Ok(None),
        (None, WholeCopies::Here) => {
            let whole = undo::encode_whole(&prepared.write.content)?;
            Ok(Some(Link { undo: Some(Cow::Owned(whole)), chain: Chain::default() }))
        }
    }
}
