//! Live segments, those that are searched: their metadata as the storages keep it, and the sizes of index steps.

use super::item_set::ItemSet;
use super::merge_policy::SegmentSize;
use super::segment::Block;

/// How many items one step of the index takes on at the most: other writes wait while it writes.
pub(crate) const STEP_ITEMS: i64 = 256;
/// How many bytes of contents one step of the index takes on, or one item more.
pub(crate) const STEP_BYTES: u64 = 1024 * 1024;
/// How many bytes of blocks a merge writes at a time.
pub(crate) const CHUNK_BYTES: usize = 512 * 1024;

/// The state of a segment, as its number in the table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SegmentState {
    /// A merge writes its blocks.
    BeingMade = 0,
    /// It is searched.
    Live = 1,
}

/// A segment that is searched.
#[derive(Clone, Debug)]
pub(crate) struct LiveSegment {
    pub(crate) number: i64,
    /// How many items it was made of.
    pub(crate) items: i64,
    /// How many bytes its blocks have.
    pub(crate) bytes: i64,
    /// The items whose postings in it no longer count.
    pub(crate) tombstones: ItemSet,
}

impl LiveSegment {
    /// The sizes by which the merge policy decides.
    pub(crate) fn size(&self) -> SegmentSize {
        SegmentSize {
            number: self.number,
            bytes: self.bytes.cast_unsigned(),
            items: self.items.cast_unsigned(),
            tombstones: self.tombstones.len() as u64,
        }
    }
}

/// The metadata of a segment that a merge has made.
pub(crate) struct MergedSegment {
    pub(crate) items: i64,
    pub(crate) tombstones: ItemSet,
}

impl MergedSegment {
    /// The result of a merge of `inputs`, as they were when it began, given the segments that are live `now`. Tombstones
    /// that the inputs got meanwhile are tombstones of the result. `None` if an input is no longer live: then the merge
    /// was for nothing.
    pub(crate) fn from_inputs(inputs: &[LiveSegment], now: &[LiveSegment]) -> Option<MergedSegment> {
        let mut merged = MergedSegment { items: 0, tombstones: ItemSet::default() };
        for input in inputs {
            let now = now.iter().find(|segment| segment.number == input.number)?;
            merged.items += input.items - input.tombstones.len() as i64;
            merged.tombstones = merged.tombstones.union(&now.tombstones.difference(&input.tombstones));
        }
        Some(merged)
    }
}

/// How many bytes blocks have together.
pub(crate) fn total_bytes(blocks: &[Block]) -> i64 {
    blocks.iter().map(|block| block.data.len() as i64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(number: i64, items: i64, tombstones: &[i64]) -> LiveSegment {
        LiveSegment { number, items, bytes: 1, tombstones: tombstones.iter().copied().collect() }
    }

    #[test]
    fn tombstones_made_during_a_merge_are_tombstones_of_its_result() {
        let inputs = [segment(1, 5, &[10]), segment(2, 3, &[])];
        let now = [segment(1, 5, &[10, 11]), segment(2, 3, &[20]), segment(3, 9, &[30])];
        let made = MergedSegment::from_inputs(&inputs, &now).unwrap();
        assert_eq!(made.items, 7);
        assert_eq!(made.tombstones.encode(), [11, 20].into_iter().collect::<ItemSet>().encode());
    }

    #[test]
    fn a_merge_of_a_segment_that_is_no_longer_live_was_for_nothing() {
        assert!(MergedSegment::from_inputs(&[segment(1, 5, &[])], &[segment(2, 5, &[])]).is_none());
    }
}
