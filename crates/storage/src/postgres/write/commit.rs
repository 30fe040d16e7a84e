//! Changes of items: each leaves its item, content, history, event and mark for the search index, together.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use interline_items::{Batch, Fields, IdempotencyRecord, Item, ItemId, ItemWrite, Record, Stamp, StoreError};
use tokio_postgres::Row;
use uuid::Uuid;

use crate::codec::CodecError;
use crate::codec::undo::{self, UndoChain, UndoRecord};
use crate::postgres::failure::Failure;
use crate::postgres::history::records::{self, Event};
use crate::postgres::items::item_rows;
use crate::postgres::items::unique;
use crate::postgres::remembered;
use crate::postgres::rows;
use crate::postgres::write::transaction_retry::{CommitProof, RetryableTransaction};

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
pub(crate) struct EncodedBatch {
    writes: Vec<EncodedWrite>,
    remember: Option<IdempotencyRecord>,
}

/// A encoded, with the record that leads back.
struct EncodedWrite {
    write: ItemWrite,
    /// For a encoded that makes a version.
    undo: Option<UndoRecord>,
}

impl EncodedBatch {
    /// Does what takes long before any row is locked: packing old contents.
    pub(crate) fn encode(batch: Batch) -> Result<EncodedBatch, StoreError> {
        let Batch { writes, remember } = batch;
        let encode = |write: ItemWrite| {
            let makes_version = write.record.action.makes_version();
            let undo = makes_version.then(|| undo::encode_step(&write.content)).transpose()?;
            Ok(EncodedWrite { write, undo })
        };
        let writes = writes.into_iter().map(encode).collect::<Result<_, CodecError>>()?;
        Ok(EncodedBatch { writes, remember })
    }
}

impl EncodedWrite {
    /// The record to store after those of `chain`, and the chain with it.
    fn undo_after(&self, chain: UndoChain) -> Result<(Option<Cow<'_, UndoRecord>>, UndoChain), CodecError> {
        let Some(undo) = &self.undo else { return Ok((None, chain)) };
        match chain.extended(&self.write.content, undo) {
            Some(longer) => Ok((Some(Cow::Borrowed(undo)), longer)),
            None => Ok((Some(Cow::Owned(undo::encode_whole(&self.write.content)?)), UndoChain::default())),
        }
    }
}

/// The end of an item.
pub(crate) struct PurgeItem {
    pub(crate) id: ItemId,
    pub(crate) before: Stamp,
    pub(crate) record: Record,
    pub(crate) remember: Option<IdempotencyRecord>,
}

/// What a encoded must know of the state before it. The row is locked.
pub(crate) struct LockedItem {
    pub(crate) stamp: Stamp,
    pub(crate) space: Uuid,
    pub(crate) kind: String,
    created_at: i64,
    pub(crate) fields: Fields,
    pub(crate) lives: bool,
    pub(crate) chain: UndoChain,
}

#[async_trait]
impl RetryableTransaction for EncodedBatch {
    type Outcome = ();

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        let mut proof = CommitProof::Nothing;
        // First, so that a request that is sent twice is error_chain so, and not that its item has changed.
        if let Some(answer) = &self.remember {
            proof = remembered::put(transaction, answer).await?;
        }
        let ids: Vec<ItemId> = self.writes.iter().map(|encoded| encoded.write.after.id).collect();
        let mut locked = lock(transaction, &ids).await?;
        let mut events = Vec::new();
        for encoded in &self.writes {
            let write = &encoded.write;
            let id = write.after.id;
            let before = locked.remove(&id);
            if before.as_ref().map(|locked| locked.stamp) != write.before {
                return Err(StoreError::Stale(id).into());
            }
            if before.as_ref().is_some_and(|locked| !locked.is_same_item(&write.after)) {
                return Err(StoreError::Failed(format!("a encoded would make item {id} another one")).into());
            }
            let chain = apply(transaction, encoded, before.as_ref()).await?;
            locked.insert(id, LockedItem::after_write(&write.after, chain));
            events.push(Event::of_write(write)?);
        }
        Ok(((), put_events(transaction, events).await?.unwrap_or(proof)))
    }
}

#[async_trait]
impl RetryableTransaction for PurgeItem {
    type Outcome = ();

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        if let Some(answer) = &self.remember {
            remembered::put(transaction, answer).await?;
        }
        let Some(locked) =
            lock(transaction, &[self.id]).await?.remove(&self.id).filter(|locked| locked.stamp == self.before)
        else {
            return Err(StoreError::Stale(self.id).into());
        };
        let remove = transaction.prepare_cached(REMOVE).await?;
        transaction.execute(&remove, &[&self.id.uuid()]).await?;
        records::mark_stale(transaction, self.id, records::changes(self.before) + 1, self.record.at).await?;
        let proof = put_events(transaction, vec![Event::of_purge(self, &locked)?]).await?;
        Ok(((), proof.unwrap_or(CommitProof::Nothing)))
    }
}

/// Locks the items that exist until the end of the transaction.
async fn lock(transaction: &Transaction<'_>, ids: &[ItemId]) -> Result<HashMap<ItemId, LockedItem>, Failure> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
    let statement = transaction.prepare_cached(LOCK).await?;
    let found = transaction.query(&statement, &[&ids]).await?;
    found.iter().map(|row| Ok((ItemId::from_uuid(row.try_get("id")?), LockedItem::from_row(row)?))).collect()
}

/// Writes everything but the event, and says how long the chain of undo records is now.
async fn apply(
    transaction: &Transaction<'_>,
    encoded: &EncodedWrite,
    before: Option<&LockedItem>,
) -> Result<UndoChain, Failure> {
    let write = &encoded.write;
    unique::check(transaction, &write.after, before).await?;
    let chain = before.map_or_else(UndoChain::default, |locked| locked.chain);
    let (undo, chain) = encoded.undo_after(chain).map_err(StoreError::from)?;
    // The item first: the others refer to it.
    item_rows::put(transaction, &write.after, before, chain).await?;
    tokio::try_join!(
        item_rows::put_tags(transaction, &write.after, before),
        item_rows::put_content(transaction, write),
        records::put_record(transaction, write, before, undo.as_deref()),
        records::mark_stale(transaction, write.after.id, records::changes(write.after.stamp), write.record.at),
    )?;
    Ok(chain)
}

/// Numbers the events: last, because the counter of a space is held until the commit, and in the order of spaces, so
/// that two commits never wait for each other. The order within a space is kept.
async fn put_events(transaction: &Transaction<'_>, events: Vec<Event>) -> Result<Option<CommitProof>, Failure> {
    let mut by_space: BTreeMap<Uuid, Vec<Event>> = BTreeMap::new();
    for event in events {
        by_space.entry(event.space).or_default().push(event);
    }
    let mut proof = None;
    for event in by_space.into_values().flatten() {
        proof = Some(records::put_event(transaction, &event).await?);
    }
    Ok(proof)
}

impl LockedItem {
    fn from_row(row: &Row) -> Result<LockedItem, Failure> {
        let steps = rows::count(row, "chain_steps")?;
        Ok(LockedItem {
            stamp: Stamp { version: rows::count(row, "version")?, revision: rows::count(row, "revision")? },
            space: row.try_get("space")?,
            kind: row.try_get("kind")?,
            created_at: row.try_get("created_at")?,
            fields: rows::fields(row)?,
            lives: row.try_get("lives")?,
            chain: UndoChain {
                bytes: rows::count(row, "chain_bytes")?,
                steps: u32::try_from(steps).unwrap_or(u32::MAX),
            },
        })
    }

    /// Whether an item has the space, kind and time of creation that it had.
    fn is_same_item(&self, after: &Item) -> bool {
        self.space == after.space.uuid()
            && self.kind == after.kind.name()
            && self.created_at == after.created_at.as_microsecond()
    }

    fn after_write(item: &Item, chain: UndoChain) -> LockedItem {
        LockedItem {
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
