//! Steps of the indexer: stale items become a new segment; when segments are many, they are merged.

use interline_items::StoreError;
use interline_items::search::{IndexStep, IndexStepResult};
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::merge;
use super::segments::{is_leased_elsewhere, live_segments, take_lease, with_block};
use super::texts::Texts;
use crate::integrity::Damage;
use crate::search::block;
use crate::search::item_keys::{ItemKeys, item_keys, member_key};
use crate::search::lease::Lease;
use crate::search::live_segment::{LiveSegment, STEP_BYTES, STEP_ITEMS, SegmentState, total_bytes};
use crate::search::merge_policy;
use crate::search::segment::{Block, build_segment};
use crate::sqlite::failure::Failure;
use crate::sqlite::readers::Readers;
use crate::sqlite::write::writer::Writer;

// A change that is hours in the future was made by a clock that was wrong.
const STALE: &str = "
    SELECT item, mark FROM stale_items WHERE changed_at <= ?1 OR changed_at > ?1 + 7200000000 ORDER BY item LIMIT ?2";

const COUNT_STALE: &str = "SELECT count(*) FROM stale_items";

/// A segment to remove: of a merge that was given up, or an input of a finished one.
const LEFT_BEHIND: &str = "SELECT number FROM search_segments WHERE state <> 1 ORDER BY number LIMIT 1";

const ADD_SEGMENT: &str = "
    INSERT INTO search_segments (state, items, bytes, dead) VALUES (?1, ?2, ?3, ?4) RETURNING number";

const ADD_BLOCK: &str = "INSERT INTO search_blocks (segment, first, data) VALUES (?1, ?2, ?3)";

const SET_TOMBSTONES: &str = "UPDATE search_segments SET dead = ?2 WHERE number = ?1";

const IS_STALE: &str = "SELECT EXISTS (SELECT 1 FROM stale_items WHERE item = ?1)";

// An item that was changed since it was read has another mark, and stays stale.
const FORGET_STALE: &str = "DELETE FROM stale_items WHERE item = ?1 AND mark = ?2";

/// The work of the next step.
enum IndexWork {
    Elsewhere,
    Nothing { stale: u64 },
    Merge(Vec<LiveSegment>),
    Remove(i64),
    Add(NewSegment),
}

/// Does one step of the index, under the lease of `holder`.
pub(crate) async fn step(
    readers: &Readers,
    writer: &Writer,
    holder: Uuid,
    step: IndexStep,
) -> Result<IndexStepResult, StoreError> {
    let lease = Lease::new(holder);
    let work = readers.read_long(move |connection| next(connection, lease, step)).await?;
    match work {
        IndexWork::Elsewhere => Ok(IndexStepResult::Elsewhere),
        IndexWork::Nothing { stale } => Ok(IndexStepResult::Nothing { stale }),
        IndexWork::Merge(segments) => merge::merge(readers, writer, holder, segments).await,
        IndexWork::Remove(segment) => {
            writer.run(move |connection| merge::remove_blocks(connection, lease, segment)).await?;
            Ok(IndexStepResult::Tidied)
        }
        IndexWork::Add(new_segment) => {
            let (items, stale) = (new_segment.read.len() as u64, new_segment.stale);
            let added = writer.run(move |connection| new_segment.commit(connection, lease)).await?;
            Ok(if added {
                IndexStepResult::Added { items, stale: stale.saturating_sub(items) }
            } else {
                IndexStepResult::Elsewhere
            })
        }
    }
}

fn next(connection: &Connection, lease: Lease, step: IndexStep) -> Result<IndexWork, Failure> {
    if is_leased_elsewhere(connection, &lease)? {
        return Ok(IndexWork::Elsewhere);
    }
    let mut segments = live_segments(connection)?;
    let sizes: Vec<_> = segments.iter().map(LiveSegment::size).collect();
    if let Some(due) = merge_policy::segments_to_merge(&sizes) {
        segments.retain(|segment| due.contains(&segment.number));
        return Ok(IndexWork::Merge(segments));
    }
    if let Some(segment) =
        connection.prepare_cached(LEFT_BEHIND)?.query_map([], |row| row.get(0))?.next().transpose()?
    {
        return Ok(IndexWork::Remove(segment));
    }
    NewSegment::read(connection, &segments, step)
}

/// A segment to add.
struct NewSegment {
    /// The live segments that it was built beside: it is added only if they are still the live ones.
    segments: Vec<i64>,
    /// The items, each with its mark; also those that were purged.
    read: Vec<(i64, i64)>,
    /// How many of the items exist.
    items: i64,
    blocks: Vec<Block>,
    /// New tombstones of older segments, by the number of the segment.
    tombstones: Vec<(i64, Vec<i64>)>,
    stale: u64,
}

impl NewSegment {
    fn read(connection: &Connection, segments: &[LiveSegment], step: IndexStep) -> Result<IndexWork, Failure> {
        let stale: i64 = connection.prepare_cached(COUNT_STALE)?.query_row([], |row| row.get(0))?;
        let stale = stale.cast_unsigned();
        let (mut read, mut terms, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut texts = Texts::new(connection)?;
        let mut marks = connection.prepare_cached(STALE)?;
        let mut marks = marks.query(params![step.unchanged_since.as_microsecond(), STEP_ITEMS])?;
        while let Some(mark) = marks.next()? {
            let item: i64 = mark.get(0)?;
            read.push((item, mark.get(1)?));
            // What is damaged is not in the index, and does not keep others out of it; a repair marks it again.
            if let Some((keys, length)) = unless_damaged(keys(&mut texts, item))? {
                terms.push((item, keys));
                bytes += length;
            }
            if bytes >= STEP_BYTES {
                break;
            }
        }
        if read.is_empty() {
            return Ok(IndexWork::Nothing { stale });
        }
        let mut tombstones = Vec::new();
        for segment in segments {
            let members = members(connection, segment, &read)?;
            if !members.is_empty() {
                tombstones.push((segment.number, members));
            }
        }
        Ok(IndexWork::Add(NewSegment {
            segments: segments.iter().map(|segment| segment.number).collect(),
            items: terms.len() as i64,
            blocks: build_segment(&terms)?,
            read,
            tombstones,
            stale,
        }))
    }

    /// Whether it was added; not if another process has changed the index meanwhile.
    fn commit(self, connection: &Connection, lease: Lease) -> Result<bool, Failure> {
        let mut segments = live_segments(connection)?;
        if !segments.iter().map(|segment| segment.number).eq(self.segments.iter().copied()) {
            return Ok(false);
        }
        // Another process may have indexed the items, without a segment if all were purged by then.
        for (item, _) in &self.read {
            if !connection.prepare_cached(IS_STALE)?.query_row([item], |row| row.get(0))? {
                return Ok(false);
            }
        }
        take_lease(connection, &lease)?;
        for (number, items) in self.tombstones {
            if let Some(segment) = segments.iter_mut().find(|segment| segment.number == number) {
                segment.tombstones.insert(items);
                connection.prepare_cached(SET_TOMBSTONES)?.execute(params![number, segment.tombstones.encode()])?;
            }
        }
        if !self.blocks.is_empty() {
            let segment = add_segment(connection, SegmentState::Live, self.items, &self.blocks)?;
            add_blocks(connection, segment, &self.blocks)?;
        }
        let mut forget = connection.prepare_cached(FORGET_STALE)?;
        for (item, mark) in self.read {
            forget.execute([item, mark])?;
        }
        Ok(true)
    }
}

/// Adds a segment without its blocks. Returns its number.
pub(super) fn add_segment(
    connection: &Connection,
    state: SegmentState,
    items: i64,
    blocks: &[Block],
) -> Result<i64, Failure> {
    let values = params![state as i64, items, total_bytes(blocks), Vec::new()];
    Ok(connection.prepare_cached(ADD_SEGMENT)?.query_row(values, |row| row.get(0))?)
}

/// Adds blocks to a segment.
pub(super) fn add_blocks(connection: &Connection, segment: i64, blocks: &[Block]) -> Result<(), Failure> {
    let mut add = connection.prepare_cached(ADD_BLOCK)?;
    for block in blocks {
        add.execute(params![segment, block.first, block.data])?;
    }
    Ok(())
}

/// What was read, or nothing if it is damaged.
fn unless_damaged<T>(read: Result<Option<T>, Failure>) -> Result<Option<T>, Failure> {
    match read.map_err(Failure::into_corruption) {
        Err(Ok(_)) => Ok(None),
        Err(Err(failure)) => Err(failure),
        Ok(read) => Ok(read),
    }
}

/// The keys of an item and the length of its content; `None` if it was purged.
pub(super) fn keys(texts: &mut Texts<'_>, item: i64) -> Result<Option<(ItemKeys, u64)>, Failure> {
    texts.with_fields(item, |texts| {
        let length = texts.content.map_or(0, str::len) as u64;
        Ok((item_keys(texts, &item.to_be_bytes()), length))
    })
}

/// The items that a segment has live postings of.
fn members(connection: &Connection, segment: &LiveSegment, items: &[(i64, i64)]) -> Result<Vec<i64>, Failure> {
    let mut members = Vec::new();
    for (item, _) in items {
        if segment.tombstones.contains(*item) {
            continue;
        }
        let key = member_key(&item.to_be_bytes());
        with_block(connection, segment, &key, |block| {
            if block::find(block, &key)?.is_some() {
                members.push(*item);
            }
            Ok(())
        })?;
    }
    Ok(members)
}
