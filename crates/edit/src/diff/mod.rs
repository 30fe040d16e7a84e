//! Unified diffs in git's form, of two texts or of an edit.

use std::fmt::Write as _;

use crate::edit::{Edit, EditMismatch};
use crate::lines::{Line, count_lines, newlines};

use line_changes::{CONTEXT_LINES, MAX_COMPARED_LINES, blocks};
pub(crate) use line_changes::{ChangedBlock, LineChange, common_bytes, line_changes};

mod line_changes;

/// The longest diff.
const MAX_BYTES: usize = 64 * 1024;
/// The memory that comparing takes for each line.
const BYTES_PER_LINE: usize = 100;
const HEADER: &str = "--- a/content\n+++ b/content\n";
/// The length of the line that gives the ranges of a hunk.
const MAX_RANGES_BYTES: usize = "@@ -12345678,12345678 +12345678,12345678 @@\n".len();
const NO_NEWLINE: &str = "\\ No newline at end of file\n";

/// A change as text that `patch` and `git apply` take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnifiedDiff {
    /// The diff, at most 64 KiB; empty when nothing changes. A `\r` is part of its line.
    pub text: String,
    /// Whether it had to be cut. What is there is a whole diff of the first changes, or of the first lines of a change
    /// that is too long by itself.
    pub truncated: bool,
}

/// The unified diff from one text to the other. Bounded: the more they differ, the coarser.
pub fn diff(before: &str, after: &str) -> UnifiedDiff {
    diff_within(before, after, MAX_BYTES)
}

/// The same diff in at most `max_bytes`.
pub fn diff_within(before: &str, after: &str, max_bytes: usize) -> UnifiedDiff {
    render(before, &[ChangedBlock::between(before, after)], max_bytes)
}

/// How many bytes of memory [`diff`] needs at the most, beside the texts and a copy of the second.
pub fn diff_memory(before: &str, after: &str) -> usize {
    (count_lines(before) + count_lines(after)).min(MAX_COMPARED_LINES) * BYTES_PER_LINE
}

/// The unified diff of an edit, made from its splices.
pub(crate) fn diff_of_edit(original: &str, edit: &Edit) -> Result<UnifiedDiff, EditMismatch> {
    Ok(render(original, &blocks(original, edit)?, MAX_BYTES))
}

fn render(original: &str, blocks: &[ChangedBlock], max_bytes: usize) -> UnifiedDiff {
    let mut diff = UnifiedDiff::default();
    let mut changes = blocks.iter().flat_map(|block| line_changes(original, block)).peekable();
    let mut lines_gained: isize = 0;
    while let Some(first) = changes.next() {
        let mut bytes = first.bytes();
        let mut hunk = vec![first];
        // Changes whose contexts touch are one hunk; changes that there is no room for need not be gathered.
        while let (Some(last), Some(next)) = (hunk.last(), changes.peek())
            && last.is_of_one_hunk_with(next)
            && bytes <= max_bytes
        {
            bytes += next.bytes();
            hunk.extend(changes.next());
        }
        write_hunk(&mut diff, original, &hunk, lines_gained, max_bytes);
        if diff.truncated {
            // A part of a change is more than nothing.
            let part = hunk.first().filter(|_| diff.text.is_empty()).and_then(|first| first.start(original, max_bytes));
            write_hunk(&mut diff, original, part.as_slice(), lines_gained, max_bytes);
            break;
        }
        lines_gained += hunk.iter().map(LineChange::lines_gained).sum::<isize>();
    }
    diff
}

/// Writes the first changes that there is room for, with the lines around them.
fn write_hunk(
    diff: &mut UnifiedDiff,
    original: &str,
    changes: &[LineChange<'_>],
    lines_gained: isize,
    max_bytes: usize,
) {
    let header = if diff.text.is_empty() { HEADER } else { "" };
    let room = max_bytes.saturating_sub(diff.text.len() + header.len() + MAX_RANGES_BYTES);
    let mut hunk = PrintedHunk::default();
    let mut written = None;
    for change in changes {
        let before_change = hunk.size();
        let position = written.unwrap_or_else(|| context_start(original, change.range.start));
        hunk.lines(' ', &original[position..change.range.start]);
        hunk.lines('-', &original[change.range.clone()]);
        hunk.lines('+', change.added);
        let after = &original[change.range.end..context_end(original, change.range.end)];
        if hunk.bytes_with(after) > room {
            hunk.shrink(before_change);
            diff.truncated = true;
            break;
        }
        written = Some(change.range.end);
    }
    let (Some(first), Some(end)) = (changes.first(), written) else { return };
    hunk.lines(' ', &original[end..context_end(original, end)]);
    let start = context_start(original, first.range.start);
    let first_line = first.first_line - newlines(&original.as_bytes()[start..first.range.start]);
    let new_first_line = first_line.saturating_add_signed(lines_gained);
    diff.text.push_str(header);
    diff.text.push_str("@@ -");
    push_range(&mut diff.text, first_line, hunk.old_lines);
    diff.text.push_str(" +");
    push_range(&mut diff.text, new_first_line, hunk.new_lines);
    diff.text.push_str(" @@\n");
    diff.text.push_str(&hunk.body);
}

/// Where the lines shown before a line start.
fn context_start(original: &str, line: usize) -> usize {
    (0..CONTEXT_LINES).fold(line, |start, _| Line::before(original, start).map_or(start, |line| line.start))
}

/// Where the lines shown from a line on end.
fn context_end(original: &str, line: usize) -> usize {
    (0..CONTEXT_LINES).fold(line, |end, _| Line::at(original, end).end)
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

#[derive(Default)]
struct PrintedHunk {
    body: String,
    old_lines: usize,
    new_lines: usize,
}

/// The size of a hunk: bytes, old lines, new lines.
type HunkSize = (usize, usize, usize);

impl PrintedHunk {
    fn size(&self) -> HunkSize {
        (self.body.len(), self.old_lines, self.new_lines)
    }

    /// Removes the lines that were added since it had that size.
    fn shrink(&mut self, (bytes, old_lines, new_lines): HunkSize) {
        self.body.truncate(bytes);
        (self.old_lines, self.new_lines) = (old_lines, new_lines);
    }

    fn lines(&mut self, mark: char, text: &str) {
        for line in text.split_inclusive('\n') {
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

    /// How long it would be with these lines of context.
    fn bytes_with(&self, context: &str) -> usize {
        self.body.len() + context.len() + CONTEXT_LINES + NO_NEWLINE.len() + 1
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
        let before: String = (0..40_000).map(|n| format!("{n}\n")).collect();
        let cut = diff(&before, &before.replace("0\n", "x\n"));
        assert!(cut.truncated && cut.text.len() <= MAX_BYTES && cut.text.len() > MAX_BYTES / 2);
        // What is there is the whole of the first changes.
        assert!(cut.text.ends_with(" 3\n") || !cut.text.ends_with('-'), "{}", &cut.text[cut.text.len() - 40..]);
        let one_change = diff("a\nb\n", &format!("a\n{}b\n", "some line\n".repeat(10_000)));
        assert!(one_change.truncated && one_change.text.len() <= MAX_BYTES, "{}", one_change.text.len());
        assert!(one_change.text.starts_with(&format!("{HEADER}@@ -1,2 +1,1491 @@\n a\n+some line\n+some line\n")));
        assert!(one_change.text.ends_with("+some line\n b\n"), "what is there is a whole diff");
        let all = diff(&"old\n".repeat(30_000), &"new\n".repeat(30_000)).text;
        assert!(all.contains("\n-old\n+new\n") && all.ends_with("+new\n old\n old\n old\n"), "{}", &all[..100]);
        let too_many = MAX_COMPARED_LINES / 2;
        let coarse = diff(&"old\n".repeat(too_many), &format!("{}new\n", "new\nold\n".repeat(too_many / 2)));
        assert!(coarse.truncated && coarse.text.contains("\n-old\n-old\n"), "too many lines to be compared");
        let one_line = diff("", &"z".repeat(MAX_BYTES));
        assert_eq!(one_line, UnifiedDiff { text: String::new(), truncated: true });
    }
}
