//! The lines that change between two texts or by an edit, and which of these changes are one hunk.

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::edit::{Edit, EditMismatch};
use crate::line_comparison::{self, LineIds};
use crate::lines::{Line, LineCursor, count_lines, newlines};

/// How many lines of both texts are compared at the most.
pub(super) const MAX_COMPARED_LINES: usize = 1 << 20;
/// Lines shown around a change.
pub(super) const CONTEXT_LINES: usize = 3;

/// Whole lines of the original and the text that replaces them.
pub(crate) struct ChangedBlock {
    range: Range<usize>,
    /// How many lines come before.
    first_line: usize,
    text: String,
}

impl ChangedBlock {
    /// What lies between the lines that both texts start with and those that both end with.
    pub(crate) fn between(before: &str, after: &str) -> ChangedBlock {
        let start = common_lines_at_start(before, after);
        let at_end = common_lines_at_end(&before[start..], &after[start..]);
        ChangedBlock {
            range: start..before.len() - at_end,
            first_line: newlines(&before.as_bytes()[..start]),
            text: after[start..after.len() - at_end].to_owned(),
        }
    }
}

/// The splices, widened to whole lines and joined where they share one.
pub(super) fn blocks(original: &str, edit: &Edit) -> Result<Vec<ChangedBlock>, EditMismatch> {
    let mut blocks: Vec<ChangedBlock> = Vec::new();
    // How much of the original is in the text of the last block; its range reaches to the end of the line.
    let mut taken = 0;
    for splice in edit.splices() {
        if original.get(splice.range.clone()).is_none() {
            return Err(EditMismatch);
        }
        match blocks.last_mut() {
            Some(last) if is_before(splice.range.start, original, last.range.end) => {
                last.text.push_str(&original[taken..splice.range.start]);
            }
            last => {
                let (counted, lines) = last.map_or((0, 0), |last| {
                    last.text.push_str(&original[taken..last.range.end]);
                    (last.range.start, last.first_line)
                });
                let start = Line::containing(original, splice.range.start).start;
                let first_line = lines + newlines(&original.as_bytes()[counted..start]);
                let text = original[start..splice.range.start].to_owned();
                blocks.push(ChangedBlock { range: start..splice.range.start, first_line, text });
            }
        }
        taken = splice.range.end;
        if let Some(last) = blocks.last_mut() {
            last.text.push_str(&splice.text);
            if last.range.end <= taken {
                last.range.end = Line::at(original, taken).end;
            }
        }
    }
    if let Some(last) = blocks.last_mut() {
        last.text.push_str(&original[taken..last.range.end]);
    }
    Ok(blocks)
}

/// Whether a position lies on a line before `end`, which is the end of a line: the last line of a text may have none.
fn is_before(position: usize, original: &str, end: usize) -> bool {
    position < end || (position == end && !original[..end].ends_with('\n'))
}

/// The bytes of the lines that both texts start with.
fn common_lines_at_start(a: &str, b: &str) -> usize {
    let common = common_bytes(a.as_bytes(), b.as_bytes());
    memrchr(b'\n', &a.as_bytes()[..common]).map_or(0, |newline| newline + 1)
}

/// The bytes of the lines that both texts end with.
fn common_lines_at_end(a: &str, b: &str) -> usize {
    let common = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    let tail = &a.as_bytes()[a.len() - common..];
    memchr(b'\n', tail).map_or(0, |newline| tail.len() - newline - 1)
}

/// How many bytes two slices have in common at their start.
pub(crate) fn common_bytes(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    blocks + a[blocks..].iter().zip(&b[blocks..]).take_while(|(a, b)| a == b).count()
}

/// Removed lines and the added lines that replace them.
pub(crate) struct LineChange<'t> {
    /// Bytes of the original.
    pub(crate) range: Range<usize>,
    /// How many lines of the original come before.
    pub(crate) first_line: usize,
    pub(crate) removed_lines: usize,
    pub(crate) added: &'t str,
    pub(crate) added_lines: usize,
}

impl LineChange<'_> {
    /// Whether the change that comes next is of the same hunk: their contexts touch.
    pub(crate) fn is_of_one_hunk_with(&self, next: &LineChange<'_>) -> bool {
        next.first_line - (self.first_line + self.removed_lines) <= 2 * CONTEXT_LINES
    }

    /// How many lines longer the text becomes.
    pub(crate) fn lines_gained(&self) -> isize {
        self.added_lines.cast_signed() - self.removed_lines.cast_signed()
    }

    pub(super) fn bytes(&self) -> usize {
        self.range.len() + self.added.len()
    }

    /// Its first lines, as a change that leaves room for the lines around it; `None` if the first ones are too long.
    pub(super) fn start(&self, original: &str, max_bytes: usize) -> Option<LineChange<'_>> {
        let (removed, removed_lines) = first_lines(&original[self.range.clone()], max_bytes / 4);
        let (added, added_lines) = first_lines(self.added, max_bytes / 4);
        let range = self.range.start..self.range.start + removed.len();
        let start = LineChange { range, first_line: self.first_line, removed_lines, added, added_lines };
        (start.bytes() > 0).then_some(start)
    }
}

/// The first lines with an ending that there is room for, and how many they are.
fn first_lines(text: &str, room: usize) -> (&str, usize) {
    let (mut end, mut lines) = (0, 0);
    // Each has a mark before it.
    for line in text.split_inclusive('\n').take_while(|line| line.ends_with('\n')) {
        if end + line.len() + lines + 1 > room {
            break;
        }
        (end, lines) = (end + line.len(), lines + 1);
    }
    (&text[..end], lines)
}

/// The changes of a block, in order; too many lines are one change.
pub(crate) fn line_changes<'t>(original: &str, block: &'t ChangedBlock) -> Vec<LineChange<'t>> {
    let before = &original[block.range.clone()];
    let (removed_lines, added_lines) = (count_lines(before), count_lines(&block.text));
    if removed_lines + added_lines > MAX_COMPARED_LINES {
        let (range, first_line, added) = (block.range.clone(), block.first_line, block.text.as_str());
        return vec![LineChange { range, first_line, removed_lines, added, added_lines }];
    }
    let mut ids = LineIds::default();
    let old = ids.ids(before.split_inclusive('\n'));
    let new = ids.ids(block.text.split_inclusive('\n'));
    let mut old_lines = LineCursor::new(before);
    let mut new_lines = LineCursor::new(&block.text);
    line_comparison::changes(&old, &new)
        .into_iter()
        .map(|(removed, added)| {
            let range = old_lines.bytes(&removed);
            LineChange {
                range: block.range.start + range.start..block.range.start + range.end,
                first_line: block.first_line + removed.start,
                removed_lines: removed.len(),
                added: &block.text[new_lines.bytes(&added)],
                added_lines: added.len(),
            }
        })
        .collect()
}
