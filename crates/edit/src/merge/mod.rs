//! Three-way merge by lines (diff3): what both sides changed since their common base as one text, or the conflicts.

use std::ops::Range;

use crate::edit::{Edit, Splice};
use crate::line_comparison::LineIds;
use crate::lines::{LineCursor, count_lines, newlines};

pub use memory::merge_memory;
use regions::{Outcome, Region, Sequences};

mod alignment;
mod every_longest;
mod memory;
mod regions;

/// How many lines the three texts may have together; texts with more are compared as a whole.
const MAX_LINES: usize = 1 << 20;

/// A passage that a merge cannot decide, as each of the three texts has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeConflict<'t> {
    /// In the text that both sides were made from.
    pub base: ConflictLines<'t>,
    /// In the text that was sent.
    pub ours: ConflictLines<'t>,
    /// In the text that is stored.
    pub theirs: ConflictLines<'t>,
}

/// Lines of one text; none, before `start_line`, when that is `end_line + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConflictLines<'t> {
    /// First line, 1-based.
    pub start_line: usize,
    /// Last line, inclusive.
    pub end_line: usize,
    /// Their bytes, every line ending included: a final newline can be all that differs.
    pub text: &'t str,
}

/// Merges what `ours` and `theirs` changed since `base`: an edit of `theirs`, or the conflicts, at least one, in order.
///
/// Lines are compared with their endings: line endings and the final newline are merged like all other text. Changes of both
/// sides conflict where they overlap or where no unchanged line lies between them, unless both sides have the same text there.
///
/// Nothing is guessed. A line counts as unchanged only if patience and every longest common subsequence pair it with the
/// same line of the other text, so that each way of aligning the texts gives the same result. Where both sides move a line
/// that no text has twice to different places, both add it at different places, or one moves it and the other removes it,
/// those places are conflicts.
///
/// Bounded by counts of lines and of comparisons: beyond them, passages are compared as a whole, which gives a conflict, unless
/// one side left the passage alone.
///
/// ```
/// use interline_edit::merge;
///
/// let base = "one\ntwo\nthree\n";
/// let edit = merge(base, "ONE\ntwo\nthree\n", "one\ntwo\nthree\nfour\n").unwrap();
/// assert_eq!(edit.apply("one\ntwo\nthree\nfour\n")?, "ONE\ntwo\nthree\nfour\n");
///
/// let conflicts = merge(base, "one\n2\nthree\n", "one\nTWO\nthree\n").unwrap_err();
/// assert_eq!((conflicts[0].ours.text, conflicts[0].theirs.text), ("2\n", "TWO\n"));
/// assert_eq!(conflicts[0].base.start_line, 2);
/// # Ok::<(), interline_edit::EditMismatch>(())
/// ```
pub fn merge<'t>(base: &'t str, ours: &'t str, theirs: &'t str) -> Result<Edit, Vec<MergeConflict<'t>>> {
    if ours == base || ours == theirs {
        return Ok(Edit::default());
    }
    let lines = [base, ours, theirs].map(count_lines);
    let regions = if lines.iter().sum::<usize>() > MAX_LINES {
        let outcome = if theirs == base { Outcome::TakeOurs } else { Outcome::Conflict };
        let [base, ours, theirs] = lines.map(|count| 0..count);
        vec![Region { base, ours, theirs, outcome }]
    } else {
        let mut ids = LineIds::default();
        let [base, ours, theirs] = [base, ours, theirs].map(|text| ids.ids(text.split_inclusive('\n')));
        Sequences::new(&base, &ours, &theirs, ids.count()).regions()
    };
    let mut passages = Passages { base: Passage::new(base), ours: Passage::new(ours), theirs: Passage::new(theirs) };
    let (mut splices, mut conflicts) = (Vec::new(), Vec::new());
    for region in &regions {
        match region.outcome {
            Outcome::KeepTheirs => {}
            Outcome::TakeOurs => splices.push(passages.splice(region)),
            Outcome::Conflict => conflicts.push(passages.conflict(region)),
        }
    }
    if conflicts.is_empty() { Ok(Edit::minimal(theirs, splices)) } else { Err(conflicts) }
}

/// The texts, read from region to region.
struct Passages<'t> {
    base: Passage<'t>,
    ours: Passage<'t>,
    theirs: Passage<'t>,
}

struct Passage<'t> {
    text: &'t str,
    cursor: LineCursor<'t>,
}

impl<'t> Passage<'t> {
    fn new(text: &'t str) -> Passage<'t> {
        Passage { text, cursor: LineCursor::new(text) }
    }

    /// The text of lines that come next.
    fn lines(&mut self, lines: &Range<usize>) -> &'t str {
        &self.text[self.cursor.bytes(lines)]
    }
}

impl<'t> Passages<'t> {
    /// Puts our lines where their lines are.
    fn splice(&mut self, region: &Region) -> Splice {
        let range = self.theirs.cursor.bytes(&region.theirs);
        Splice { range, text: self.ours.lines(&region.ours).to_owned() }
    }

    /// The region without the lines at its edges that all three texts have.
    fn conflict(&mut self, region: &Region) -> MergeConflict<'t> {
        let base = self.base.lines(&region.base);
        let (ours, theirs) = (self.ours.lines(&region.ours), self.theirs.lines(&region.theirs));
        let [start, at_end] = common_at_edges(base, ours, theirs);
        let lines = |text: &'t str, first_line: usize| {
            let before = first_line + newlines(&text.as_bytes()[..start]);
            let text = &text[start..text.len() - at_end];
            ConflictLines { start_line: before + 1, end_line: before + count_lines(text), text }
        };
        MergeConflict {
            base: lines(base, region.base.start),
            ours: lines(ours, region.ours.start),
            theirs: lines(theirs, region.theirs.start),
        }
    }
}

/// The bytes of the lines that all three texts have at their start, and then at their end.
fn common_at_edges(base: &str, ours: &str, theirs: &str) -> [usize; 2] {
    let texts = [base, ours, theirs];
    let start = common_bytes(texts.map(|text| text.split_inclusive('\n')));
    let at_end = common_bytes(texts.map(|text| text[start..].split_inclusive('\n').rev()));
    [start, at_end]
}

/// The bytes of the first lines, as far as all three have the same.
fn common_bytes<'t>([base, ours, theirs]: [impl Iterator<Item = &'t str>; 3]) -> usize {
    let same = base.zip(ours).zip(theirs).take_while(|((base, ours), theirs)| base == ours && base == theirs);
    same.map(|((base, _), _)| base.len()).sum()
}
