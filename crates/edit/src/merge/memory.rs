//! How much memory a merge takes.

use crate::line_comparison::{MAX_CELLS, MAX_TOTAL_CELLS};
use crate::lines::count_lines;

use super::MAX_LINES;

/// The memory that a merge takes for each line of the texts: its id, its partner, and the change that it may be.
const BYTES_PER_LINE: usize = 150;
/// The memory that a longest common subsequence takes for each pair of lines.
const BYTES_PER_CELL: usize = size_of::<u32>();

/// How many bytes of memory [`merge`](super::merge) needs at the most, beside the texts and a copy of `ours`.
pub fn merge_memory(base: &str, ours: &str, theirs: &str) -> usize {
    let lines = [base, ours, theirs].map(count_lines).into_iter().sum::<usize>();
    if lines > MAX_LINES {
        return 0;
    }
    let cells = lines.saturating_mul(lines);
    lines * BYTES_PER_LINE + cells.min(MAX_CELLS) * BYTES_PER_CELL + cells.min(MAX_TOTAL_CELLS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_grows_with_the_lines_up_to_a_bound() {
        assert_eq!(merge_memory("", "", ""), 0);
        let of = |lines: usize| merge_memory(&"\n".repeat(lines), "a\n", "b\n");
        assert!(of(10) < 10_000, "{}", of(10));
        assert!(of(1_000) < of(100_000));
        assert!(of(MAX_LINES - 2) < 256 << 20, "{}", of(MAX_LINES - 2));
        assert_eq!(of(MAX_LINES), 0, "they are compared as a whole");
    }
}
