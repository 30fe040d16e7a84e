//! The segments that are searched, as the storages keep them.

use super::dead::DeadItems;
use super::policy::SegmentSize;
use super::segment::Block;

/// How many items one step of the index takes on at the most: what it writes is written while others wait.
pub(crate) const STEP_ITEMS: i64 = 256;
/// How many bytes of contents one step of the index takes on, or an item more.
pub(crate) const STEP_BYTES: u64 = 1024 * 1024;
/// How many bytes of blocks a merge writes at a time.
pub(crate) const PIECE_BYTES: usize = 512 * 1024;

/// Whether a segment counts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    BeingMade = 0,
    Counts = 1,
}

/// A segment that counts.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) number: i64,
    /// How many items it was made of.
    pub(crate) items: i64,
    /// How many bytes its blocks have.
    pub(crate) bytes: i64,
    pub(crate) dead: DeadItems,
}

impl Segment {
    /// What decides about its merging.
    pub(crate) fn size(&self) -> SegmentSize {
        SegmentSize {
            number: self.number,
            bytes: self.bytes.cast_unsigned(),
            items: self.items.cast_unsigned(),
            dead: self.dead.len() as u64,
        }
    }
}

/// What is to be known of a segment that was made of others.
pub(crate) struct Successor {
    pub(crate) items: i64,
    pub(crate) dead: DeadItems,
}

impl Successor {
    /// Of a merge of `inputs`, as they were when it began, with the segments that count `now`. Items that died in the
    /// inputs meanwhile are dead in it. `None` if an input does not count any more: then the merge was for nothing.
    pub(crate) fn of(inputs: &[Segment], now: &[Segment]) -> Option<Successor> {
        let mut successor = Successor { items: 0, dead: DeadItems::default() };
        for input in inputs {
            let now = now.iter().find(|segment| segment.number == input.number)?;
            successor.items += input.items - input.dead.len() as i64;
            successor.dead = successor.dead.union(&now.dead.difference(&input.dead));
        }
        Some(successor)
    }
}

/// How many bytes blocks have.
pub(crate) fn length(blocks: &[Block]) -> i64 {
    blocks.iter().map(|block| block.data.len() as i64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(number: i64, items: i64, dead: &[i64]) -> Segment {
        Segment { number, items, bytes: 1, dead: dead.iter().copied().collect() }
    }

    #[test]
    fn what_died_during_a_merge_is_dead_in_what_it_made() {
        let inputs = [segment(1, 5, &[10]), segment(2, 3, &[])];
        let now = [segment(1, 5, &[10, 11]), segment(2, 3, &[20]), segment(3, 9, &[30])];
        let made = Successor::of(&inputs, &now).unwrap();
        assert_eq!(made.items, 7);
        assert_eq!(made.dead.encode(), [11, 20].into_iter().collect::<DeadItems>().encode());
    }

    #[test]
    fn a_merge_of_what_does_not_count_any_more_was_for_nothing() {
        assert!(Successor::of(&[segment(1, 5, &[])], &[segment(2, 5, &[])]).is_none());
    }
}
