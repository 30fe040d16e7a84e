//! Steps of the index: items that changed become a segment, segments that became many become one.

use async_trait::async_trait;
use deadpool_postgres::{Client, Transaction};
use interline_items::StoreError;
use interline_items::search::{IndexStep, IndexStepResult};
use tokio_postgres::Row;
use uuid::Uuid;

use super::super::connect::Pools;
use super::super::failure::Failure;
use super::super::rows::{count, maybe_count};
use super::super::versions::at_one_moment;
use super::super::work::{self, CommitProof, carry_out, compute};
use super::merge::{self, RemoveSome};
use super::segments::{is_elsewhere, live, members, take_lease, take_turn};
use super::texts::{searched, texts};
use crate::search::lease::Lease;
use crate::search::live::{STEP_BYTES, STEP_ITEMS, Segment, State, length};
use crate::search::members::keys_of;
use crate::search::policy;
use crate::search::segment::{Block, segment_of};

// What changed hours from now did so by a clock that was wrong.
const STALE: &str = "
    SELECT stale_items.item, mark, number, content_bytes
    FROM stale_items LEFT JOIN items ON items.id = stale_items.item
    WHERE changed_at <= $1 OR changed_at > $1 + 7200000000
    ORDER BY stale_items.item
    LIMIT $2";

const COUNT_STALE: &str = "SELECT count(*) AS total FROM stale_items";

/// What is left behind: a merge that was given up, or parts that were put together.
const LEFT_BEHIND: &str = "SELECT number FROM search_segments WHERE state <> 1 ORDER BY number LIMIT 1";

const ADD_SEGMENT: &str = "
    INSERT INTO search_segments (state, items, bytes, dead) VALUES ($1, $2, $3, '') RETURNING number";

const ADD_BLOCKS: &str = "
    INSERT INTO search_blocks (segment, first, data) SELECT $1, * FROM unnest($2::bytea[], $3::bytea[])";

const SET_DEAD: &str = "UPDATE search_segments SET dead = $2 WHERE number = $1";

const STILL_STALE: &str = "SELECT count(*) AS total FROM stale_items WHERE item = ANY($1)";

/// A change since it was read has another mark, and stays stale. A row that a change holds is passed over, because it
/// will have another mark: so this never waits for a change. A change may wait for this, but only for the end of the
/// transaction, which waits for nobody any more. So neither can wait for the other.
const FORGET_STALE: &str = "
    WITH free AS MATERIALIZED (
        SELECT item, mark FROM stale_items JOIN unnest($1::uuid[], $2::bigint[]) AS read (item, mark) USING (item, mark)
        FOR UPDATE OF stale_items SKIP LOCKED
    )
    DELETE FROM stale_items USING free WHERE stale_items.item = free.item AND stale_items.mark = free.mark";

/// What there is to do next.
enum Next {
    Elsewhere,
    Nothing { stale: u64 },
    Merge(Vec<Segment>),
    Remove(i64),
    Add(Read),
}

/// A step of the index, by the holder of a lease.
pub(in super::super) async fn step(
    pools: &Pools,
    holder: Uuid,
    step: IndexStep,
) -> Result<IndexStepResult, StoreError> {
    let lease = Lease::new(holder);
    let next = pools.use_one(async { next(&mut pools.work.get().await?, lease, step).await }).await?;
    match next {
        Next::Elsewhere => Ok(IndexStepResult::Elsewhere),
        Next::Nothing { stale } => Ok(IndexStepResult::Nothing { stale }),
        Next::Merge(segments) => merge::merge(pools, holder, segments).await,
        Next::Remove(segment) => {
            carry_out(pools, &RemoveSome { segment, lease }).await?;
            Ok(IndexStepResult::Tidied)
        }
        Next::Add(read) => {
            let (items, stale) = (read.marks.len() as u64, read.stale);
            let addition = compute(move || read.into_addition(lease)).await??;
            let added = carry_out(pools, &addition).await?;
            Ok(if added {
                IndexStepResult::Added { items, stale: stale.saturating_sub(items) }
            } else {
                IndexStepResult::Elsewhere
            })
        }
    }
}

async fn next(client: &mut Client, lease: Lease, step: IndexStep) -> Result<Next, Failure> {
    let transaction = &at_one_moment(client).await?;
    if is_elsewhere(transaction, &lease).await? {
        return Ok(Next::Elsewhere);
    }
    let mut segments = live(transaction).await?;
    let sizes: Vec<_> = segments.iter().map(Segment::size).collect();
    if let Some(due) = policy::due(&sizes) {
        segments.retain(|segment| due.contains(&segment.number));
        return Ok(Next::Merge(segments));
    }
    let left_behind = transaction.prepare_cached(LEFT_BEHIND).await?;
    if let Some(row) = transaction.query_opt(&left_behind, &[]).await? {
        return Ok(Next::Remove(row.try_get(0)?));
    }
    let total = transaction.prepare_cached(COUNT_STALE).await?;
    let stale = count(&transaction.query_one(&total, &[]).await?, "total")?;
    let read = Read::read(transaction, &segments, step, stale).await?;
    Ok(if read.marks.is_empty() { Next::Nothing { stale } } else { Next::Add(read) })
}

/// What a segment is to be made of.
struct Read {
    /// The segments that count when it is added, or it is not.
    segments: Vec<i64>,
    /// The items, each with its mark. Those that are gone too.
    marks: Vec<(Uuid, i64)>,
    texts: Vec<Row>,
    /// The items that no longer count in older segments.
    dead: Vec<(i64, Vec<i64>)>,
    stale: u64,
}

impl Read {
    async fn read(
        transaction: &Transaction<'_>,
        segments: &[Segment],
        step: IndexStep,
        stale: u64,
    ) -> Result<Read, Failure> {
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
        let dead = members(transaction, segments, &ids).await?;
        let texts = texts(transaction, &numbers).await?;
        Ok(Read { segments: segments.iter().map(|segment| segment.number).collect(), marks, texts, dead, stale })
    }

    /// Takes as long as the texts are.
    fn into_addition(self, lease: Lease) -> Result<Addition, Failure> {
        let mut terms = Vec::new();
        for row in &self.texts {
            let id: Uuid = row.try_get("id")?;
            terms.push((row.try_get("number")?, keys_of(&searched(row)?, id.as_bytes())));
        }
        let Read { segments, marks, dead, .. } = self;
        Ok(Addition { segments, marks, items: terms.len() as i64, blocks: segment_of(&terms)?, dead, lease })
    }
}

/// A segment that is to be added.
struct Addition {
    segments: Vec<i64>,
    marks: Vec<(Uuid, i64)>,
    /// How many of them are there.
    items: i64,
    blocks: Vec<Block>,
    dead: Vec<(i64, Vec<i64>)>,
    lease: Lease,
}

#[async_trait]
impl work::RetryableTransaction for Addition {
    /// Whether it was added: nobody else has changed the index meanwhile.
    type Outcome = bool;

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<(bool, CommitProof), Failure> {
        take_turn(transaction).await?;
        let mut segments = live(transaction).await?;
        let (ids, marks): (Vec<Uuid>, Vec<i64>) = self.marks.iter().copied().unzip();
        let are_same = segments.iter().map(|segment| segment.number).eq(self.segments.iter().copied());
        // Another may have indexed the items, without a segment if all were gone by then.
        if !are_same || !are_stale(transaction, &ids).await? {
            return Ok((false, CommitProof::Nothing));
        }
        take_lease(transaction, &self.lease).await?;
        let set_dead = transaction.prepare_cached(SET_DEAD).await?;
        for (number, items) in &self.dead {
            if let Some(segment) = segments.iter_mut().find(|segment| segment.number == *number) {
                segment.dead.insert(items.iter().copied());
                transaction.execute(&set_dead, &[number, &segment.dead.encode()]).await?;
            }
        }
        if !self.blocks.is_empty() {
            let segment = add_segment(transaction, State::Counts, self.items, &self.blocks).await?;
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

/// Adds a segment without its blocks; its number.
pub(super) async fn add_segment(
    transaction: &Transaction<'_>,
    state: State,
    items: i64,
    blocks: &[Block],
) -> Result<i64, Failure> {
    let statement = transaction.prepare_cached(ADD_SEGMENT).await?;
    let row = transaction.query_one(&statement, &[&(state as i16), &items, &length(blocks)]).await?;
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
