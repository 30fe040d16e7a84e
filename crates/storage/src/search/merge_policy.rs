//! The merge policy: which segments are merged next.
//!
//! Segments are in tiers by size, each eight times the one before. Eight of a tier become one, which is most often of
//! the next tier: so a search reads few segments, and a posting is rewritten about once a tier. A segment with many
//! tombstones is rewritten alone, which gives its space back.

use std::collections::BTreeMap;

/// How many segments of a tier are merged, and how much larger the segments of the next tier are, as a power of 2.
const FAN_OUT_LOG: u32 = 3;
const FAN_OUT: usize = 1 << FAN_OUT_LOG;
/// Under this size all segments are of one tier: rewriting them costs less than looking into each.
const SMALLEST_TIER_BYTES: u64 = 64 * 1024;
/// How many segments one merge takes at most, because it holds a block of each.
const MOST_AT_ONCE: usize = 4 * FAN_OUT;

/// The sizes of a live segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentSize {
    /// Its number.
    pub(crate) number: i64,
    /// How many bytes its blocks have.
    pub(crate) bytes: u64,
    /// How many items it was made of.
    pub(crate) items: u64,
    /// For how many of those it has tombstones.
    pub(crate) tombstones: u64,
}

impl SegmentSize {
    fn tier(&self) -> u32 {
        (self.bytes / SMALLEST_TIER_BYTES).checked_ilog2().map_or(0, |log| 1 + log / FAN_OUT_LOG)
    }

    /// Whether more than a third of its items are tombstones.
    fn is_decayed(&self) -> bool {
        self.tombstones.saturating_mul(3) > self.items
    }
}

/// The numbers, in ascending order, of the segments to merge into one next; `None` if no merge is due. One alone is to be
/// rewritten. Merging until `None` terminates: each merge leaves fewer segments or fewer decayed ones.
pub(crate) fn segments_to_merge(segments: &[SegmentSize]) -> Option<Vec<i64>> {
    let mut tiers: BTreeMap<u32, Vec<&SegmentSize>> = BTreeMap::new();
    for segment in segments {
        tiers.entry(segment.tier()).or_default().push(segment);
    }
    tiers.into_values().find_map(|mut tier| {
        if tier.len() < FAN_OUT {
            tier.retain(|segment| segment.is_decayed());
        }
        let mut numbers: Vec<i64> = tier.iter().map(|segment| segment.number).collect();
        numbers.sort_unstable();
        numbers.truncate(MOST_AT_ONCE);
        (!numbers.is_empty()).then_some(numbers)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(number: i64, bytes: u64) -> SegmentSize {
        SegmentSize { number, bytes, items: 100, tombstones: 0 }
    }

    #[test]
    fn eight_of_a_tier_are_merged() {
        let mut segments: Vec<SegmentSize> = (1..=7).map(|number| segment(number, 100)).collect();
        segments.extend((8..=14).map(|number| segment(number, 64 * 1024)));
        assert_eq!(segments_to_merge(&segments), None);
        segments.push(segment(15, 512 * 1024 - 1));
        assert_eq!(segments_to_merge(&segments), Some((8..=15).collect()));
        segments[14] = segment(15, 512 * 1024);
        assert_eq!(segments_to_merge(&segments), None);
        segments.insert(0, segment(16, 64 * 1024 - 1));
        assert_eq!(segments_to_merge(&segments), Some(vec![1, 2, 3, 4, 5, 6, 7, 16]));
    }

    #[test]
    fn a_segment_with_tombstones_for_more_than_a_third_is_rewritten() {
        let mut segments = vec![segment(1, 100), segment(2, 1 << 20), segment(3, 1 << 20)];
        segments[1].tombstones = 33;
        assert_eq!(segments_to_merge(&segments), None);
        segments[1].tombstones = 34;
        assert_eq!(segments_to_merge(&segments), Some(vec![2]));
        segments[2].tombstones = 100;
        assert_eq!(segments_to_merge(&segments), Some(vec![2, 3]));
    }

    #[test]
    fn a_backlog_is_merged_in_parts() {
        let segments: Vec<SegmentSize> = (1..=1000).map(|number| segment(number, 1000)).collect();
        assert_eq!(segments_to_merge(&segments), Some((1..=32).collect()));
        assert_eq!(segments_to_merge(&[]), None);
    }

    /// The segments after many appends, and what the merges cost.
    struct Simulated {
        segments: Vec<SegmentSize>,
        most_segments: usize,
        appended: u64,
        rewritten: u64,
    }

    /// Appends segments of one item each, `bytes(n)` for the n-th, every `change`-th of which replaces an older item.
    /// A merge leaves 15/16 of the bytes that live, because its inputs have keys in common.
    fn simulate(appends: i64, bytes: impl Fn(i64) -> u64, change: i64) -> Simulated {
        let mut all = Simulated { segments: Vec::new(), most_segments: 0, appended: 0, rewritten: 0 };
        for number in 1..=appends {
            if number % change == 0 {
                let victim = number.unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
                let live: u64 = all.segments.iter().map(|segment| segment.items - segment.tombstones).sum();
                let mut nth = victim % live.max(1);
                for segment in &mut all.segments {
                    let live = segment.items - segment.tombstones;
                    if nth < live {
                        segment.tombstones += 1;
                        break;
                    }
                    nth -= live;
                }
            }
            all.segments.push(SegmentSize { number, bytes: bytes(number), items: 1, tombstones: 0 });
            all.appended += bytes(number);
            while let Some(numbers) = segments_to_merge(&all.segments) {
                let merged = all.segments.extract_if(.., |segment| numbers.contains(&segment.number));
                let (mut bytes, mut items) = (0, 0);
                for segment in merged {
                    bytes += segment.bytes * (segment.items - segment.tombstones) / segment.items;
                    items += segment.items - segment.tombstones;
                }
                if items > 0 {
                    let bytes = bytes * 15 / 16;
                    all.segments.push(SegmentSize { number: numbers[0], bytes, items, tombstones: 0 });
                    all.rewritten += bytes;
                }
            }
            all.most_segments = all.most_segments.max(all.segments.len());
        }
        all
    }

    #[test]
    fn segments_stay_few_and_bytes_are_seldom_rewritten() {
        let sizes: [fn(i64) -> u64; 4] =
            [|_| 2_000, |_| 8_000, |_| 70_000, |n| 500 << (n.unsigned_abs().wrapping_mul(0x9e37_79b9) >> 7 & 7)];
        for (nth, bytes) in sizes.into_iter().enumerate() {
            for change in [i64::MAX, 10, 2, 1] {
                let all = simulate(10_000, bytes, change);
                assert!(all.most_segments <= 32, "sizes {nth}, change {change}: {} segments", all.most_segments);
                let times = all.rewritten / all.appended;
                assert!(times <= 8, "sizes {nth}, change {change}: rewritten {times} times");
            }
        }
    }
}
