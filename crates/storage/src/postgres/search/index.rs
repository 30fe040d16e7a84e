//! Steps of the indexer: stale items become a new segment; when segments are many, they are merged.

use async_trait::async_trait;
use deadpool_postgres::{Client, Transaction};
use interline_items::StoreError;
use interline_items::search::{IndexStep, IndexStepResult};
use tokio_postgres::Row;
use uuid::Uuid;

use super::merge::{self, RemoveBlocks};
use super::segments::{is_leased_elsewhere, live_segments, lock_segments, members, take_lease};
use super::texts::{searched, texts};
use crate::postgres::connection::Pools;
use crate::postgres::failure::Failure;
use crate::postgres::history::versions::snapshot_transaction;
use crate::postgres::rows::{count, maybe_count};
use crate::postgres::write::transaction_retry::{CommitProof, RetryableTransaction, run_blocking, run_with_retry};
use crate::search::item_keys::item_keys;
use crate::search::lease::Lease;
use crate::search::live_segment::{LiveSegment, STEP_BYTES, STEP_ITEMS, SegmentState, total_bytes};
use crate::search::merge_policy;
use crate::search::segment::{Block, build_segment};

// A change that is hours in the future was made by a clock that was wrong.
const STALE: &str = "
    SELECT stale_items.item, mark, number, content_bytes
    FROM stale_items LEFT JOIN items ON items.id = stale_items.item
    WHERE changed_at <= $1 OR changed_at > $1 + 7200000000
    ORDER BY stale_items.item
    LIMIT $2";

const COUNT_STALE: &str = "SELECT count(*) AS total FROM stale_items";

/// A segment to remove: of a merge that was given up, or an input of a finished one.
const LEFT_BEHIND: &str = "SELECT number FROM search_segments WHERE state <> 1 ORDER BY number LIMIT 1";

const ADD_SEGMENT: &str = "
    INSERT INTO search_segments (state, items, bytes, dead) VALUES ($1, $2, $3, '') RETURNING number";

const ADD_BLOCKS: &str = "
    INSERT INTO search_blocks (segment, first, data) SELECT $1, * FROM unnest($2::bytea[], $3::bytea[])";

const SET_TOMBSTONES: &str = "UPDATE search_segments SET dead = $2 WHERE number = $1";

const STILL_STALE: &str = "SELECT count(*) AS total FROM stale_items WHERE item = ANY($1)";

/// An item that was changed since it was read has another mark, and stays stale. A row that a change has locked is passed
/// over, because it will have another mark: so this statement never waits for a change. A change may wait for this
/// statement, but only until the end of its transaction, which no longer waits for any other. So the two cannot deadlock.
const FORGET_STALE: &str = "
    WITH free AS MATERIALIZED (
        SELECT item, mark FROM stale_items JOIN unnest($1::uuid[], $2::bigint[]) AS read (item, mark) USING (item, mark)
        FOR UPDATE OF stale_items SKIP LOCKED
    )
    DELETE FROM stale_items USING free WHERE stale_items.item = free.item AND stale_items.mark = free.mark";

/// The work of the next step.
enum IndexWork {
    Elsewhere,
    Nothing { stale: u64 },
    Merge(Vec<LiveSegment>),
    Remove(i64),
    Add(SegmentInput),
}

/// Does one step of the index, under the lease of `holder`.
pub(crate) async fn step(pools: &Pools, holder: Uuid, step: IndexStep) -> Result<IndexStepResult, StoreError> {
    let lease = Lease::new(holder);
    let next = pools.use_one(async { next(&mut pools.work.get().await?, lease, step).await }).await?;
    match next {
        IndexWork::Elsewhere => Ok(IndexStepResult::Elsewhere),
        IndexWork::Nothing { stale } => Ok(IndexStepResult::Nothing { stale }),
        IndexWork::Merge(segments) => merge::merge(pools, holder, segments).await,
        IndexWork::Remove(segment) => {
            run_with_retry(pools, &RemoveBlocks { segment, lease }).await?;
            Ok(IndexStepResult::Tidied)
        }
        IndexWork::Add(read) => {
            let (items, stale) = (read.marks.len() as u64, read.stale);
            let new_segment = run_blocking(move || read.build(lease)).await??;
            let added = run_with_retry(pools, &new_segment).await?;
            Ok(if added {
                IndexStepResult::Added { items, stale: stale.saturating_sub(items) }
            } else {
                IndexStepResult::Elsewhere
            })
        }
    }
}

async fn next(client: &mut Client, lease: Lease, step: IndexStep) -> Result<IndexWork, Failure> {
    let transaction = &snapshot_transaction(client).await?;
    if is_leased_elsewhere(transaction, &lease).await? {
        return Ok(IndexWork::Elsewhere);
    }
    let mut segments = live_segments(transaction).await?;
    let sizes: Vec<_> = segments.iter().map(LiveSegment::size).collect();
    if let Some(due) = merge_policy::segments_to_merge(&sizes) {
        segments.retain(|segment| due.contains(&segment.number));
        return Ok(IndexWork::Merge(segments));
    }
    let left_behind = transaction.prepare_cached(LEFT_BEHIND).await?;
    if let Some(row) = transaction.query_opt(&left_behind, &[]).await? {
        return Ok(IndexWork::Remove(row.try_get(0)?));
    }
    let total = transaction.prepare_cached(COUNT_STALE).await?;
    let stale = count(&transaction.query_one(&total, &[]).await?, "total")?;
    let read = SegmentInput::read(transaction, &segments, step, stale).await?;
    Ok(if read.marks.is_empty() { IndexWork::Nothing { stale } } else { IndexWork::Add(read) })
}

/// What a new segment is built from.
struct SegmentInput {
    /// The live segments that it was built beside: it is added only if they are still the live ones.
    segments: Vec<i64>,
    /// The items, each with its mark; also those that were purged.
    marks: Vec<(Uuid, i64)>,
    texts: Vec<Row>,
    /// New tombstones of older segments, by the number of the segment.
    tombstones: Vec<(i64, Vec<i64>)>,
    stale: u64,
}

impl SegmentInput {
    async fn read(
        transaction: &Transaction<'_>,
        segments: &[LiveSegment],
        step: IndexStep,
        stale: u64,
    ) -> Result<SegmentInput, Failure> {
        let statement = transaction.prepare_cached(STALE).await?;
        let found = transaction.query(&statement, &[&step.unchanged_since.as_microsecond(), &STEP_ITEMS]).await?;
        let (mut marks, mut numbers, mut bytes) = (Vec::new(), Vec::new(), 0);
        for row in &found {
            marks.push((row.try_get("item")?, row.try_get("mark")?));
            numbers.extend(row.try_get::<_, Option<i64>>("number")?);
            bytes += maybe_count(row, "content_bytes")?.unwrap_or(0);
            if bytes >= STEP_BYTES {
                break;
            }
        }
        let ids: Vec<Uuid> = marks.iter().map(|(id, _)| *id).collect();
        let tombstones = members(transaction, segments, &ids).await?;
        let texts = texts(transaction, &numbers).await?;
        Ok(SegmentInput {
            segments: segments.iter().map(|segment| segment.number).collect(),
            marks,
            texts,
            tombstones,
            stale,
        })
    }

    /// Builds the segment. The time grows with the length of the texts.
    fn build(self, lease: Lease) -> Result<NewSegment, Failure> {
        let mut terms = Vec::new();
        for row in &self.texts {
            let id: Uuid = row.try_get("id")?;
            terms.push((row.try_get("number")?, item_keys(&searched(row)?, id.as_bytes())));
        }
        let SegmentInput { segments, marks, tombstones, .. } = self;
        Ok(NewSegment { segments, marks, items: terms.len() as i64, blocks: build_segment(&terms)?, tombstones, lease })
    }
}

/// A segment to add.
struct NewSegment {
    segments: Vec<i64>,
    marks: Vec<(Uuid, i64)>,
    /// How many of the items exist.
    items: i64,
    blocks: Vec<Block>,
    tombstones: Vec<(i64, Vec<i64>)>,
    lease: Lease,
}

#[async_trait]
impl RetryableTransaction for NewSegment {
    /// Whether it was added; not if another process has changed the index meanwhile.
    type Outcome = bool;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<(bool, CommitProof), Failure> {
        lock_segments(transaction).await?;
        let mut segments = live_segments(transaction).await?;
        let (ids, marks): (Vec<Uuid>, Vec<i64>) = self.marks.iter().copied().unzip();
        let are_same = segments.iter().map(|segment| segment.number).eq(self.segments.iter().copied());
        // Another process may have indexed the items, without a segment if all were purged by then.
        if !are_same || !are_stale(transaction, &ids).await? {
            return Ok((false, CommitProof::Nothing));
        }
        take_lease(transaction, &self.lease).await?;
        let set_tombstones = transaction.prepare_cached(SET_TOMBSTONES).await?;
        for (number, items) in &self.tombstones {
            if let Some(segment) = segments.iter_mut().find(|segment| segment.number == *number) {
                segment.tombstones.insert(items.iter().copied());
                transaction.execute(&set_tombstones, &[number, &segment.tombstones.encode()]).await?;
            }
        }
        if !self.blocks.is_empty() {
            let segment = add_segment(transaction, SegmentState::Live, self.items, &self.blocks).await?;
            add_blocks(transaction, segment, &self.blocks).await?;
        }
        let forget = transaction.prepare_cached(FORGET_STALE).await?;
        transaction.execute(&forget, &[&ids, &marks]).await?;
        Ok((true, CommitProof::Nothing))
    }
}

async fn are_stale(transaction: &Transaction<'_>, ids: &[Uuid]) -> Result<bool, Failure> {
    let statement = transaction.prepare_cached(STILL_STALE).await?;
    let still = count(&transaction.query_one(&statement, &[&ids]).await?, "total")?;
    Ok(still == ids.len() as u64)
}

/// Adds a segment without its blocks. Returns its number.
pub(super) async fn add_segment(
    transaction: &Transaction<'_>,
    state: SegmentState,
    items: i64,
    blocks: &[Block],
) -> Result<i64, Failure> {
    let statement = transaction.prepare_cached(ADD_SEGMENT).await?;
    let row = transaction.query_one(&statement, &[&(state as i16), &items, &total_bytes(blocks)]).await?;
    Ok(row.try_get(0)?)
}

/// Adds blocks to a segment.
pub(super) async fn add_blocks(transaction: &Transaction<'_>, segment: i64, blocks: &[Block]) -> Result<(), Failure> {
    let (firsts, data): (Vec<&[u8]>, Vec<&[u8]>) =
        blocks.iter().map(|block| (block.first.as_slice(), block.data.as_slice())).unzip();
    let statement = transaction.prepare_cached(ADD_BLOCKS).await?;
    transaction.execute(&statement, &[&segment, &firsts, &data]).await?;
    Ok(())
}
