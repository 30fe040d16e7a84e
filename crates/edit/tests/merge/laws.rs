//! Laws of a merge, stated over a naive alignment. Shared with the fuzz target.

use std::collections::{BTreeMap, BTreeSet};

use interline_edit::{ConflictLines, Edit, MergeConflict, merge};

use crate::oracle;

/// All laws of one merge; returns the merged text if there is no conflict.
pub(crate) fn merging(base: &str, ours: &str, theirs: &str) -> Option<String> {
    an_unchanged_side_gives_the_other(base, ours, theirs);
    match (merge(base, ours, theirs), merge(base, theirs, ours)) {
        (Ok(edit), Ok(mirrored)) => {
            let merged = oracle::laws::edit(theirs, &edit);
            assert_eq!(mirrored.apply(ours).unwrap(), merged, "swapping the sides gives the same text");
            clean(base, ours, theirs, &merged);
            Some(merged)
        }
        (Err(conflicts), Err(mirrored)) => {
            let mirrored: Vec<_> = mirrored
                .into_iter()
                .map(|MergeConflict { base, ours, theirs }| MergeConflict { base, ours: theirs, theirs: ours })
                .collect();
            assert_eq!(conflicts, mirrored, "swapping the sides");
            conflicted(base, ours, theirs, &conflicts);
            None
        }
        other => panic!("swapping the sides decides: {other:?}"),
    }
}

pub(crate) fn an_unchanged_side_gives_the_other(base: &str, ours: &str, theirs: &str) {
    for side in [ours, theirs] {
        assert_eq!(merge(base, base, side), Ok(Edit::default()), "we changed nothing");
        assert_eq!(merge(base, side, base).unwrap().apply(base).unwrap(), side, "they changed nothing");
        assert_eq!(merge(base, side, side), Ok(Edit::default()), "both made the same change");
    }
}

/// What holds for a merged text.
fn clean(base: &str, ours: &str, theirs: &str, merged: &str) {
    let [base, ours, theirs, merged] = [base, ours, theirs, merged].map(lines);
    for order in [Order::Forward, Order::Backward] {
        let (our_side, their_side) = (Side::new(&base, &ours, order), Side::new(&base, &theirs, order));
        for (side, other) in [(&our_side, &their_side), (&their_side, &our_side)] {
            let lines = side.lines_not_removed_by(other);
            assert!(is_subsequence(&lines, &merged), "lost of {lines:?}: {merged:?}");
        }
        let [removed, their_removed] = [&our_side, &their_side].map(Side::removed);
        let [inserted, their_inserted] = [&our_side, &their_side].map(Side::inserted);
        for line in base.iter().chain(&ours).chain(&theirs).collect::<BTreeSet<_>>() {
            let count = |lines: &[&str]| lines.iter().filter(|other| *other == line).count();
            let [before, after] = [&base, &merged].map(|lines| count(lines));
            let [removed, their_removed] = [&removed, &their_removed].map(|lines| count(lines));
            let [inserted, their_inserted] = [&inserted, &their_inserted].map(|lines| count(lines));
            let least = before + inserted.max(their_inserted);
            assert!(after + removed + their_removed >= least, "{line:?} is lost: {merged:?}");
            let most = before + inserted + their_inserted;
            assert!(after + removed.max(their_removed) <= most, "{line:?} is doubled: {merged:?}");
        }
    }
    lines_that_no_text_has_twice(&base, &ours, &theirs, &merged);
}

/// Such a line is merged by counting: it stays if both sides have it, and is new if one side has it. New lines may be there
/// twice, where both sides changed different lines alike.
fn lines_that_no_text_has_twice(base: &[&str], ours: &[&str], theirs: &[&str], merged: &[&str]) {
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for (text, lines) in [base, ours, theirs, merged].into_iter().enumerate() {
        lines.iter().for_each(|line| counts.entry(line).or_default()[text] += 1);
    }
    for (line, [base, ours, theirs, merged]) in counts {
        if base.max(ours).max(theirs) <= 1 {
            let expected =
                if base == 1 { ours.min(theirs)..=ours.min(theirs) } else { ours.max(theirs)..=ours + theirs };
            assert!(expected.contains(&merged), "{line:?} is there {merged} times");
        }
    }
}

fn conflicted(base: &str, ours: &str, theirs: &str, conflicts: &[MergeConflict<'_>]) {
    assert!(!conflicts.is_empty());
    for (side, text) in [base, ours, theirs].into_iter().enumerate() {
        let lines = lines(text);
        let mut next = 1;
        for conflict in conflicts {
            let ConflictLines { start_line, end_line, text } = [conflict.base, conflict.ours, conflict.theirs][side];
            assert!(next <= start_line && start_line <= end_line + 1, "in order: {conflicts:?}");
            assert_eq!(lines[start_line - 1..end_line].concat(), text);
            next = end_line + 1;
        }
    }
    for conflict in conflicts {
        assert_ne!(conflict.ours.text, conflict.theirs.text, "the same change is no conflict");
    }
}

/// Lines with their endings.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn is_subsequence(part: &[&str], whole: &[&str]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|line| whole.any(|other| other == line))
}

/// Which of the longest common subsequences: there are several where lines repeat.
#[derive(Clone, Copy)]
enum Order {
    Forward,
    Backward,
}

/// One side beside the base.
struct Side<'t> {
    base: &'t [&'t str],
    side: &'t [&'t str],
    /// Indexes of lines of the base and of the side that are the same, by a longest common subsequence.
    pairs: Vec<(usize, usize)>,
}

impl<'t> Side<'t> {
    fn new(base: &'t [&'t str], side: &'t [&'t str], order: Order) -> Side<'t> {
        let pairs = match order {
            Order::Forward => longest_common_subsequence(base, side),
            Order::Backward => {
                let reversed = |lines: &[&'t str]| lines.iter().rev().copied().collect::<Vec<_>>();
                let pairs = longest_common_subsequence(&reversed(base), &reversed(side));
                pairs.into_iter().rev().map(|(i, j)| (base.len() - 1 - i, side.len() - 1 - j)).collect()
            }
        };
        Side { base, side, pairs }
    }

    fn keeps(&self, base_line: usize) -> bool {
        self.pairs.iter().any(|(line, _)| *line == base_line)
    }

    fn removed(&self) -> Vec<&'t str> {
        (0..self.base.len()).filter(|line| !self.keeps(*line)).map(|line| self.base[line]).collect()
    }

    fn inserted(&self) -> Vec<&'t str> {
        let is_inserted = |line: &usize| !self.pairs.iter().any(|(_, paired)| paired == line);
        (0..self.side.len()).filter(is_inserted).map(|line| self.side[line]).collect()
    }

    /// The lines of this side: those that it inserted, and those of the base that the other side left.
    fn lines_not_removed_by(&self, other: &Side<'_>) -> Vec<&'t str> {
        let is_left = |line: &usize| match self.pairs.iter().find(|(_, paired)| paired == line) {
            Some((base_line, _)) => other.keeps(*base_line),
            None => true,
        };
        (0..self.side.len()).filter(is_left).map(|line| self.side[line]).collect()
    }
}

/// By the table of all pairs of suffixes.
fn longest_common_subsequence(a: &[&str], b: &[&str]) -> Vec<(usize, usize)> {
    let mut lengths = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            lengths[i][j] =
                if a[i] == b[j] { lengths[i + 1][j + 1] + 1 } else { lengths[i + 1][j].max(lengths[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[i + 1][j] >= lengths[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
