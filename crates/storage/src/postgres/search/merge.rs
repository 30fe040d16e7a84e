//! Merging segments into one, chunk by chunk: no transaction is long, and none keeps a change of an item waiting.

use std::collections::VecDeque;

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use interline_items::StoreError;
use interline_items::search::IndexStepResult;
use uuid::Uuid;

use super::index::{add_blocks, add_segment};
use super::segments::{live_segments, lock_segments, take_lease};
use crate::postgres::connection::Pools;
use crate::postgres::failure::Failure;
use crate::postgres::write::transaction_retry::{CommitProof, RetryableTransaction, run_blocking, run_with_retry};
use crate::search::lease::Lease;
use crate::search::live_segment::{CHUNK_BYTES, LiveSegment, MergedSegment, SegmentState, total_bytes};
use crate::search::merge::Merge;
use crate::search::segment::Block;

/// How many blocks of a segment are read at a time.
const READ_AHEAD: i64 = 16;

const NEXT_BLOCKS: &str = "
    SELECT first, data FROM search_blocks WHERE segment = $1 AND first > $2 ORDER BY first LIMIT $3";

const IS_BEING_MADE: &str = "SELECT FROM search_segments WHERE number = $1 AND state = 0";

const FINISH: &str = "
    UPDATE search_segments SET state = 1, items = $2, bytes = $3, dead = $4 WHERE number = $1 AND state = 0";

const RETIRE: &str = "UPDATE search_segments SET state = 2 WHERE number = ANY($1)";

/// So that a process that still merges into it does not finish a segment that lacks blocks.
const GIVE_UP: &str = "UPDATE search_segments SET state = 2 WHERE number = $1 AND state <> 1";

const REMOVE_BLOCKS: &str = "
    DELETE FROM search_blocks
    WHERE segment = $1 AND first IN (SELECT first FROM search_blocks WHERE segment = $1 ORDER BY first LIMIT 1000)";

const REMOVE_SEGMENT: &str = "DELETE FROM search_segments WHERE number = $1";

/// Merges segments into one.
pub(super) async fn merge(
    pools: &Pools,
    holder: Uuid,
    inputs: Vec<LiveSegment>,
) -> Result<IndexStepResult, StoreError> {
    let segment = run_with_retry(pools, &BeginMerge { holder }).await?;
    let mut progress = MergeProgress::new(&inputs);
    let mut bytes = 0;
    loop {
        let next;
        (progress, next) = run_blocking(move || progress.advance()).await??;
        let blocks = match next {
            MergeStep::Read(input) => {
                pools.use_one(progress.inputs[input].read_on(pools)).await?;
                continue;
            }
            MergeStep::Write(blocks) => blocks,
            MergeStep::Finish(last) => {
                let finished = run_with_retry(pools, &FinishMerge { segment, bytes, last, inputs, holder }).await?;
                return Ok(if finished { IndexStepResult::Tidied } else { IndexStepResult::Elsewhere });
            }
        };
        bytes += total_bytes(&blocks);
        if !run_with_retry(pools, &AppendBlocks { segment, blocks, holder }).await? {
            return Ok(IndexStepResult::Elsewhere);
        }
    }
}

/// The state of a merge.
struct MergeProgress {
    merge: Merge,
    inputs: Vec<MergeInput>,
}

/// The next step of a merge.
enum MergeStep {
    /// Read more blocks of an input.
    Read(usize),
    /// Write these blocks.
    Write(Vec<Block>),
    /// Write these last blocks, and finish.
    Finish(Vec<Block>),
}

/// An input of a merge, read ahead.
struct MergeInput {
    segment: i64,
    /// The first term of the last block that was read.
    last: Vec<u8>,
    /// Blocks that were read; `None` after the last one.
    ahead: VecDeque<Option<Vec<u8>>>,
}

impl MergeInput {
    async fn read_on(&mut self, pools: &Pools) -> Result<(), Failure> {
        let client = pools.work.get().await?;
        let statement = client.prepare_cached(NEXT_BLOCKS).await?;
        let found = client.query(&statement, &[&self.segment, &self.last, &READ_AHEAD]).await?;
        for row in &found {
            self.last = row.try_get("first")?;
            self.ahead.push_back(Some(row.try_get("data")?));
        }
        if found.is_empty() {
            self.ahead.push_back(None);
        }
        Ok(())
    }
}

impl MergeProgress {
    fn new(inputs: &[LiveSegment]) -> MergeProgress {
        let input =
            |segment: &LiveSegment| MergeInput { segment: segment.number, last: Vec::new(), ahead: VecDeque::new() };
        MergeProgress {
            merge: Merge::new(inputs.iter().map(|segment| segment.tombstones.clone())),
            inputs: inputs.iter().map(input).collect(),
        }
    }

    /// Merges as far as it can with the blocks that were read.
    fn advance(mut self) -> Result<(MergeProgress, MergeStep), Failure> {
        loop {
            if let Some(chunk) = self.merge.take_chunk(CHUNK_BYTES) {
                return Ok((self, MergeStep::Write(chunk)));
            }
            let Some(input) = self.merge.needed_input() else {
                let last = self.merge.take_blocks();
                return Ok((self, MergeStep::Finish(last)));
            };
            let Some(block) = self.inputs[input].ahead.pop_front() else { return Ok((self, MergeStep::Read(input))) };
            self.merge.feed(block)?;
        }
    }
}

/// Adds the new segment.
struct BeginMerge {
    holder: Uuid,
}

#[async_trait]
impl RetryableTransaction for BeginMerge {
    /// Its number.
    type Outcome = i64;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<(i64, CommitProof), Failure> {
        lock_segments(transaction).await?;
        take_lease(transaction, &Lease::new(self.holder)).await?;
        Ok((add_segment(transaction, SegmentState::BeingMade, 0, &[]).await?, CommitProof::Nothing))
    }
}

/// Adds blocks to a segment that is being made.
struct AppendBlocks {
    segment: i64,
    blocks: Vec<Block>,
    holder: Uuid,
}

#[async_trait]
impl RetryableTransaction for AppendBlocks {
    /// Whether the segment is still being made.
    type Outcome = bool;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<(bool, CommitProof), Failure> {
        lock_segments(transaction).await?;
        if !is_being_made(transaction, self.segment).await? {
            return Ok((false, CommitProof::Nothing));
        }
        take_lease(transaction, &Lease::new(self.holder)).await?;
        add_blocks(transaction, self.segment, &self.blocks).await?;
        Ok((true, CommitProof::Nothing))
    }
}

async fn is_being_made(transaction: &Transaction<'_>, segment: i64) -> Result<bool, Failure> {
    let statement = transaction.prepare_cached(IS_BEING_MADE).await?;
    Ok(transaction.query_opt(&statement, &[&segment]).await?.is_some())
}

/// Writes the last blocks, and replaces the inputs by the new segment.
struct FinishMerge {
    segment: i64,
    bytes: i64,
    last: Vec<Block>,
    inputs: Vec<LiveSegment>,
    holder: Uuid,
}

#[async_trait]
impl RetryableTransaction for FinishMerge {
    /// Whether all inputs were still live, and the segment still was being made.
    type Outcome = bool;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<(bool, CommitProof), Failure> {
        lock_segments(transaction).await?;
        let Some(MergedSegment { items, tombstones }) =
            MergedSegment::from_inputs(&self.inputs, &live_segments(transaction).await?)
        else {
            return Ok((false, CommitProof::Nothing));
        };
        if !is_being_made(transaction, self.segment).await? {
            return Ok((false, CommitProof::Nothing));
        }
        take_lease(transaction, &Lease::new(self.holder)).await?;
        add_blocks(transaction, self.segment, &self.last).await?;
        let bytes = self.bytes + total_bytes(&self.last);
        // Without a block the new segment is empty: it is left behind, and removed with the inputs.
        if bytes > 0 {
            let finish = transaction.prepare_cached(FINISH).await?;
            transaction.execute(&finish, &[&self.segment, &items, &bytes, &tombstones.encode()]).await?;
        }
        let retire = transaction.prepare_cached(RETIRE).await?;
        let inputs: Vec<i64> = self.inputs.iter().map(|input| input.number).collect();
        transaction.execute(&retire, &[&inputs]).await?;
        Ok((true, CommitProof::Nothing))
    }
}

/// Removes some blocks of a segment that is not live, and the segment with the last of them.
pub(super) struct RemoveBlocks {
    pub(super) segment: i64,
    pub(super) lease: Lease,
}

#[async_trait]
impl RetryableTransaction for RemoveBlocks {
    type Outcome = ();

    async fn run(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        lock_segments(transaction).await?;
        take_lease(transaction, &self.lease).await?;
        let execute = async |sql| {
            let statement = transaction.prepare_cached(sql).await?;
            transaction.execute(&statement, &[&self.segment]).await
        };
        // It may be live by now, or be gone.
        let is_left = execute(GIVE_UP).await? > 0;
        if is_left && execute(REMOVE_BLOCKS).await? == 0 {
            execute(REMOVE_SEGMENT).await?;
        }
        Ok(((), CommitProof::Nothing))
    }
}
