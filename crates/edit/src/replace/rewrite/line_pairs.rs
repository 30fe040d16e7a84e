//! Pairs equal lines of `old_str` and `new_str`: these lines of the content stay as they are.

use std::ops::Range;

use crate::line_comparison::{LineIds, MAX_CELLS, common_subsequence};

/// Pairs equal lines in order: the common prefix, the common suffix, then a longest common subsequence of what is
/// between, the one that uses the earliest lines of `old`. Pairs are (index in `old`, index in `new`).
///
/// But when all of `old` is the end of `new`, all of `old` is paired with that end: the lines before it are new, even if
/// they start alike.
///
/// A subsequence is searched for while there are comparisons left for it; after that lines are paired at their edges
/// only. The same input gives the same result always.
pub(in crate::replace) fn pair_lines(old: &[&str], new: &[&str], cells_left: &mut usize) -> Vec<(usize, usize)> {
    let shorter = old.len().min(new.len());
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (prefix, suffix) = if suffix == old.len() { (0, suffix) } else { (prefix, suffix.min(shorter - prefix)) };
    let (old_rest, new_rest) = (&old[prefix..old.len() - suffix], &new[prefix..new.len() - suffix]);

    let mut pairs: Vec<(usize, usize)> = (0..prefix).map(|index| (index, index)).collect();
    if !old_rest.is_empty() && !new_rest.is_empty() {
        let mut ids = LineIds::default();
        let (old, new) = (ids.ids(old_rest.iter().copied()), ids.ids(new_rest.iter().copied()));
        let between = common_subsequence(&old, &new, MAX_CELLS.min(*cells_left)).unwrap_or_default();
        *cells_left = cells_left.saturating_sub((old.len() + 1).saturating_mul(new.len() + 1).min(MAX_CELLS));
        pairs.extend(between.into_iter().map(|(a, b)| (a + prefix, b + prefix)));
    }
    pairs.extend((0..suffix).rev().map(|back| (old.len() - 1 - back, new.len() - 1 - back)));
    pairs
}

/// The gaps between the pairs: lines of `old` that are removed and lines of `new` that replace them.
pub(in crate::replace) fn gaps(
    pairs: &[(usize, usize)],
    old_lines: usize,
    new_lines: usize,
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let mut from = (0, 0);
    let end = (old_lines, new_lines);
    pairs.iter().copied().chain([end]).map(move |to| {
        let gap = (from.0..to.0, from.1..to.1);
        from = (to.0 + 1, to.1 + 1);
        gap
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &[(usize, usize)]) {
        let split = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        let (old, new) = (split(String::leak(old.to_owned())), split(String::leak(new.to_owned())));
        assert_eq!(pair_lines(&old, &new, &mut { MAX_CELLS }), expected);
    }

    #[test]
    fn lines_that_stay_are_paired_in_order() {
        check("a b c", "a x c", &[(0, 0), (2, 2)]);
        check("a b", "b a", &[(0, 1)]);
        check("a a", "a", &[(0, 0)]);
        check("x a y b z", "p a q b r", &[(1, 1), (3, 3)]);
        check("a b c d", "c d a b", &[(0, 2), (1, 3)]);
        check("a b c", "a b x a b c", &[(0, 3), (1, 4), (2, 5)]);
        check("a b c", "a b c x b c", &[(0, 0), (1, 1), (2, 2)]);
        check("a b x a b c", "a b c", &[(0, 0), (1, 1), (5, 2)]);
    }

    #[test]
    fn too_many_lines_are_paired_at_the_edges_only() {
        let old: Vec<String> = (0..2_000).map(|n| n.to_string()).collect();
        let mut new = old.clone();
        new[1] = "x".to_owned();
        new[1_998] = "y".to_owned();
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        assert_eq!(pair_lines(&old, &new, &mut { MAX_CELLS }), [(0, 0), (1_999, 1_999)]);
    }
}
