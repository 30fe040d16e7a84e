//! Where the two sides of a merge changed the base, and what becomes of each such region.

use std::ops::Range;

use crate::line_comparison::SequenceChange;

use super::alignment::certain_changes;

/// Lines of the base that were changed, up to lines that neither side changed, and what stands for them on each side.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) base: Range<usize>,
    pub(super) ours: Range<usize>,
    pub(super) theirs: Range<usize>,
    pub(super) outcome: Outcome,
}

/// What becomes of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Only we changed it.
    TakeOurs,
    /// Only they changed it, or both did alike.
    KeepTheirs,
    /// Both changed it.
    Conflict,
}

/// The three texts as ids of their lines.
pub(super) struct Sequences<'s> {
    base: Sequence<'s>,
    ours: Sequence<'s>,
    theirs: Sequence<'s>,
}

/// Ids of lines, and how often each id is there.
pub(super) struct Sequence<'s> {
    pub(super) ids: &'s [u32],
    pub(super) occurrences: Vec<Occurrences>,
}

/// How often a line occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Occurrences {
    #[default]
    Zero,
    One,
    Several,
}

/// Counts each id, all of them below `id_count`.
fn count(ids: impl Iterator<Item = u32>, id_count: usize) -> Vec<Occurrences> {
    let mut occurrences = vec![Occurrences::Zero; id_count];
    for id in ids {
        let counted = &mut occurrences[id as usize];
        *counted = if *counted == Occurrences::Zero { Occurrences::One } else { Occurrences::Several };
    }
    occurrences
}

impl<'s> Sequence<'s> {
    pub(super) fn new(ids: &'s [u32], id_count: usize) -> Sequence<'s> {
        Sequence { ids, occurrences: count(ids.iter().copied(), id_count) }
    }

    /// Whether it has this line once.
    pub(super) fn has_once(&self, id: u32) -> bool {
        self.occurrences[id as usize] == Occurrences::One
    }
}

impl<'s> Sequences<'s> {
    /// Takes ids below `id_count`.
    pub(super) fn new(base: &'s [u32], ours: &'s [u32], theirs: &'s [u32], id_count: usize) -> Sequences<'s> {
        let [base, ours, theirs] = [base, ours, theirs].map(|ids| Sequence::new(ids, id_count));
        Sequences { base, ours, theirs }
    }

    /// All regions, in order.
    pub(super) fn regions(&self) -> Vec<Region> {
        let our_changes = certain_changes(&self.base, &self.ours);
        let their_changes = certain_changes(&self.base, &self.theirs);
        let (mut ours, mut theirs) = (ChangeCursor::new(&our_changes), ChangeCursor::new(&their_changes));
        let mut regions = Vec::new();
        while let Some(start) = ours.next_line().into_iter().chain(theirs.next_line()).min() {
            let (our_start, their_start) = (ours.side_line(start), theirs.side_line(start));
            let (mut end, our_count, their_count) = (start, ours.changes.len(), theirs.changes.len());
            while ours.take_touching(&mut end) || theirs.take_touching(&mut end) {}
            let mut region = Region {
                base: start..end,
                ours: our_start..ours.side_line(end),
                theirs: their_start..theirs.side_line(end),
                outcome: Outcome::Conflict,
            };
            let same = || self.ours.ids[region.ours.clone()] == self.theirs.ids[region.theirs.clone()];
            if theirs.changes.len() == their_count {
                region.outcome = Outcome::TakeOurs;
            } else if ours.changes.len() == our_count || same() {
                region.outcome = Outcome::KeepTheirs;
            }
            regions.push(region);
        }
        self.refuse_contradictions(&mut regions);
        regions
    }

    /// Makes conflicts of the regions that bring a line more often than the sides say; only where there is no conflict yet.
    ///
    /// A line that no text has twice needs no alignment: it stays if both sides have it, and is new if one side has it. Regions
    /// that are merged one by one can contradict that, when a line is moved or is added at different places. A line that only
    /// stands where another stood is not added: both sides may have changed different places in the same way.
    fn refuse_contradictions(&self, regions: &mut [Region]) {
        if regions.iter().any(|region| region.outcome == Outcome::Conflict) {
            return;
        }
        let merged = count(self.merged(regions), self.base.occurrences.len());
        for region in regions {
            let brought = match region.outcome {
                Outcome::TakeOurs => &self.ours.ids[region.ours.clone()],
                Outcome::KeepTheirs | Outcome::Conflict => &self.theirs.ids[region.theirs.clone()],
            };
            let adds_lines = brought.len() > region.base.len();
            let is_contradicted = |id: &u32| {
                let [base, ours, theirs] =
                    [&self.base, &self.ours, &self.theirs].map(|text| text.occurrences[*id as usize]);
                let is_doubled = base == Occurrences::Zero && merged[*id as usize] > ours.max(theirs) && adds_lines;
                let is_moved = base == Occurrences::One && merged[*id as usize] > ours.min(theirs);
                base.max(ours).max(theirs) <= Occurrences::One && (is_doubled || is_moved)
            };
            if brought.iter().any(is_contradicted) {
                region.outcome = Outcome::Conflict;
            }
        }
    }

    /// The lines of the merged text.
    fn merged(&self, regions: &[Region]) -> impl Iterator<Item = u32> {
        let ours = regions.iter().filter(|region| region.outcome == Outcome::TakeOurs);
        let ends = ours.clone().map(|region| region.theirs.start).chain([self.theirs.ids.len()]);
        let starts = [0].into_iter().chain(ours.clone().map(|region| region.theirs.end));
        let kept = starts.zip(ends).flat_map(|(start, end)| &self.theirs.ids[start..end]);
        kept.chain(ours.flat_map(|region| &self.ours.ids[region.ours.clone()])).copied()
    }
}

/// The changes of one side that are not passed yet, and where the side is after the last one that is.
struct ChangeCursor<'c> {
    changes: &'c [SequenceChange],
    base: usize,
    side: usize,
}

impl<'c> ChangeCursor<'c> {
    fn new(changes: &'c [SequenceChange]) -> ChangeCursor<'c> {
        ChangeCursor { changes, base: 0, side: 0 }
    }

    /// Where the next change starts in the base.
    fn next_line(&self) -> Option<usize> {
        self.changes.first().map(|(base, _)| base.start)
    }

    /// The side's line for a line of the base that lies before the next change.
    fn side_line(&self, base: usize) -> usize {
        self.side + (base - self.base)
    }

    /// Passes the next change if no unchanged line lies between it and what ends at `end`, which it then moves.
    fn take_touching(&mut self, end: &mut usize) -> bool {
        match self.changes {
            [(base, side), rest @ ..] if base.start <= *end => {
                *end = base.end.max(*end);
                *self = ChangeCursor { changes: rest, base: base.end, side: side.end };
                true
            }
            _ => false,
        }
    }
}
