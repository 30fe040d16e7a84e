//! The segments that are searched, as the storages keep them.

use super::item_set::ItemSet;
use super::merge_policy::SegmentSize;
use super::segment::Block;

/// How many items one step of the index takes on at the most: what it writes is written while others wait.
pub(crate) const STEP_ITEMS: i64 = 256;
/// How many bytes of contents one step of the index takes on, or an item more.
pub(crate) const STEP_BYTES: u64 = 1024 * 1024;
/// How many bytes of blocks a merge writes at a time.
pub(crate) const CHUNK_BYTES: usize = 512 * 1024;

/// Whether a segment counts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SegmentState {
    BeingMade = 0,
    Live = 1,
}

/// A segment that counts.
#[derive(Clone, Debug)]
pub(crate) struct LiveSegment {
    pub(crate) number: i64,
    /// How many items it was made of.
    pub(crate) items: i64,
    /// How many bytes its blocks have.
    pub(crate) bytes: i64,
    pub(crate) tombstones: ItemSet,
}

impl LiveSegment {
    /// What decides about its merging.
    pub(crate) fn size(&self) -> SegmentSize {
        SegmentSize {
            number: self.number,
            bytes: self.bytes.cast_unsigned(),
            items: self.items.cast_unsigned(),
            tombstones: self.tombstones.len() as u64,
        }
    }
}

/// What is to be known of a segment that was made of others.
pub(crate) struct MergedSegment {
    pub(crate) items: i64,
    pub(crate) tombstones: ItemSet,
}

impl MergedSegment {
    /// Of a merge of `inputs`, as they were when it began, with the segments that count `now`. Items that died in the
    /// inputs meanwhile are dead in it. `None` if an input does not count any more: then the merge was for nothing.
    pub(crate) fn of_inputs(inputs: &[LiveSegment], now: &[LiveSegment]) -> Option<MergedSegment> {
        let mut merged = MergedSegment { items: 0, tombstones: ItemSet::default() };
        for input in inputs {
            let now = now.iter().find(|segment| segment.number == input.number)?;
            merged.items += input.items - input.tombstones.len() as i64;
            merged.tombstones = merged.tombstones.union(&now.tombstones.difference(&input.tombstones));
        }
        Some(merged)
    }
}

/// How many bytes blocks have.
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
    fn what_died_during_a_merge_is_dead_in_what_it_made() {
        let inputs = [segment(1, 5, &[10]), segment(2, 3, &[])];
        let now = [segment(1, 5, &[10, 11]), segment(2, 3, &[20]), segment(3, 9, &[30])];
        let made = MergedSegment::of_inputs(&inputs, &now).unwrap();
        assert_eq!(made.items, 7);
        assert_eq!(made.tombstones.encode(), [11, 20].into_iter().collect::<ItemSet>().encode());
    }

    #[test]
    fn a_merge_of_what_does_not_count_any_more_was_for_nothing() {
        assert!(MergedSegment::of_inputs(&[segment(1, 5, &[])], &[segment(2, 5, &[])]).is_none());
    }
}
