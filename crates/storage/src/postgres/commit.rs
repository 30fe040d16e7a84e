//! Changes of items: each leaves its item, content, history, event and mark for the search index, together.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use interline_items::{Batch, Fields, IdempotencyRecord, Item, ItemId, ItemWrite, Record, Stamp, StoreError};
use tokio_postgres::Row;
use uuid::Uuid;

use super::failure::Failure;
use super::history::{self, Event};
use super::work::{CommitProof, RetryableTransaction};
use super::{item, rows, unique};
use crate::codec::CodecError;
use crate::codec::undo::{self, Chain, Undo};
use crate::tables::idempotency;

/// In the order of ids, so that two commits never wait for each other.
const LOCK: &str = "
    SELECT id, space, kind, created_at, title, description, tags, url, name, arguments, path,
           deleted_at IS NULL AS lives, version, revision, chain_bytes, chain_steps
    FROM items
    WHERE id = ANY($1)
    ORDER BY id
    FOR UPDATE";

/// Removes the content, tags and history too.
const REMOVE: &str = "DELETE FROM items WHERE id = $1";

/// What is carried out together.
pub(super) struct Commit {
    changes: Vec<Change>,
    remember: Option<IdempotencyRecord>,
}

/// A change, with the record that leads back.
struct Change {
    write: ItemWrite,
    /// For a change that makes a version.
    undo: Option<Undo>,
}

impl Commit {
    /// Does what takes long before any row is locked: packing old contents.
    pub(super) fn prepare(batch: Batch) -> Result<Commit, StoreError> {
        let Batch { writes, remember } = batch;
        let prepare = |write: ItemWrite| {
            let makes_version = write.record.action.makes_version();
            let undo = makes_version.then(|| undo::encode_step(&write.content)).transpose()?;
            Ok(Change { write, undo })
        };
        let changes = writes.into_iter().map(prepare).collect::<Result<_, CodecError>>()?;
        Ok(Commit { changes, remember })
    }
}

impl Change {
    /// The record to store after those of `chain`, and the chain with it.
    fn undo_after(&self, chain: Chain) -> Result<(Option<Cow<'_, Undo>>, Chain), CodecError> {
        let Some(undo) = &self.undo else { return Ok((None, chain)) };
        match chain.extended(&self.write.content, undo) {
            Some(longer) => Ok((Some(Cow::Borrowed(undo)), longer)),
            None => Ok((Some(Cow::Owned(undo::encode_whole(&self.write.content)?)), Chain::default())),
        }
    }
}

/// The end of an item.
pub(super) struct Purge {
    pub(super) id: ItemId,
    pub(super) before: Stamp,
    pub(super) record: Record,
    pub(super) remember: Option<IdempotencyRecord>,
}

/// What a change must know of the state before it. The row is locked.
pub(super) struct Known {
    pub(super) stamp: Stamp,
    pub(super) space: Uuid,
    pub(super) kind: String,
    created_at: i64,
    pub(super) fields: Fields,
    pub(super) lives: bool,
    pub(super) chain: Chain,
}

#[async_trait]
impl RetryableTransaction for Commit {
    type Outcome = ();

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        let mut proof = CommitProof::Nothing;
        // First, so that a request that is sent twice is told so, and not that its item has changed.
        if let Some(answer) = &self.remember {
            idempotency::put(transaction, answer).await?;
            proof = CommitProof::from(answer);
        }
        let ids: Vec<ItemId> = self.changes.iter().map(|change| change.write.after.id).collect();
        let mut known = lock(transaction, &ids).await?;
        let mut events = Vec::new();
        for change in &self.changes {
            let write = &change.write;
            let id = write.after.id;
            let before = known.remove(&id);
            if before.as_ref().map(|known| known.stamp) != write.before {
                return Err(StoreError::Stale(id).into());
            }
            if before.as_ref().is_some_and(|known| !known.is_same_item(&write.after)) {
                return Err(StoreError::Failed(format!("a change would make item {id} another one")).into());
            }
            let chain = apply(transaction, change, before.as_ref()).await?;
            known.insert(id, Known::after(&write.after, chain));
            events.push(Event::of_write(write)?);
        }
        Ok(((), number(transaction, events).await?.unwrap_or(proof)))
    }
}

#[async_trait]
impl RetryableTransaction for Purge {
    type Outcome = ();

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        if let Some(answer) = &self.remember {
            idempotency::put(transaction, answer).await?;
        }
        let Some(known) =
            lock(transaction, &[self.id]).await?.remove(&self.id).filter(|known| known.stamp == self.before)
        else {
            return Err(StoreError::Stale(self.id).into());
        };
        let remove = transaction.prepare_cached(REMOVE).await?;
        transaction.execute(&remove, &[&self.id.uuid()]).await?;
        history::mark_stale(transaction, self.id, history::changes(self.before) + 1, self.record.at).await?;
        let proof = number(transaction, vec![Event::of_purge(self, &known)?]).await?;
        Ok(((), proof.unwrap_or(CommitProof::Nothing)))
    }
}

/// Locks the items that exist until the end of the transaction.
async fn lock(transaction: &Transaction<'_>, ids: &[ItemId]) -> Result<HashMap<ItemId, Known>, Failure> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
    let statement = transaction.prepare_cached(LOCK).await?;
    let found = transaction.query(&statement, &[&ids]).await?;
    found.iter().map(|row| Ok((ItemId::from_uuid(row.try_get("id")?), Known::of(row)?))).collect()
}

/// Writes everything but the event, and says how long the chain of undo records is now.
async fn apply(transaction: &Transaction<'_>, change: &Change, before: Option<&Known>) -> Result<Chain, Failure> {
    let write = &change.write;
    unique::check(transaction, &write.after, before).await?;
    let chain = before.map_or_else(Chain::default, |known| known.chain);
    let (undo, chain) = change.undo_after(chain).map_err(StoreError::from)?;
    // The item first: the others refer to it.
    item::put(transaction, &write.after, before, chain).await?;
    tokio::try_join!(
        item::put_tags(transaction, &write.after, before),
        item::put_content(transaction, write),
        history::put_record(transaction, write, before, undo.as_deref()),
        history::mark_stale(transaction, write.after.id, history::changes(write.after.stamp), write.record.at),
    )?;
    Ok(chain)
}

/// Numbers the events: last, because the counter of a space is held until the commit, and in the order of spaces, so
/// that two commits never wait for each other. The order within a space is kept.
async fn number(transaction: &Transaction<'_>, events: Vec<Event>) -> Result<Option<CommitProof>, Failure> {
    let mut by_space: BTreeMap<Uuid, Vec<Event>> = BTreeMap::new();
    for event in events {
        by_space.entry(event.space).or_default().push(event);
    }
    let mut proof = None;
    for event in by_space.into_values().flatten() {
        proof = Some(history::put_event(transaction, &event).await?);
    }
    Ok(proof)
}

impl Known {
    fn of(row: &Row) -> Result<Known, Failure> {
        let steps = rows::count(row, "chain_steps")?;
        Ok(Known {
            stamp: Stamp { version: rows::count(row, "version")?, revision: rows::count(row, "revision")? },
            space: row.try_get("space")?,
            kind: row.try_get("kind")?,
            created_at: row.try_get("created_at")?,
            fields: rows::fields(row)?,
            lives: row.try_get("lives")?,
            chain: Chain { bytes: rows::count(row, "chain_bytes")?, steps: u32::try_from(steps).unwrap_or(u32::MAX) },
        })
    }

    /// Whether an item has the space, kind and time of creation that it had.
    fn is_same_item(&self, after: &Item) -> bool {
        self.space == after.space.uuid()
            && self.kind == after.kind.name()
            && self.created_at == after.created_at.as_microsecond()
    }

    fn after(item: &Item, chain: Chain) -> Known {
        Known {
            stamp: item.stamp,
            space: item.space.uuid(),
            kind: item.kind.name().to_owned(),
            created_at: item.created_at.as_microsecond(),
            fields: item.fields.clone(),
            lives: item.deleted_at.is_none(),
            chain,
        }
    }
}
