//! Merging segments into one, chunk by chunk: another write waits for one chunk at the most.

use interline_items::StoreError;
use interline_items::search::IndexStepResult;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::index::{add_blocks, add_segment};
use super::segments::{live_segments, take_lease};
use crate::search::lease::Lease;
use crate::search::live_segment::{CHUNK_BYTES, LiveSegment, MergedSegment, SegmentState, total_bytes};
use crate::search::merge::Merge;
use crate::search::segment::Block;
use crate::sqlite::failure::Failure;
use crate::sqlite::readers::Readers;
use crate::sqlite::write::writer::Writer;

const NEXT_BLOCK: &str = "
    SELECT first, data FROM search_blocks WHERE segment = ?1 AND first > ?2 ORDER BY first LIMIT 1";

const FINISH: &str = "
    UPDATE search_segments SET state = 1, items = ?2, bytes = ?3, dead = ?4 WHERE number = ?1 AND state = 0";

const IS_BEING_MADE: &str = "SELECT EXISTS (SELECT 1 FROM search_segments WHERE number = ?1 AND state = 0)";

const RETIRE: &str = "UPDATE search_segments SET state = 2 WHERE number = ?1";

// So that a process that still merges into it does not finish a segment that lacks blocks.
const GIVE_UP: &str = "UPDATE search_segments SET state = 2 WHERE number = ?1 AND state <> 1";

const REMOVE_BLOCKS: &str = "
    DELETE FROM search_blocks WHERE rowid IN (SELECT rowid FROM search_blocks WHERE segment = ?1 LIMIT 200)";

const REMOVE_SEGMENT: &str = "DELETE FROM search_segments WHERE number = ?1";

/// Merges segments into one.
pub(super) async fn merge(
    readers: &Readers,
    writer: &Writer,
    holder: Uuid,
    inputs: Vec<LiveSegment>,
) -> Result<IndexStepResult, StoreError> {
    let begin = writer.run(move |connection| {
        take_lease(connection, &Lease::new(holder))?;
        add_segment(connection, SegmentState::BeingMade, 0, &[])
    });
    let mut output = MergeOutput { segment: begin.await?, bytes: 0 };
    let mut progress = MergeProgress::new(&inputs);
    loop {
        let (next, chunk) = readers.read_long(move |connection| progress.chunk(connection)).await?;
        let Some(next) = next else {
            let finished = writer.run(move |connection| output.finish(connection, holder, &chunk, &inputs)).await?;
            return Ok(if finished { IndexStepResult::Tidied } else { IndexStepResult::Elsewhere });
        };
        output.bytes += total_bytes(&chunk);
        progress = next;
        let segment = output.segment;
        let write = move |connection: &Connection| {
            if !is_being_made(connection, segment)? {
                return Ok(false);
            }
            take_lease(connection, &Lease::new(holder))?;
            add_blocks(connection, segment, &chunk)?;
            Ok(true)
        };
        if !writer.run(write).await? {
            return Ok(IndexStepResult::Elsewhere);
        }
    }
}

/// Whether the new segment was not given up by another process.
fn is_being_made(connection: &Connection, segment: i64) -> Result<bool, Failure> {
    Ok(connection.prepare_cached(IS_BEING_MADE)?.query_row([segment], |row| row.get(0))?)
}

/// The state of a merge between two chunks.
struct MergeProgress {
    merge: Merge,
    /// Each input, and the first term of the last block that was read.
    read: Vec<(i64, Vec<u8>)>,
}

impl MergeProgress {
    fn new(inputs: &[LiveSegment]) -> MergeProgress {
        MergeProgress {
            merge: Merge::new(inputs.iter().map(|segment| segment.tombstones.clone())),
            read: inputs.iter().map(|segment| (segment.number, Vec::new())).collect(),
        }
    }

    /// The next blocks of the new segment, and the state from which the merge goes on; `None` after the last.
    fn chunk(mut self, connection: &Connection) -> Result<(Option<MergeProgress>, Vec<Block>), Failure> {
        let mut statement = connection.prepare_cached(NEXT_BLOCK)?;
        loop {
            if let Some(chunk) = self.merge.take_chunk(CHUNK_BYTES) {
                return Ok((Some(self), chunk));
            }
            let Some(input) = self.merge.needed_input() else { return Ok((None, self.merge.take_blocks())) };
            let (segment, last) = &mut self.read[input];
            let mut found = statement.query(params![*segment, *last])?;
            let block = match found.next()? {
                Some(row) => {
                    *last = row.get(0)?;
                    Some(row.get(1)?)
                }
                None => None,
            };
            self.merge.feed(block)?;
        }
    }
}

/// The new segment.
#[derive(Clone, Copy)]
struct MergeOutput {
    segment: i64,
    bytes: i64,
}

impl MergeOutput {
    /// Writes the last blocks, and replaces the inputs by the new segment. Returns whether all inputs were still live.
    fn finish(
        self,
        connection: &Connection,
        holder: Uuid,
        last: &[Block],
        inputs: &[LiveSegment],
    ) -> Result<bool, Failure> {
        let Some(MergedSegment { items, tombstones }) = MergedSegment::from_inputs(inputs, &live_segments(connection)?)
        else {
            return Ok(false);
        };
        if !is_being_made(connection, self.segment)? {
            return Ok(false);
        }
        take_lease(connection, &Lease::new(holder))?;
        let bytes = self.bytes + total_bytes(last);
        add_blocks(connection, self.segment, last)?;
        // Without a block the new segment is empty: it is left behind, and removed with the inputs.
        if bytes > 0 {
            connection.prepare_cached(FINISH)?.execute(params![self.segment, items, bytes, tombstones.encode()])?;
        }
        for input in inputs {
            connection.prepare_cached(RETIRE)?.execute([input.number])?;
        }
        Ok(true)
    }
}

/// Removes some blocks of a segment that is not live, and the segment with the last of them.
pub(super) fn remove_blocks(connection: &Connection, lease: Lease, segment: i64) -> Result<(), Failure> {
    take_lease(connection, &lease)?;
    // It may be live by now, or be gone.
    let is_left = connection.prepare_cached(GIVE_UP)?.execute([segment])? > 0;
    if is_left && connection.prepare_cached(REMOVE_BLOCKS)?.execute([segment])? == 0 {
        connection.prepare_cached(REMOVE_SEGMENT)?.execute([segment])?;
    }
    Ok(())
}
