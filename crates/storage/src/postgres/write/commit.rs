//! Commits of batches: each change writes its item, content, history record, event and stale mark of the search index
//! in one transaction.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use interline_items::{
    Announcement, Batch, ContentWrite, Decision, Fields, IdempotencyRecord, ImportedSource, Item, ItemId, ItemWrite,
    ProposalWrite, Record, Stamp, StoreError,
};
use tokio_postgres::Row;
use uuid::Uuid;

use crate::codec::undo::{self, UndoChain, UndoRecord};
use crate::codec::{CodecError, json};
use crate::integrity::Damage;
use crate::new_event::NewEvent;
use crate::postgres::failure::Failure;
use crate::postgres::history::records;
use crate::postgres::items::item_rows;
use crate::postgres::items::unique;
use crate::postgres::rows;
use crate::postgres::write::transaction_retry::{CommitProof, RetryableTransaction, run_blocking};
use crate::tables::{changed_items, idempotency, import_sources, proposals, purged_changes};

/// Rows are locked in the order of ids, so that two commits never wait for each other.
const LOCK: &str = "
    SELECT id, space, kind, created_at, title, description, tags, url, name, arguments, path, front_matter,
           deleted_at IS NULL AS is_not_deleted, version, revision, chain_bytes, chain_steps
    FROM items
    WHERE id = ANY($1)
    ORDER BY id
    FOR UPDATE";

const CONTENT: &str = "SELECT text FROM contents WHERE item = $1";

/// Cascades to the content, tags and history.
const REMOVE: &str = "DELETE FROM items WHERE id = $1";

/// The writes of one batch, with their undo records encoded.
pub(crate) struct EncodedBatch {
    writes: Vec<EncodedWrite>,
    idempotency: Option<IdempotencyRecord>,
    imports: Vec<ImportedSource>,
    decisions: Vec<Decision>,
    proposals: Vec<ProposalWrite>,
    announcements: Vec<Announcement>,
}

/// A write, and the undo record that leads to the content before it.
struct EncodedWrite {
    write: ItemWrite,
    /// For a write that makes a version.
    undo: Option<UndoRecord>,
}

impl EncodedBatch {
    /// Does what takes long before any row is locked: compressing old contents.
    pub(crate) fn encode(batch: Batch) -> Result<EncodedBatch, StoreError> {
        let Batch { writes, idempotency, imports, decisions, proposals, announcements } = batch;
        let encode = |write: ItemWrite| {
            let makes_version = write.makes_version();
            let undo = makes_version.then(|| undo::encode_step(&write.content)).transpose()?;
            Ok(EncodedWrite { write, undo })
        };
        let writes = writes.into_iter().map(encode).collect::<Result<_, CodecError>>()?;
        Ok(EncodedBatch { writes, idempotency, imports, decisions, proposals, announcements })
    }
}

/// The removal of an item whose stamp is `before`.
pub(crate) struct PurgeItem {
    pub(crate) id: ItemId,
    pub(crate) before: Stamp,
    pub(crate) record: Record,
    pub(crate) idempotency: Option<IdempotencyRecord>,
}

/// The state of an item before a change. Its row is locked until the end of the transaction.
pub(crate) struct LockedItem {
    pub(crate) stamp: Stamp,
    pub(crate) space: Uuid,
    pub(crate) kind: String,
    created_at: i64,
    pub(crate) fields: Fields,
    pub(crate) is_not_deleted: bool,
    pub(crate) chain: UndoChain,
}

#[async_trait]
impl RetryableTransaction for EncodedBatch {
    type Outcome = ();

    async fn run(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        let mut proof = CommitProof::Nothing;
        // First, so that a request that is sent twice gets that answer, and not that its item has changed.
        if let Some(record) = &self.idempotency {
            idempotency::put(transaction, record).await?;
            proof = CommitProof::from(record);
        }
        // Those that are decided about too, so that a record that comes after the decision is not decided about.
        let decided = self.decisions.iter().map(|decision| decision.item);
        let ids: Vec<ItemId> = self.writes.iter().map(|encoded| encoded.write.after.id).chain(decided).collect();
        let mut locked = lock(transaction, &ids).await?;
        let mut events: Vec<NewEvent<'_>> = Vec::new();
        for encoded in &self.writes {
            let write = &encoded.write;
            let id = write.after.id;
            let before = locked.remove(&id);
            if before.as_ref().map(|locked| locked.stamp) != write.before {
                return Err(StoreError::Stale(id).into());
            }
            if before.as_ref().is_some_and(|locked| !locked.is_same_item(&write.after)) {
                return Err(StoreError::Failed(format!("a change would make item {id} another one")).into());
            }
            let chain = apply(transaction, encoded, before.as_ref()).await?;
            locked.insert(id, LockedItem::after_write(&write.after, chain));
            if write.record.is_event() {
                let changed_fields = json::encode_strings(write.record.changed_fields.iter().copied());
                events.push(NewEvent::from_write(write, changed_fields));
            }
        }
        import_sources::put(transaction, &self.imports).await?;
        changed_items::decide(transaction, &self.decisions).await?;
        proposals::write(transaction, &self.proposals).await?;
        events.extend(self.announcements.iter().map(NewEvent::from_announcement));
        Ok(((), put_events(transaction, events).await?.unwrap_or(proof)))
    }
}

#[async_trait]
impl RetryableTransaction for PurgeItem {
    type Outcome = ();

    async fn run(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        if let Some(record) = &self.idempotency {
            idempotency::put(transaction, record).await?;
        }
        let Some(locked) =
            lock(transaction, &[self.id]).await?.remove(&self.id).filter(|locked| locked.stamp == self.before)
        else {
            return Err(StoreError::Stale(self.id).into());
        };
        purged_changes::leave(transaction, self.id, self.record.at).await?;
        proposals::purge_item(transaction, self.id).await?;
        let remove = transaction.prepare_cached(REMOVE).await?;
        transaction.execute(&remove, &[&self.id.uuid()]).await?;
        records::mark_stale(transaction, self.id, records::changes(self.before) + 1, self.record.at).await?;
        let event = NewEvent::for_purge(self.id, locked.space, locked.kind, self.before, &self.record);
        let proof = put_events(transaction, vec![event]).await?;
        Ok(((), proof.unwrap_or(CommitProof::Nothing)))
    }
}

/// Locks the items that exist until the end of the transaction.
async fn lock(transaction: &Transaction<'_>, ids: &[ItemId]) -> Result<HashMap<ItemId, LockedItem>, Failure> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
    let statement = transaction.prepare_cached(LOCK).await?;
    let found = transaction.query(&statement, &[&ids]).await?;
    let locked = |row: &Row| {
        let id = ItemId::from_uuid(row.try_get("id")?);
        Ok((id, LockedItem::from_row(row).map_err(|failure| failure.of_item(id))?))
    };
    found.iter().map(locked).collect()
}

/// Writes everything but the event. Returns the chain of undo records with the new one.
async fn apply(
    transaction: &Transaction<'_>,
    encoded: &EncodedWrite,
    before: Option<&LockedItem>,
) -> Result<UndoChain, Failure> {
    let write = &encoded.write;
    unique::check(transaction, &write.after, before).await?;
    let chain = before.map_or_else(UndoChain::default, |locked| locked.chain);
    let (undo, chain) = match &encoded.undo {
        Some(lost) if matches!(write.content, ContentWrite::Repair { .. }) => {
            let damaged = damaged_copy(transaction, write.after.id).await?;
            (Some(damaged.map_or(Cow::Borrowed(lost), Cow::Owned)), UndoChain::default())
        }
        Some(undo) => {
            let (undo, chain) = chain.extended_or_restarted(&write.content, undo)?;
            (Some(undo), chain)
        }
        None => (None, chain),
    };
    // The item first: the other rows refer to it.
    item_rows::put(transaction, &write.after, before, chain).await?;
    tokio::try_join!(
        item_rows::put_tags(transaction, &write.after, before),
        item_rows::put_content(transaction, write),
        records::put_record(transaction, write, before, undo.as_deref()),
        records::mark_stale(
            transaction,
            write.after.id,
            records::changes(write.after.stamp),
            write.record.event_time()
        ),
    )?;
    Ok(chain)
}

/// The undo record of a repair: a copy of the damaged content, if it can be read. The hash of its version says that it is not
/// what was written.
async fn damaged_copy(transaction: &Transaction<'_>, id: ItemId) -> Result<Option<UndoRecord>, Failure> {
    records::keep_hash(transaction, id).await?;
    transaction.batch_execute("SAVEPOINT damaged").await?;
    let statement = transaction.prepare_cached(CONTENT).await?;
    let read = transaction.query_opt(&statement, &[&id.uuid()]).await.map_err(Failure::from);
    match read.map_err(Failure::into_corruption) {
        Ok(None) => Ok(None),
        Ok(Some(row)) => {
            let text: String = row.try_get("text")?;
            Ok(Some(run_blocking(move || undo::encode_damaged(&text)).await??))
        }
        Err(Ok(_)) => {
            transaction.batch_execute("ROLLBACK TO SAVEPOINT damaged").await?;
            Ok(None)
        }
        Err(Err(failure)) => Err(failure),
    }
}

/// Writes the events with their numbers: last, because the counter of a space stays locked until the commit, and in the
/// order of spaces, so that two commits never wait for each other. The order within a space is kept.
async fn put_events(transaction: &Transaction<'_>, events: Vec<NewEvent<'_>>) -> Result<Option<CommitProof>, Failure> {
    let mut by_space: BTreeMap<Uuid, Vec<NewEvent<'_>>> = BTreeMap::new();
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
            is_not_deleted: row.try_get("is_not_deleted")?,
            chain: UndoChain {
                bytes: rows::count(row, "chain_bytes")?,
                steps: u32::try_from(steps).unwrap_or(u32::MAX),
            },
        })
    }

    /// Whether the item after the change has the same space, kind and time of creation.
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
            is_not_deleted: item.deleted_at.is_none(),
            chain,
        }
    }
}
