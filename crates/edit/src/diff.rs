//! Unified diffs in git's form.

use std::fmt::Write as _;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use memchr::{memchr, memrchr};

use crate::edit::{Edit, EditMismatch};
use crate::lines::{Line, newlines};

/// No diff is longer.
const MAX_BYTES: usize = 64 * 1024;
/// Lines shown around a change.
const CONTEXT_LINES: usize = 3;
const HEADER: &str = "--- a/content\n+++ b/content\n";
const NO_NEWLINE: &str = "\\ No newline at end of file\n";

/// A change as text that `patch` and `git apply` take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnifiedDiff {
    /// The diff, at most 64 KiB; empty when nothing changes. A `\r` is part of its line.
    pub text: String,
    /// Whether it had to be cut. What is there is a whole diff of the first changes.
    pub truncated: bool,
}

/// What leads from one text to the other. Bounded: the more they differ, the coarser.
pub fn diff(before: &str, after: &str) -> UnifiedDiff {
    let start = common_lines_at_start(before, after);
    let at_end = common_lines_at_end(&before[start..], &after[start..]);
    let block = Block {
        range: start..before.len() - at_end,
        first_line: newlines(&before.as_bytes()[..start]),
        text: after[start..after.len() - at_end].to_owned(),
    };
    render(before, &[block])
}

/// What an edit changes, by its splices.
pub(crate) fn of_edit(original: &str, edit: &Edit) -> Result<UnifiedDiff, EditMismatch> {
    Ok(render(original, &blocks(original, edit)?))
}

/// Whole lines of the original and what they become.
struct Block {
    range: Range<usize>,
    /// How many lines come before.
    first_line: usize,
    text: String,
}

/// The splices, widened to whole lines and joined where they share one.
fn blocks(original: &str, edit: &Edit) -> Result<Vec<Block>, EditMismatch> {
    let mut blocks: Vec<Block> = Vec::new();
    for splice in edit.splices() {
        if original.get(splice.range.clone()).is_none() {
            return Err(EditMismatch);
        }
        let start = Line::containing(original, splice.range.start).start;
        let end = Line::containing(original, splice.range.end).end;
        match blocks.last_mut() {
            Some(last) if start < last.range.end => {
                // The text so far ends with the rest of the line, which this splice begins in.
                let rest = last.range.end - splice.range.start;
                last.text.truncate(last.text.len() - rest);
                last.text.push_str(&splice.text);
                last.text.push_str(&original[splice.range.end..end]);
                last.range.end = end;
            }
            last => {
                let (counted, lines) = last.map_or((0, 0), |last| (last.range.start, last.first_line));
                let first_line = lines + newlines(&original.as_bytes()[counted..start]);
                let text =
                    [&original[start..splice.range.start], &splice.text, &original[splice.range.end..end]].concat();
                blocks.push(Block { range: start..end, first_line, text });
            }
        }
    }
    Ok(blocks)
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

/// Lines that go and lines that come in their place.
struct Change<'t> {
    /// Bytes of the original.
    range: Range<usize>,
    /// How many lines of the original come before.
    first_line: usize,
    removed_lines: usize,
    added: &'t str,
    added_lines: usize,
}

fn changes<'t>(original: &'t str, block: &'t Block) -> Vec<Change<'t>> {
    let before = &original[block.range.clone()];
    let input = InternedInput::new(before, block.text.as_str());
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    let (mut old, mut new) = (Walked::at(block.range.start), Walked::at(0));
    let length = |token: &imara_diff::Token| input.interner[*token].len();
    diff.hunks()
        .map(|hunk| {
            let range = old.bytes(&input.before, &hunk.before, length);
            let added = new.bytes(&input.after, &hunk.after, length);
            Change {
                range,
                first_line: block.first_line + hunk.before.start as usize,
                removed_lines: hunk.before.len(),
                added: &block.text[added],
                added_lines: hunk.after.len(),
            }
        })
        .collect()
}

/// How far a list of lines was walked.
struct Walked {
    lines: usize,
    bytes: usize,
}

impl Walked {
    fn at(bytes: usize) -> Walked {
        Walked { lines: 0, bytes }
    }

    /// The bytes of a range of lines that comes next.
    fn bytes<T>(&mut self, lines: &[T], range: &Range<u32>, length: impl Fn(&T) -> usize) -> Range<usize> {
        let (start, end) = (range.start as usize, range.end as usize);
        self.bytes += lines[self.lines..start].iter().map(&length).sum::<usize>();
        let from = self.bytes;
        self.bytes += lines[start..end].iter().map(&length).sum::<usize>();
        self.lines = end;
        from..self.bytes
    }
}

fn render(original: &str, blocks: &[Block]) -> UnifiedDiff {
    let changes: Vec<Change<'_>> = blocks.iter().flat_map(|block| changes(original, block)).collect();
    let mut diff = UnifiedDiff::default();
    let mut lines_gained: isize = 0;
    let mut rest = changes.as_slice();
    while !rest.is_empty() && !diff.truncated {
        let near = |pair: &[Change<'_>]| pair[1].first_line - (pair[0].first_line + pair[0].removed_lines);
        let together = rest.windows(2).take_while(|pair| near(pair) <= 2 * CONTEXT_LINES).count() + 1;
        let (hunk, later) = rest.split_at(together);
        write_hunk(&mut diff, original, hunk, lines_gained);
        lines_gained += hunk.iter().map(|c| c.added_lines.cast_signed() - c.removed_lines.cast_signed()).sum::<isize>();
        rest = later;
    }
    diff
}

/// Writes the changes with the lines around them, as far as there is room.
fn write_hunk(diff: &mut UnifiedDiff, original: &str, changes: &[Change<'_>], lines_gained: isize) {
    let ([first, ..], [.., last]) = (changes, changes) else { return };
    let room =
        MAX_BYTES.saturating_sub(diff.text.len() + HEADER.len() + "@@ -1234567,1234567 +1234567,1234567 @@\n".len());
    let mut hunk = Hunk { body: String::new(), room, old_lines: 0, new_lines: 0, full: false };
    let mut position = first.range.start;
    let mut first_line = first.first_line;
    for _ in 0..CONTEXT_LINES {
        let Some(line) = Line::before(original, position) else { break };
        position = line.start;
        first_line -= 1;
    }
    for change in changes {
        hunk.lines(' ', &original[position..change.range.start]);
        hunk.lines('-', &original[change.range.clone()]);
        hunk.lines('+', change.added);
        position = change.range.end;
    }
    let after = (0..CONTEXT_LINES).fold(last.range.end, |end, _| Line::at(original, end).end);
    hunk.lines(' ', &original[position..after]);
    diff.truncated = hunk.full;
    if hunk.body.is_empty() {
        return;
    }
    if diff.text.is_empty() {
        diff.text.push_str(HEADER);
    }
    let new_first_line = first_line.saturating_add_signed(lines_gained);
    diff.text.push_str("@@ -");
    push_range(&mut diff.text, first_line, hunk.old_lines);
    diff.text.push_str(" +");
    push_range(&mut diff.text, new_first_line, hunk.new_lines);
    diff.text.push_str(" @@\n");
    diff.text.push_str(&hunk.body);
}

/// `first line,count`; an empty range is named by the line before it, and a count of 1 is left out.
fn push_range(text: &mut String, lines_before: usize, count: usize) {
    let first = if count == 0 { lines_before } else { lines_before + 1 };
    // Writing to a string cannot fail.
    let _ = match count {
        1 => write!(text, "{first}"),
        _ => write!(text, "{first},{count}"),
    };
}

struct Hunk {
    body: String,
    room: usize,
    old_lines: usize,
    new_lines: usize,
    /// Whether a line did not fit; none is added after it.
    full: bool,
}

impl Hunk {
    fn lines(&mut self, mark: char, text: &str) {
        for line in text.split_inclusive('\n') {
            if self.full || self.body.len() + line.len() + NO_NEWLINE.len() + 2 > self.room {
                self.full = true;
                return;
            }
            self.body.push(mark);
            self.body.push_str(line);
            if !line.ends_with('\n') {
                self.body.push('\n');
                self.body.push_str(NO_NEWLINE);
            }
            self.old_lines += usize::from(mark != '+');
            self.new_lines += usize::from(mark != '-');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, hunks: &str) {
        let expected = if hunks.is_empty() { String::new() } else { HEADER.to_owned() + hunks };
        assert_eq!(diff(before, after), UnifiedDiff { text: expected, truncated: false }, "{before:?} {after:?}");
    }

    #[test]
    fn diffs_are_those_of_git() {
        check("a\n", "a\n", "");
        check("a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
        check("", "a\n", "@@ -0,0 +1 @@\n+a\n");
        check("a", "", "@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n");
        check("a\r\n", "a\n", "@@ -1 +1 @@\n-a\r\n+a\n");
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n",
            "1\n2\n3\n4\n5\n6\n7\n8",
            "@@ -5,4 +5,4 @@\n 5\n 6\n 7\n-8\n+8\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn far_changes_are_hunks_of_their_own() {
        let before: String = (1..=30).map(|n| format!("{n}\n")).collect();
        let after = before.replace("\n2\n", "\n").replace("\n29\n", "\n29\nx\n");
        let text = diff(&before, &after).text;
        assert_eq!(text.matches("@@ -").count(), 2, "{text}");
        assert!(text.contains("@@ -1,5 +1,4 @@\n 1\n-2\n"), "{text}");
        assert!(text.contains("@@ -27,4 +26,5 @@\n"), "{text}");
    }

    #[test]
    fn a_long_diff_is_cut_and_says_so() {
        let before = "x\n".repeat(40_000);
        let cut = diff(&before, &"y\n".repeat(40_000));
        assert!(cut.truncated && cut.text.len() <= MAX_BYTES && cut.text.len() > MAX_BYTES / 2);
        let one_line = diff("", &"z".repeat(MAX_BYTES));
        assert_eq!(one_line, UnifiedDiff { text: String::new(), truncated: true });
    }
}
