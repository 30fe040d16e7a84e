//! The oracle of refusals at `whitespace_normalized`, where `new_str` is written as it is given.

use std::ops::Range;

use interline_edit::{LineEndings, Replace};

use super::classes::note;
use super::line_pairs;
use super::lines::{Line, is_blank_line, split_indent, texts, trimmed};
use super::whole_lines::separated_columns::{is_row_with_trailing_tabs, may_be_short_of_cells};

/// Whether `old_str` begins inside an indentation, and lines of `new_str` would come out with more or less than they should:
/// the first has another part of it than `old_str`, or lines follow it as if they too lacked what the first of several
/// lacks.
pub(crate) fn loses_indentation(line: &Line, span: &Range<usize>, request: &Replace<'_>) -> bool {
    let before = &line.text[..span.start.saturating_sub(line.start).min(line.text.len())];
    let (old, new) = (texts(request.old_str), texts(request.new_str));
    if before.is_empty() || !is_blank_line(before) || is_blank_line(&old[0]) {
        return false;
    }
    let has_more_lines = old[1..].iter().any(|line| !is_blank_line(line));
    let full = split_indent(&line.text).0;
    let indent = |line: &str| split_indent(line).0.to_owned();
    let pairs = line_pairs::pair(&old, &new);
    let gaps = line_pairs::gaps(&pairs, old.len());
    let is_first_elsewhere = !is_blank_line(&new[0]) && indent(&new[0]) != indent(&old[0]);
    let further = (1..new.len()).find(|&at| !is_blank_line(&new[at]));
    let is_well = |at: usize| {
        let gap = gaps.iter().find(|gap| gap.written.contains(&at));
        let replaced = gap.and_then(|gap| gap.replaced_by(at)).filter(|&old_line| old_line >= 1);
        pairs[at].is_some_and(|old_line| old_line >= 1)
            || new[at].starts_with(full)
            || replaced.is_some_and(|line| !is_blank_line(&old[line]) && indent(&old[line]) == indent(&new[at]))
    };
    let loses = is_first_elsewhere || has_more_lines && further.is_some_and(|at| !is_well(at));
    if loses {
        note("first line lacks its indentation");
    }
    loses
}

/// Whether a row that `old_str` has without its trailing tabs is written anew, another line takes its tabs, or a line beside it
/// may lack its own. `new` are the lines that are written, and `pairs` says which of them are lines of `old_str`.
pub(crate) fn loses_cells(
    lines: &[Line],
    span: &Range<usize>,
    request: &Replace<'_>,
    (new, pairs): (&[String], &[Option<usize>]),
) -> bool {
    let old = texts(request.old_str);
    let first = lines.iter().rposition(|line| line.start <= span.start).unwrap();
    let last = lines.iter().rposition(|line| line.start <= span.end).unwrap();
    let around: Vec<String> =
        lines[first.saturating_sub(1)..lines.len().min(last + 2)].iter().map(|line| line.text.clone()).collect();
    let trail = |line: &Line| line.start + trimmed(&line.text).len()..line.text_end();
    let shortened: Vec<usize> = (0..old.len())
        .filter(|&number| {
            let line = &lines[first + number];
            is_row_with_trailing_tabs(&line.text, &around)
                && span.start <= trail(line).start
                && trail(line).start <= span.end
                && old[number][trimmed(&old[number]).len()..] != line.text[trimmed(&line.text).len()..]
        })
        .collect();
    if request.new_str.is_empty() || shortened.is_empty() {
        return false;
    }
    let gaps = line_pairs::gaps(pairs, old.len());
    let replaced = |line: usize| {
        let gap = gaps.iter().find(|gap| gap.written.contains(&line));
        gap.and_then(|gap| gap.replaced_by(line))
    };
    let keeps = |number: usize| match trail(&lines[first + number]).end <= span.end {
        true => request.line_endings == LineEndings::Match && pairs.contains(&Some(number)),
        // What follows the span follows its last line.
        false => {
            let end = new.len() - 1;
            let tabs = |line: &str| split_indent(trimmed(line)).1.matches('\t').count();
            pairs[end] == Some(number)
                || pairs[end].is_none()
                    && !is_blank_line(&new[end])
                    && replaced(end) == Some(number)
                    && tabs(&new[end]) == tabs(&old[number])
        }
    };
    let rows: Vec<String> = shortened.iter().map(|&number| lines[first + number].text.clone()).collect();
    let is_short = |line: usize| {
        let there = replaced(line).map(|number| old[number].as_str());
        pairs[line].is_none() && !is_blank_line(&new[line]) && may_be_short_of_cells(&new[line], there, &rows)
    };
    let lost = !shortened.iter().all(|&number| keeps(number)) || (0..new.len()).any(is_short);
    if lost {
        note("trailing tabs of a row");
    }
    lost
}
