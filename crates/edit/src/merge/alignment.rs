//! Which lines of two texts certainly stand for each other: those that every alignment pairs.
//!
//! Patience gives one alignment; the others are all longest common subsequences, of which Myers' algorithm finds one. Where they
//! differ, because lines repeat or have moved, nothing says which of them is meant, and the lines count as changed.

use std::ops::Range;

use crate::line_comparison::{self, MAX_TOTAL_CELLS, SequenceChange};

use super::every_longest::{Band, in_every_longest};
use super::regions::Sequence;

/// How often a stretch is divided before it is compared.
const MAX_DEPTH: usize = 16;
/// How many changed lines there are around each line that is equal by chance, at the least; git takes as many.
const MIN_CHANGED_TO_JOIN: usize = 3;

/// The changes from `old` to `new`: everything between lines that every alignment pairs.
pub(super) fn certain_changes(old: &Sequence<'_>, new: &Sequence<'_>) -> Vec<SequenceChange> {
    let mut alignment = Alignment::by_patience(old, new);
    alignment.keep_certain(0..old.ids.len(), 0..new.ids.len(), 0);
    alignment.join_chance_matches(alignment.changes())
}

/// Pairs of equal lines, both in order.
struct Alignment<'s> {
    old: &'s Sequence<'s>,
    new: &'s Sequence<'s>,
    /// For each old line the new line that it is paired with.
    partners: Vec<Option<usize>>,
    cells_left: usize,
}

impl<'s> Alignment<'s> {
    fn by_patience(old: &'s Sequence<'s>, new: &'s Sequence<'s>) -> Alignment<'s> {
        let mut partners = Vec::with_capacity(old.ids.len());
        let mut next_new = 0;
        for (removed, added) in line_comparison::changes(old.ids, new.ids) {
            partners.extend((next_new..added.start).map(Some));
            partners.resize(removed.end, None);
            next_new = added.end;
        }
        partners.extend((next_new..new.ids.len()).map(Some));
        Alignment { old, new, partners, cells_left: MAX_TOTAL_CELLS }
    }

    /// Unpairs the lines of a stretch that another alignment pairs otherwise. Lines around the stretch are certain.
    fn keep_certain(&mut self, old: Range<usize>, new: Range<usize>, depth: usize) {
        let paired = self.partners[old.clone()].iter().flatten().count();
        let band = Band { removed: old.len() - paired, added: new.len() - paired };
        if paired == 0 || band == (Band { removed: 0, added: 0 }) {
            return;
        }
        let certain = if depth < MAX_DEPTH { self.certain_runs(&old, &new, band) } else { Vec::new() };
        if certain.is_empty() {
            self.compare(old, new, band);
            return;
        }
        let (mut old_start, mut new_start) = (old.start, new.start);
        for run in certain {
            let Some(partner) = self.partners[run.start] else { continue };
            self.keep_certain(old_start..run.start, new_start..partner, depth + 1);
            (old_start, new_start) = (run.end, partner + run.len());
        }
        self.keep_certain(old_start..old.end, new_start..new.end, depth + 1);
    }

    /// Runs of paired lines that every longest common subsequence of the stretch has: dividing there makes comparing cheap.
    ///
    /// A line that occurs once in both texts is paired with its equal or not at all. At the edge of the stretch, leaving such a
    /// line out of a run would make a common subsequence shorter. Elsewhere, no longest one leaves out more lines than this
    /// alignment does, so that it has one of the first such lines of a run, one of the last, and all that is between them.
    fn certain_runs(&self, old: &Range<usize>, new: &Range<usize>, band: Band) -> Vec<Range<usize>> {
        let left_out = band.removed.min(band.added);
        let mut certain = Vec::new();
        let mut next = old.start;
        while let Some(run) = self.next_run(next..old.end) {
            next = run.end;
            let once: Vec<usize> = run.clone().filter(|line| self.is_once_in_both(*line)).collect();
            let is_first = run.start == old.start && self.partners[run.start] == Some(new.start);
            let is_last = run.end == old.end && self.partners[run.end - 1] == Some(new.end - 1);
            let (first, last) = match (is_first, is_last) {
                (true, _) => (Some(run.start), once.last().copied()),
                (false, true) => (once.first().copied(), Some(run.end - 1)),
                (false, false) => (once.get(left_out).copied(), once.iter().rev().nth(left_out).copied()),
            };
            if let (Some(first), Some(last)) = (first, last)
                && first <= last
            {
                certain.push(first..last + 1);
            }
        }
        certain
    }

    /// The first lines in the range that are paired with lines that follow each other as they do.
    fn next_run(&self, lines: Range<usize>) -> Option<Range<usize>> {
        let start = lines.clone().find(|line| self.partners[*line].is_some())?;
        let follows =
            |line: &usize| self.partners[*line].is_some_and(|new| self.partners[*line - 1] == new.checked_sub(1));
        let length = 1 + (start + 1..lines.end).take_while(follows).count();
        Some(start..start + length)
    }

    fn is_once_in_both(&self, old_line: usize) -> bool {
        let id = self.old.ids[old_line];
        self.old.has_once(id) && self.new.has_once(id)
    }

    /// Unpairs what not every longest common subsequence pairs; everything if that is too much work.
    fn compare(&mut self, old: Range<usize>, new: Range<usize>, band: Band) {
        let (old_ids, new_ids) = (&self.old.ids[old.clone()], &self.new.ids[new.clone()]);
        let certain = in_every_longest(old_ids, new_ids, band, &mut self.cells_left).unwrap_or_default();
        let mut certain = certain.into_iter().peekable();
        for (index, partner) in self.partners[old].iter_mut().enumerate() {
            let pair = certain.next_if(|(certain, _)| *certain == index).map(|(_, partner)| new.start + partner);
            *partner = partner.filter(|partner| pair == Some(*partner));
        }
    }

    /// Joins changes between which there are only few lines that occur elsewhere, too: in a passage that was written anew, a blank
    /// line or a bracket is equal by chance.
    fn join_chance_matches(&self, changes: Vec<SequenceChange>) -> Vec<SequenceChange> {
        let mut once_before = vec![0];
        once_before.extend((0..self.old.ids.len()).scan(0_usize, |once, line| {
            *once += usize::from(self.is_once_in_both(line));
            Some(*once)
        }));
        let is_by_chance = |(old, new): &SequenceChange, (next_old, next_new): &SequenceChange| {
            let changed = (old.len() + next_old.len()).max(new.len() + next_new.len());
            let occur_elsewhere = once_before[old.end] == once_before[next_old.start];
            occur_elsewhere && (next_old.start - old.end) * MIN_CHANGED_TO_JOIN < changed
        };
        let mut joined: Vec<SequenceChange> = Vec::with_capacity(changes.len());
        for mut change in changes {
            while let Some((old, new)) = joined.pop_if(|last| is_by_chance(last, &change)) {
                change = (old.start..change.0.end, new.start..change.1.end);
            }
            joined.push(change);
        }
        joined
    }

    /// The stretches between paired lines.
    fn changes(&self) -> Vec<SequenceChange> {
        let mut changes = Vec::new();
        let (mut old_start, mut new_start) = (0, 0);
        let pairs = self.partners.iter().enumerate().filter_map(|(old, new)| Some((old, (*new)?)));
        for (old, new) in pairs.chain([(self.old.ids.len(), self.new.ids.len())]) {
            if (old_start, new_start) != (old, new) {
                changes.push((old_start..old, new_start..new));
            }
            (old_start, new_start) = (old + 1, new + 1);
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of two texts, most of them in both, of an alphabet of so many lines; of none when 0: then each line is another.
    fn sequences(seed: u32, alphabet: u32) -> (Vec<u32>, Vec<u32>) {
        let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
        let mut below = |bound: u32| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state % bound
        };
        let length = 5 + below(60);
        let old: Vec<u32> = (0..length).map(|line| if alphabet == 0 { line } else { below(alphabet) }).collect();
        let mut new = Vec::new();
        for (at, line) in old.iter().enumerate() {
            match below(25) {
                0 => {}
                1 => new.extend([*line, if alphabet == 0 { 1_000 + below(5) } else { below(alphabet) }]),
                2 => new.insert(new.len() - new.len().min(at % 7), *line),
                _ => new.push(*line),
            }
        }
        (old, new)
    }

    #[test]
    fn dividing_changes_nothing_but_the_work() {
        for seed in 0..3_000 {
            for alphabet in [0, 3, 12, 40] {
                let (old, new) = sequences(seed, alphabet);
                let [old, new] = [&old, &new].map(|ids| Sequence::new(ids, 2_000));
                let mut undivided = Alignment::by_patience(&old, &new);
                undivided.keep_certain(0..old.ids.len(), 0..new.ids.len(), MAX_DEPTH);
                assert_eq!(
                    certain_changes(&old, &new),
                    undivided.join_chance_matches(undivided.changes()),
                    "{:?} {:?}",
                    old.ids,
                    new.ids
                );
            }
        }
    }

    #[test]
    fn long_texts_are_compared_where_they_differ() {
        let old: Vec<u32> = (0..200_000).collect();
        let mut new = old.clone();
        for line in (0..200_000).step_by(2_000) {
            new[line] = 200_000;
        }
        let [old, new] = [&old, &new].map(|ids| Sequence::new(ids, 200_001));
        let mut alignment = Alignment::by_patience(&old, &new);
        alignment.keep_certain(0..200_000, 0..200_000, 0);
        assert_eq!(alignment.changes().len(), 100);
        assert!(MAX_TOTAL_CELLS - alignment.cells_left < 1_000, "{}", MAX_TOTAL_CELLS - alignment.cells_left);
    }
}
