//! The change from one text to another as hunks of lines, each of which can be kept or taken back by itself.

use std::fmt;
use std::ops::{AddAssign, Range};

use crate::diff::{ChangedBlock, LineChange, line_changes};
use crate::edit::{Edit, Splice};

/// Lines of one text that a hunk is about; none, before `start_line`, when that is `end_line + 1`.
///
/// A final newline ends the last line and no line follows it, as in a diff: the empty text has no line, and `"a\n"` has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkLines {
    /// First line, 1-based.
    pub start_line: usize,
    /// Last line, inclusive.
    pub end_line: usize,
    /// Their bytes, every line ending included.
    pub bytes: Range<usize>,
}

/// How many lines a change adds and removes; a line that is changed is removed and added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Lines that a diff shows with `+`.
    pub added: usize,
    /// Lines that a diff shows with `-`.
    pub removed: usize,
}

impl AddAssign for LineCounts {
    fn add_assign(&mut self, more: LineCounts) {
        self.added += more.added;
        self.removed += more.removed;
    }
}

/// What stands under one `@@` of the diff, without the lines of context around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The lines before the change, from the first that changes to the last.
    pub before: HunkLines,
    /// What stands for them after it.
    pub after: HunkLines,
    /// Of the lines that change: those between them that stay are not counted.
    pub counts: LineCounts,
    /// The stretches of lines that change.
    changes: Vec<ByteChange>,
}

/// Bytes of the text before and those that replace them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ByteChange {
    before: Range<usize>,
    after: Range<usize>,
}

/// No hunk has this index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownHunk {
    /// What was asked for.
    pub index: usize,
    /// How many hunks there are.
    pub total: usize,
}

impl fmt::Display for UnknownHunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no hunk with the index {}: the change has {}", self.index, self.total)
    }
}

impl std::error::Error for UnknownHunk {}

/// The hunks between two texts.
#[derive(Clone, Debug)]
pub struct Hunks<'t> {
    before: &'t str,
    after: &'t str,
    hunks: Vec<Hunk>,
}

/// The change from one text to the other as hunks: those of [`diff`](crate::diff()), all of them where the diff is cut.
///
/// Bounded as the diff is: the more the texts differ, the coarser. The memory is that of [`diff_memory`](crate::diff_memory).
///
/// ```
/// use interline_edit::hunks;
///
/// let before = "one\n2\n3\n4\n5\n6\n7\n8\nnine\n";
/// let after = "ONE\n2\n3\n4\n5\n6\n7\n8\nnine\nten\n";
/// let change = hunks(before, after);
/// let [first, second] = change.as_slice() else { panic!("two hunks") };
/// assert_eq!((first.after.start_line, first.after.end_line), (1, 1));
/// assert_eq!((second.before.start_line, second.before.end_line), (10, 9), "nothing stood there");
///
/// assert_eq!(change.revert(&[0])?.apply(after)?, "one\n2\n3\n4\n5\n6\n7\n8\nnine\nten\n");
/// assert_eq!(change.accept(&[0])?.apply(before)?, "ONE\n2\n3\n4\n5\n6\n7\n8\nnine\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hunks<'t>(before: &'t str, after: &'t str) -> Hunks<'t> {
    let block = ChangedBlock::between(before, after);
    let mut hunks = Vec::new();
    let mut offset = Offset::default();
    let changes = line_changes(before, &block);
    for together in changes.chunk_by(LineChange::is_of_one_hunk_with) {
        hunks.extend(hunk(together, &mut offset));
    }
    Hunks { before, after, hunks }
}

/// How much further on the same place is in the text after.
#[derive(Default)]
struct Offset {
    bytes: isize,
    lines: isize,
}

/// The hunk of changes that belong together; `None` of no changes.
fn hunk(changes: &[LineChange<'_>], offset: &mut Offset) -> Option<Hunk> {
    let (first, last) = (changes.first()?, changes.last()?);
    let end_line = last.first_line + last.removed_lines;
    let before = HunkLines { start_line: first.first_line + 1, end_line, bytes: first.range.start..last.range.end };
    let after_start_line = before.start_line.saturating_add_signed(offset.lines);
    let mut counts = LineCounts::default();
    let mut byte_changes = Vec::with_capacity(changes.len());
    for change in changes {
        let start = change.range.start.saturating_add_signed(offset.bytes);
        byte_changes.push(ByteChange { before: change.range.clone(), after: start..start + change.added.len() });
        offset.bytes += change.added.len().cast_signed() - change.range.len().cast_signed();
        offset.lines += change.lines_gained();
        counts += LineCounts { added: change.added_lines, removed: change.removed_lines };
    }
    let after = HunkLines {
        start_line: after_start_line,
        end_line: end_line.saturating_add_signed(offset.lines),
        bytes: byte_changes.first()?.after.start..byte_changes.last()?.after.end,
    };
    Some(Hunk { before, after, counts, changes: byte_changes })
}

impl Hunks<'_> {
    /// All hunks, in the order of the texts; between any two are lines that both texts have.
    pub fn as_slice(&self) -> &[Hunk] {
        &self.hunks
    }

    /// How many lines the whole change adds and removes.
    pub fn counts(&self) -> LineCounts {
        let mut counts = LineCounts::default();
        self.hunks.iter().for_each(|hunk| counts += hunk.counts);
        counts
    }

    /// The edit of the text after that takes the hunks with these indexes back to what the text before has there.
    ///
    /// The order does not matter, and an index that is there twice counts once.
    pub fn revert(&self, selected: &[usize]) -> Result<Edit, UnknownHunk> {
        Ok(self.reverting(self.changes(selected)?))
    }

    /// The edit of the text after that gives the text before.
    pub fn revert_all(&self) -> Edit {
        self.reverting(self.hunks.iter().flat_map(|hunk| &hunk.changes))
    }

    fn reverting<'h>(&self, changes: impl Iterator<Item = &'h ByteChange>) -> Edit {
        let splice = |change: &ByteChange| Splice {
            range: change.after.clone(),
            text: self.before[change.before.clone()].to_owned(),
        };
        Edit::minimal(self.after, changes.map(splice).collect())
    }

    /// The edit of the text before that makes only the hunks with these indexes: its text is that of reverting all others,
    /// but it can be carried onto what became of the text before.
    pub fn accept(&self, selected: &[usize]) -> Result<Edit, UnknownHunk> {
        let splices = self
            .changes(selected)?
            .map(|change| Splice { range: change.before.clone(), text: self.after[change.after.clone()].to_owned() });
        Ok(Edit::minimal(self.before, splices.collect()))
    }

    /// The changes of some hunks, in the order of the texts.
    fn changes(&self, selected: &[usize]) -> Result<impl Iterator<Item = &ByteChange>, UnknownHunk> {
        let total = self.hunks.len();
        if let Some(&index) = selected.iter().find(|index| **index >= total) {
            return Err(UnknownHunk { index, total });
        }
        let mut indexes = selected.to_vec();
        indexes.sort_unstable();
        indexes.dedup();
        Ok(indexes.into_iter().flat_map(|index| &self.hunks[index].changes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines and counts of each hunk: first and last line before, first and last line after, added, removed.
    fn check(before: &str, after: &str, expected: &[[usize; 6]]) {
        let found: Vec<[usize; 6]> = hunks(before, after)
            .as_slice()
            .iter()
            .map(|Hunk { before, after, counts, .. }| {
                let [lines_before, lines_after] = [before, after].map(|lines| [lines.start_line, lines.end_line]);
                [lines_before, lines_after, [counts.added, counts.removed]].concat().try_into().unwrap()
            })
            .collect();
        assert_eq!(found, expected, "{before:?} {after:?}");
    }

    #[test]
    fn a_hunk_reaches_from_its_first_changed_line_to_its_last() {
        check("", "", &[]);
        check("a\nb\n", "a\nb\n", &[]);
        check("", "a\nb\n", &[[1, 0, 1, 2, 2, 0]]);
        check("a\nb", "", &[[1, 2, 1, 0, 0, 2]]);
        check("a\nb\n", "a\nb", &[[2, 2, 2, 2, 1, 1]]);
        check("a\nb\nc\n", "a\nc\n", &[[2, 2, 2, 1, 0, 1]]);
        check("a\nb\nc\nd\n", "a\nx\ny\nc\n", &[[2, 4, 2, 4, 2, 2]]);
        check("a\r\n", "a\n", &[[1, 1, 1, 1, 1, 1]]);
    }

    #[test]
    fn changes_with_more_than_six_lines_between_are_hunks_of_their_own() {
        let between = |lines: usize| ["a\n", &"-\n".repeat(lines), "b\n"].concat();
        let changed = |lines: usize| ["x\ny\n", &"-\n".repeat(lines), "z\n"].concat();
        check(&between(6), &changed(6), &[[1, 8, 1, 9, 3, 2]]);
        check(&between(7), &changed(7), &[[1, 1, 1, 2, 2, 1], [9, 9, 10, 10, 1, 1]]);
    }

    #[test]
    fn an_index_that_no_hunk_has_is_refused() {
        let change = hunks("a\n", "b\n");
        assert_eq!(change.revert(&[0, 1]), Err(UnknownHunk { index: 1, total: 1 }));
        assert_eq!(change.accept(&[usize::MAX]), Err(UnknownHunk { index: usize::MAX, total: 1 }));
        assert_eq!(hunks("", "").revert(&[0]), Err(UnknownHunk { index: 0, total: 0 }));
    }
}
