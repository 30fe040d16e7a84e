//! The oracle of pairing: which lines of `new_str` are lines of `old_str`.

use super::classes::note;
use std::ops::Range;

/// For every line of `new` the line of `old` that it is: common prefix, common suffix, then the earliest longest common
/// subsequence of the rest. When all of `old` is the end of `new`, it is there.
pub(crate) fn pair(old: &[String], new: &[String]) -> Vec<Option<usize>> {
    let shorter = old.len().min(new.len());
    let common_prefix = (0..shorter).take_while(|&at| old[at] == new[at]).count();
    let common_suffix = (1..=shorter).take_while(|&at| old[old.len() - at] == new[new.len() - at]).count();
    let prefix = if new.ends_with(old) { 0 } else { common_prefix };
    let suffix = common_suffix.min(shorter - prefix);
    let mut pairs: Vec<Option<usize>> = (0..new.len()).map(|at| (at < prefix).then_some(at)).collect();
    for at in 1..=suffix {
        pairs[new.len() - at] = Some(old.len() - at);
    }
    let (old_rest, new_rest) = (&old[prefix..old.len() - suffix], &new[prefix..new.len() - suffix]);
    for (i, j) in longest_common_subsequence(old_rest, new_rest) {
        pairs[prefix + j] = Some(prefix + i);
    }
    pairs
}

/// The same where text follows the last lines: no line of `old` but the last one may be the last of `new`, for the text would
/// follow that line then.
pub(crate) fn pair_before_text(old: &[String], new: &[String]) -> Vec<Option<usize>> {
    let (end_of_old, end_of_new) = (old.len() - 1, new.len() - 1);
    let pairs = pair(old, new);
    if pairs[end_of_new].is_none_or(|line| line == end_of_old) {
        return pairs;
    }
    note("last line before text");
    let last = (old[end_of_old] == new[end_of_new]).then_some(end_of_old);
    let others = if last.is_some() { &old[..end_of_old] } else { old };
    let mut pairs = pair(others, &new[..end_of_new]);
    pairs.push(last);
    pairs
}

fn longest_common_subsequence(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    if (old.len() + 1) * (new.len() + 1) > 1 << 20 {
        return Vec::new();
    }
    // lengths[i][j]: of the longest common subsequence of old[i..] and new[j..].
    let mut lengths = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            lengths[i][j] = match old[i] == new[j] {
                true => lengths[i + 1][j + 1] + 1,
                false => lengths[i + 1][j].max(lengths[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[i][j + 1] >= lengths[i + 1][j] {
            j += 1;
        } else {
            i += 1;
        }
    }
    pairs
}

/// Lines of `old` that go and lines of `new` that come between two lines that stay; either may be none.
pub(crate) struct Gap {
    pub(crate) removed: Range<usize>,
    pub(crate) written: Range<usize>,
}

impl Gap {
    /// The line of `old` that a written line replaces.
    pub(crate) fn replaced_by(&self, written: usize) -> Option<usize> {
        let old = self.removed.start + written - self.written.start;
        self.removed.contains(&old).then_some(old)
    }
}

/// The gaps between the lines that stay.
pub(crate) fn gaps(pairs: &[Option<usize>], old_lines: usize) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let (mut next_old, mut next_new) = (0, 0);
    let end = (pairs.len(), Some(old_lines));
    for (new, old) in pairs.iter().copied().enumerate().chain([end]) {
        let Some(old) = old else { continue };
        gaps.push(Gap { removed: next_old..old, written: next_new..new });
        (next_old, next_new) = (old + 1, new + 1);
    }
    gaps
}
