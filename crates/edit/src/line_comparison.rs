//! Compares two sequences of lines: longest common subsequence, and the stretches that differ. Bounded by counts of
//! comparisons, never by a clock.

use std::collections::HashMap;
use std::ops::Range;

/// How many pairs of elements one longest common subsequence may compare.
pub(crate) const MAX_CELLS: usize = 1 << 20;
/// How many pairs all longest common subsequences of one comparison may compare together.
pub(crate) const MAX_TOTAL_CELLS: usize = 1 << 24;
/// How deep gaps between lines that occur once are searched for lines that occur once in the gap.
const MAX_DEPTH: usize = 6;

/// Ids for lines: equal lines have equal ids, so that comparing long lines again and again is cheap.
#[derive(Default)]
pub(crate) struct LineIds<'t> {
    ids: HashMap<&'t str, u32>,
}

impl<'t> LineIds<'t> {
    /// The ids of these lines.
    pub(crate) fn ids(&mut self, lines: impl Iterator<Item = &'t str>) -> Vec<u32> {
        let id = |line| {
            let next = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
            *self.ids.entry(line).or_insert(next)
        };
        lines.map(id).collect()
    }

    /// How many ids there are: each is below.
    pub(crate) fn count(&self) -> usize {
        self.ids.len()
    }
}

/// A longest common subsequence as pairs of indexes, the one that uses the earliest elements of `a`; `None` if finding
/// it takes more than `max_cells` comparisons.
pub(crate) fn common_subsequence(a: &[u32], b: &[u32], max_cells: usize) -> Option<Vec<(usize, usize)>> {
    if a.is_empty() || b.is_empty() {
        return Some(Vec::new());
    }
    let width = b.len() + 1;
    let cells = (a.len() + 1).checked_mul(width).filter(|cells| *cells <= max_cells)?;
    // lengths[i * width + j]: of the longest common subsequence of a[i..] and b[j..].
    let mut lengths = vec![0_u32; cells];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            lengths[i * width + j] = if a[i] == b[j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[i * width + j + 1] >= lengths[(i + 1) * width + j] {
            j += 1;
        } else {
            i += 1;
        }
    }
    Some(pairs)
}

/// What is removed, and what replaces it: a range of each sequence.
pub(crate) type SequenceChange = (Range<usize>, Range<usize>);

/// The stretches in which two sequences differ, in order: what is removed and what replaces it.
///
/// Lines that occur once in both hold the rest in place; between them a longest common subsequence is searched for. Where
/// that takes too much, the whole stretch differs.
pub(crate) fn changes(old: &[u32], new: &[u32]) -> Vec<SequenceChange> {
    let mut comparison = SequenceComparison { old, new, changes: Vec::new(), cells_left: MAX_TOTAL_CELLS };
    comparison.between(0..old.len(), 0..new.len(), 0);
    comparison.changes
}

struct SequenceComparison<'s> {
    old: &'s [u32],
    new: &'s [u32],
    changes: Vec<SequenceChange>,
    cells_left: usize,
}

/// How the lines between pairs of equal lines are treated.
#[derive(Clone, Copy)]
enum BetweenPairs {
    /// Lines that differ: the pairs are a longest common subsequence.
    Changed,
    /// Lines still to be compared, at that depth.
    Deeper(usize),
}

impl SequenceComparison<'_> {
    /// Adds the changes of two stretches.
    fn between(&mut self, mut a: Range<usize>, mut b: Range<usize>, depth: usize) {
        let (old, new) = (&self.old[a.clone()], &self.new[b.clone()]);
        let at_start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        a.start += at_start;
        b.start += at_start;
        let (old, new) = (&old[at_start..], &new[at_start..]);
        let at_end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        a.end -= at_end;
        b.end -= at_end;
        if a.is_empty() || b.is_empty() {
            self.add(a, b);
            return;
        }
        let (old, new) = (&self.old[a.clone()], &self.new[b.clone()]);
        if depth < MAX_DEPTH {
            let anchors = increasing(&once_in_both(old, new));
            if !anchors.is_empty() {
                self.around(&anchors, a, b, BetweenPairs::Deeper(depth + 1));
                return;
            }
        }
        match common_subsequence(old, new, MAX_CELLS.min(self.cells_left)) {
            Some(pairs) => {
                self.cells_left -= (a.len() + 1) * (b.len() + 1);
                self.around(&pairs, a, b, BetweenPairs::Changed);
            }
            None => self.add(a, b),
        }
    }

    /// Adds the changes between pairs of equal lines, which are relative to the stretches.
    fn around(&mut self, pairs: &[(usize, usize)], a: Range<usize>, b: Range<usize>, between: BetweenPairs) {
        let (mut from_a, mut from_b) = (a.start, b.start);
        let inside = pairs.iter().map(|(i, j)| (a.start + i, b.start + j));
        for (i, j) in inside.chain([(a.end, b.end)]) {
            match between {
                BetweenPairs::Changed => self.add(from_a..i, from_b..j),
                BetweenPairs::Deeper(depth) => self.between(from_a..i, from_b..j, depth),
            }
            (from_a, from_b) = (i + 1, j + 1);
        }
    }

    fn add(&mut self, a: Range<usize>, b: Range<usize>) {
        if a.is_empty() && b.is_empty() {
            return;
        }
        match self.changes.last_mut() {
            Some((last_a, last_b)) if last_a.end == a.start && last_b.end == b.start => {
                (last_a.end, last_b.end) = (a.end, b.end);
            }
            _ => self.changes.push((a, b)),
        }
    }
}

/// The elements that occur once in both, as pairs of indexes in the order of `a`.
fn once_in_both(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let (once_in_a, once_in_b) = (occurring_once(a), occurring_once(b));
    let mut others = once_in_b.iter().peekable();
    let mut pairs = Vec::new();
    for (element, here) in once_in_a {
        while others.next_if(|(other, _)| *other < element).is_some() {}
        if let Some((_, there)) = others.next_if(|(other, _)| *other == element) {
            pairs.push((here, *there));
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The elements that occur once, in their order, each with its index. Sorted, not hashed: a fifth of the memory.
fn occurring_once(elements: &[u32]) -> Vec<(u32, usize)> {
    let mut places: Vec<(u32, u32)> = elements.iter().copied().zip(0..).collect();
    places.sort_unstable();
    places
        .chunk_by(|(one, _), (other, _)| one == other)
        .filter_map(|same| match same {
            [(element, index)] => Some((*element, usize::try_from(*index).ok()?)),
            _ => None,
        })
        .collect()
}

/// The longest part of the pairs in which both indexes grow; the first grows already.
fn increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // tails[k]: the pair with the least second index that ends an increasing part of k + 1 pairs.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, (_, b)) in pairs.iter().enumerate() {
        let length = tails.partition_point(|tail| pairs[*tail].1 < *b);
        before.push(length.checked_sub(1).map(|shorter| tails[shorter]));
        match tails.get_mut(length) {
            Some(tail) => *tail = index,
            None => tails.push(index),
        }
    }
    let mut longest: Vec<(usize, usize)> =
        std::iter::successors(tails.last().copied(), |index| before[*index]).map(|index| pairs[index]).collect();
    longest.reverse();
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &[(Range<usize>, Range<usize>)]) {
        let mut ids = LineIds::default();
        let (old, new) = (ids.ids(old.split(' ')), ids.ids(new.split(' ')));
        assert_eq!(changes(&old, &new), expected);
    }

    #[test]
    fn changes_are_the_stretches_between_what_stays() {
        check("a b c", "a b c", &[]);
        check("a b c", "a x c", &[(1..2, 1..2)]);
        check("a b c d", "a c d e", &[(1..2, 1..1), (4..4, 3..4)]);
        check("a b a b a", "b a a b", &[(0..0, 0..1), (1..2, 2..2), (4..5, 4..4)]);
        check("a b", "c d", &[(0..2, 0..2)]);
    }

    #[test]
    fn sequences_without_a_hold_are_coarse_and_quick() {
        let old: Vec<u32> = (0..200_000_u32).map(|n| n.count_ones() % 2).collect();
        let new: Vec<u32> = (0..200_000_u32).map(|n| (n * 3).count_ones() % 2).collect();
        let found = changes(&old, &new);
        assert!(found.len() <= 2, "{}", found.len());
    }
}
