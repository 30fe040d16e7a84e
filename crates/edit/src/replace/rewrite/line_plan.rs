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
        let (mut written, mut blank, mut without_successor) = (Vec::new(), Vec::new(), Vec::new());
        for (removed, added) in gaps(&pairs, old_lines.len(), new_lines.len()) {
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
