//! Whether another passage of the content is nearly as similar to an `old_str` as the one that seems to be meant.

use std::cmp::Reverse;
use std::ops::Range;

use memchr::memmem;

use crate::lines::{Line, split_indent, strip_carriage_return, trim_blanks_end};

use super::super::nearest::{LineAligner, LineWords};

/// How many other places of a line are looked at; a passage whose lines are in more places is not distinct.
const MAX_PLACES: usize = 64;
/// How many lines may be compared at these places together.
const MAX_COMPARED_LINES: usize = 1 << 20;
/// How much less of `old_str` all other passages must have.
const MIN_MARGIN: f64 = 0.2;

/// Whether another passage has nearly as much of the old lines as the one in this range.
///
/// Two of the heaviest lines that are in both are looked for in all of the content: a passage that differs from the old lines
/// in one place has at least one of them.
pub(super) fn has_twin(content: &str, passage: &Range<usize>, old: &[&str]) -> bool {
    let mut aligner = LineAligner::new(old);
    let Some(meant) = aligner.align(content, passage) else { return true };
    let mut compared_lines = 0;
    let there: Vec<&str> = content[passage.clone()].split('\n').map(body).collect();
    let known: Vec<&str> =
        old.iter().map(|line| body(line)).map(|line| if there.contains(&line) { line } else { "" }).collect();
    for anchor in anchors(&known) {
        let mut places = 0;
        for place in memmem::find_iter(content.as_bytes(), anchor.as_bytes()) {
            let line = Line::containing(content, place);
            let is_inside = passage.start <= line.start && line.text_end <= passage.end;
            if is_inside || body(line.text(content)) != anchor {
                continue;
            }
            places += 1;
            compared_lines += old.len() * old.len();
            if places > MAX_PLACES || compared_lines > MAX_COMPARED_LINES {
                return true;
            }
            // The passage itself is not its own twin.
            let (beside, offset) = if line.start < passage.start {
                (&content[..passage.start], 0)
            } else {
                (&content[passage.end..], passage.end)
            };
            let other = aligner.align(beside, &(line.start - offset..line.text_end - offset));
            let is_near = other.is_none_or(|other| other.share > meant.share - MIN_MARGIN);
            if is_near {
                return true;
            }
        }
    }
    false
}

/// A line without the blanks around it, and without its `\r`.
fn body(line: &str) -> &str {
    split_indent(trim_blanks_end(strip_carriage_return(line))).1
}

/// The heaviest line, and the heaviest of those that are not next to it.
fn anchors<'o>(old: &[&'o str]) -> Vec<&'o str> {
    let mut heaviest: Vec<usize> = (0..old.len()).filter(|index| old[*index].contains(char::is_alphanumeric)).collect();
    heaviest.sort_by_key(|index| Reverse(LineWords::new(old[*index]).capped_weight()));
    let Some(first) = heaviest.first().copied() else { return Vec::new() };
    let second = heaviest.into_iter().find(|index| index.abs_diff(first) > 1);
    [Some(first), second].into_iter().flatten().map(|index| old[index]).collect()
}
