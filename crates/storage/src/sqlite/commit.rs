//! Changes of items: each leaves its item, content, record, event and mark for the search index, together.

use interline_items::fields::{Description, PromptName, Title, Url};
use interline_items::{ContentWrite, ItemId, Record, Remembered, Stamp, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::failure::Failure;
use super::history::{self, Event};
use super::prepared::{Prepared, PreparedBatch};
use super::{item, remembered, rows, unique};
use crate::codec::undo::Chain;

// What differs is asked of SQLite, so that an edit touches the indexes of `updated_at` alone.
const KNOWN: &str = "
    SELECT number, version, revision, chain_bytes, chain_steps,
           title IS ?2 AND description IS ?3 AND url IS ?4 AND name IS ?5 AND arguments IS ?6,
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

/// Carries out a batch, its changes one after the other. After a failure, what was done must be rolled back.
///
/// [`Failure::WholeCopyDue`] if the undo record of a change must be another; nothing else is wrong with it then.
pub(super) fn carry_out(connection: &Connection, batch: &PreparedBatch) -> Result<(), Failure> {
    if let Some(answer) = &batch.remember {
        remembered::put(connection, answer)?;
    }
    for (index, prepared) in batch.changes.iter().enumerate() {
        let after = &prepared.write.after;
        let known = known(connection, prepared)?;
        if known.as_ref().map(|known| known.stamp) != prepared.write.before {
            return Err(StoreError::Stale(after.id).into());
        }
        if known.as_ref().is_some_and(|known| !known.same_item) {
            return Err(StoreError::Failed(format!("a change would make item {} another one", after.id)).into());
        }
        let new_fields = known.as_ref().is_none_or(|known| known.differs.fields || known.differs.tags);
        let chain = extended(known.as_ref().map_or(Chain::default(), |known| known.chain), prepared)
            .ok_or(Failure::WholeCopyDue(index))?;
        let put = match &known {
            None => item::insert(connection, prepared),
            Some(known) => {
                item::update(connection, known.number, prepared, known.differs, chain).map(|()| known.number)
            }
        };
        let number = put.map_err(|failure| unique::explain(connection, after, failure))?;
        put_content(connection, number, &prepared.write.content)?;
        let fields = prepared.rebuild.as_ref().map(|rebuild| rebuild.fields.as_str()).filter(|_| new_fields);
        history::put_record(connection, number, prepared, fields)?;
        history::put_event(connection, &Event::of_change(prepared))?;
        history::mark_stale(connection, number, after.stamp)?;
    }
    batch.jobs.iter().try_for_each(|job| remembered::put_job(connection, job))
}

/// Removes an item that is in the state `before`.
pub(super) fn purge(
    connection: &Connection,
    id: ItemId,
    before: Stamp,
    record: &Record,
    remember: Option<&Remembered>,
) -> Result<(), Failure> {
    if let Some(answer) = remember {
        remembered::put(connection, answer)?;
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
    history::put_event(connection, &event)?;
    // One more than its last state, so that the search index has not seen it.
    history::mark_stale(connection, number, Stamp { revision: before.revision + 1, ..before })
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

/// The chain of undo records after a change; `None` if it would be too long.
fn extended(chain: Chain, prepared: &Prepared) -> Option<Chain> {
    match &prepared.rebuild {
        None => Some(chain),
        Some(rebuild) => chain.extended(&prepared.write.content, &rebuild.undo),
    }
}

fn put_content(connection: &Connection, number: i64, content: &ContentWrite) -> Result<(), Failure> {
    match content {
        ContentWrite::Keep => Ok(()),
        ContentWrite::Edit { new, .. } => item::put_text(connection, number, Some(new)),
        ContentWrite::Set { new, .. } => item::put_text(connection, number, new.as_deref()),
    }
}
