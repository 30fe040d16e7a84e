//! Segments are put together into one, a piece at a time: whoever writes meanwhile waits for one piece at the most.

use interline_items::StoreError;
use interline_items::search::IndexStepResult;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::super::failure::Failure;
use super::super::readers::Readers;
use super::super::writer::Writer;
use super::index::{add_blocks, add_segment};
use super::segments::{live, take_lease};
use crate::search::lease::Lease;
use crate::search::live::{PIECE_BYTES, Segment, State, Successor, length};
use crate::search::merge::Merge;
use crate::search::segment::Block;

const NEXT_BLOCK: &str = "
    SELECT first, data FROM search_blocks WHERE segment = ?1 AND first > ?2 ORDER BY first LIMIT 1";

const FINISH: &str = "
    UPDATE search_segments SET state = 1, items = ?2, bytes = ?3, dead = ?4 WHERE number = ?1 AND state = 0";

const IS_BEING_MADE: &str = "SELECT EXISTS (SELECT 1 FROM search_segments WHERE number = ?1 AND state = 0)";

const RETIRE: &str = "UPDATE search_segments SET state = 2 WHERE number = ?1";

// So that whoever still makes it does not finish what is not whole.
const GIVE_UP: &str = "UPDATE search_segments SET state = 2 WHERE number = ?1 AND state <> 1";

const REMOVE_BLOCKS: &str = "
    DELETE FROM search_blocks WHERE rowid IN (SELECT rowid FROM search_blocks WHERE segment = ?1 LIMIT 200)";

const REMOVE_SEGMENT: &str = "DELETE FROM search_segments WHERE number = ?1";

/// Puts segments together.
pub(super) async fn merge(
    readers: &Readers,
    writer: &Writer,
    holder: Uuid,
    inputs: Vec<Segment>,
) -> Result<IndexStepResult, StoreError> {
    let begin = writer.run(move |connection| {
        take_lease(connection, &Lease::new(holder))?;
        add_segment(connection, State::BeingMade, 0, &[])
    });
    let mut made = Made { segment: begin.await?, bytes: 0 };
    let mut merging = Merging::of(&inputs);
    loop {
        let (next, piece) = readers.read_long(move |connection| merging.piece(connection)).await?;
        let Some(next) = next else {
            let finished = writer.run(move |connection| made.finish(connection, holder, &piece, &inputs)).await?;
            return Ok(if finished { IndexStepResult::Tidied } else { IndexStepResult::Elsewhere });
        };
        made.bytes += length(&piece);
        merging = next;
        let segment = made.segment;
        let write = move |connection: &Connection| {
            if !is_being_made(connection, segment)? {
                return Ok(false);
            }
            take_lease(connection, &Lease::new(holder))?;
            add_blocks(connection, segment, &piece)?;
            Ok(true)
        };
        if !writer.run(write).await? {
            return Ok(IndexStepResult::Elsewhere);
        }
    }
}

/// Whether nobody has given it up.
fn is_being_made(connection: &Connection, segment: i64) -> Result<bool, Failure> {
    Ok(connection.prepare_cached(IS_BEING_MADE)?.query_row([segment], |row| row.get(0))?)
}

/// How far the reading of the inputs is.
struct Merging {
    merge: Merge,
    /// Each input, and the first term of the last block that was read.
    read: Vec<(i64, Vec<u8>)>,
}

impl Merging {
    fn of(inputs: &[Segment]) -> Merging {
        Merging {
            merge: Merge::of(inputs.iter().map(|segment| segment.dead.clone())),
            read: inputs.iter().map(|segment| (segment.number, Vec::new())).collect(),
        }
    }

    /// The next blocks of the new segment, and what goes on from there; nothing goes on after the last.
    fn piece(mut self, connection: &Connection) -> Result<(Option<Merging>, Vec<Block>), Failure> {
        let mut statement = connection.prepare_cached(NEXT_BLOCK)?;
        loop {
            if let Some(piece) = self.merge.take_piece(PIECE_BYTES) {
                return Ok((Some(self), piece));
            }
            let Some(input) = self.merge.need() else { return Ok((None, self.merge.take_blocks())) };
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

/// The segment that is being made.
#[derive(Clone, Copy)]
struct Made {
    segment: i64,
    bytes: i64,
}

impl Made {
    /// Puts the segment in the place of the inputs, with its last blocks; whether they were all still there.
    fn finish(
        self,
        connection: &Connection,
        holder: Uuid,
        last: &[Block],
        inputs: &[Segment],
    ) -> Result<bool, Failure> {
        let Some(Successor { items, dead }) = Successor::of(inputs, &live(connection)?) else { return Ok(false) };
        if !is_being_made(connection, self.segment)? {
            return Ok(false);
        }
        take_lease(connection, &Lease::new(holder))?;
        let bytes = self.bytes + length(last);
        add_blocks(connection, self.segment, last)?;
        // Without a block there is nothing in it: it is left behind, and removed with the inputs.
        if bytes > 0 {
            connection.prepare_cached(FINISH)?.execute(params![self.segment, items, bytes, dead.encode()])?;
        }
        for input in inputs {
            connection.prepare_cached(RETIRE)?.execute([input.number])?;
        }
        Ok(true)
    }
}

/// Removes some blocks of a segment that does not count, and the segment with the last of them.
pub(super) fn remove_some(connection: &Connection, lease: Lease, segment: i64) -> Result<(), Failure> {
    take_lease(connection, &lease)?;
    // It may count by now, or be gone.
    let is_left = connection.prepare_cached(GIVE_UP)?.execute([segment])? > 0;
    if is_left && connection.prepare_cached(REMOVE_BLOCKS)?.execute([segment])? == 0 {
        connection.prepare_cached(REMOVE_SEGMENT)?.execute([segment])?;
    }
    Ok(())
}
