//! Which lines of `old_str` stay, and which lines of `new_str` are written.

use crate::lines::is_blank_text;

use super::line_pairs::{gaps, pair_lines};

/// Which lines of `old_str` stay, and which lines of `new_str` are written.
pub(super) struct LinePlan<'r> {
    pub(super) new_lines: Vec<&'r str>,
    /// Lines that stay: (of `old_str`, of `new_lines`).
    pub(super) pairs: Vec<(usize, usize)>,
    /// The other lines of `new_lines` that are not blank, each with the line of `old_str` that it replaces, if one.
    pub(super) written: Vec<(usize, Option<usize>)>,
    /// The other lines of `new_lines` that are blank, likewise.
    pub(super) blank: Vec<(usize, Option<usize>)>,
    /// Lines of `old_str` that others replace together, no one in particular.
    pub(super) without_successor: Vec<usize>,
    /// How many lines were removed from the start of `new_str`.
    pub(super) removed_at_start: usize,
}

impl<'r> LinePlan<'r> {
    pub(super) fn new(
        old_lines: &[&str],
        new_lines: Vec<&'r str>,
        removed_at_start: usize,
        cells_left: &mut usize,
    ) -> LinePlan<'r> {
        let pairs = pair_lines(old_lines, &new_lines, cells_left);
        LinePlan::with_pairs(pairs, old_lines.len(), new_lines, removed_at_start)
    }

    /// The plan for a match that does not end where the text of a line ends: the rest of the line follows it or, after a final
    /// newline of `old_str`, the next line. If another line than the last of `old_str` stayed as the last line, the text that
    /// follows would be joined to its end. So the last line of `new_str` is paired with the last of `old_str` or with none.
    pub(super) fn before_text(old_lines: &[&str], new_lines: Vec<&'r str>, cells_left: &mut usize) -> LinePlan<'r> {
        let (Some((old_last, old_rest)), Some((new_last, new_rest))) = (old_lines.split_last(), new_lines.split_last())
        else {
            return LinePlan::new(old_lines, new_lines, 0, cells_left);
        };
        let last = (old_rest.len(), new_rest.len());
        let mut pairs = pair_lines(old_lines, &new_lines, cells_left);
        if pairs.last().is_some_and(|(number, index)| *index == last.1 && *number != last.0) {
            pairs = if old_last == new_last {
                pair_lines(old_rest, new_rest, cells_left).into_iter().chain([last]).collect()
            } else {
                pair_lines(old_lines, new_rest, cells_left)
            };
        }
        LinePlan::with_pairs(pairs, old_lines.len(), new_lines, 0)
    }

    fn with_pairs(
        pairs: Vec<(usize, usize)>,
        old_lines: usize,
        new_lines: Vec<&'r str>,
        removed_at_start: usize,
    ) -> LinePlan<'r> {
        let (mut written, mut blank, mut without_successor) = (Vec::new(), Vec::new(), Vec::new());
        for (removed, added) in gaps(&pairs, old_lines, new_lines.len()) {
            let is_written = |index: &usize| !is_blank_text(new_lines[*index]);
            let successor =
                |number: usize| Some(added.start + number - removed.start).filter(|index| added.contains(index));
            if added.clone().any(|index| is_written(&index)) {
                without_successor.extend(
                    removed.clone().filter(|number| !successor(*number).is_some_and(|index| is_written(&index))),
                );
            }
            for index in added.clone() {
                let replaced = Some(removed.start + index - added.start).filter(|number| removed.contains(number));
                let lines = if is_written(&index) { &mut written } else { &mut blank };
                lines.push((index, replaced));
            }
        }
        LinePlan { new_lines, pairs, written, blank, without_successor, removed_at_start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_after_a_match_is_not_joined_to_a_line_that_stays() {
        let check = |old: &[&str], new: &[&'static str], expected: &[(usize, usize)]| {
            assert_eq!(LinePlan::before_text(old, new.to_vec(), &mut { 1 << 20 }).pairs, expected, "{old:?} {new:?}");
        };
        check(&["b", "", ""], &["b", ""], &[(0, 0), (2, 1)]);
        check(&["b", "", "c"], &["b", ""], &[(0, 0)]);
        check(&["b", "", "c"], &["x", ""], &[]);
        check(&["b", ""], &["b", "", ""], &[(0, 0), (1, 1)]);
        check(&["b", "c"], &["c", "b", "c"], &[(0, 1), (1, 2)]);
        check(&["b", "c"], &["b", "c", "d"], &[(0, 0), (1, 1)]);
        check(&["b", "c"], &["b"], &[]);
    }
}
