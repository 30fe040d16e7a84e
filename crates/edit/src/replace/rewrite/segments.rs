//! Checks a match at `whitespace_normalized` that does not consist of whole lines: what would be written with too little or
//! too much indentation, or without the empty cells of a row, is refused.

use std::ops::Range;

use crate::lines::{Line, is_blank_text, split_indent, split_lines, trim_blanks_end};
use crate::replace::{LineEndings, Replace};

use super::RewriteError;
use super::columns::{Rows, ShortenedRows, have_as_many_tabs_inside};
use super::line_plan::LinePlan;

/// The first line of a match, where `old_str` begins after a part of its indentation.
pub(super) struct FirstLine<'m> {
    /// The whole indentation of the document.
    indent: &'m str,
    old_lines: Vec<&'m str>,
}

impl<'m> FirstLine<'m> {
    /// `None` if something else than indentation stands before the match, or nothing.
    pub(super) fn lacking_indentation(
        content: &'m str,
        span: &Range<usize>,
        old_str: &'m str,
    ) -> Option<FirstLine<'m>> {
        let line = Line::containing(content, span.start);
        let before = &content[line.start..span.start];
        let old_lines = split_lines(old_str);
        let is_indent = !before.is_empty() && is_blank_text(before) && !is_blank_text(old_lines[0]);
        is_indent.then(|| FirstLine { indent: split_indent(line.text(content)).0, old_lines })
    }

    /// The line of `new_str` (0-based) that may lack the indentation too, or may have it while that of the first line stays.
    pub(super) fn unclear_line(&self, plan: &LinePlan<'_>) -> Option<usize> {
        let first = plan.new_lines[0];
        if !is_blank_text(first) && split_indent(first).0 != split_indent(self.old_lines[0]).0 {
            return Some(0);
        }
        if self.old_lines[1..].iter().all(|line| is_blank_text(line)) {
            return None;
        }
        let next = (1..plan.new_lines.len()).find(|index| !is_blank_text(plan.new_lines[*index]))?;
        let line = plan.new_lines[next];
        let is_of_old_str = plan.pairs.iter().any(|(number, index)| *index == next && *number > 0);
        let is_deep_enough = line.starts_with(self.indent);
        let is_as_before =
            plan.written.iter().any(|(index, replaced)| match replaced.map(|number| self.old_lines[number]) {
                Some(old) if *index == next && *replaced != Some(0) => {
                    !is_blank_text(old) && split_indent(old).0 == split_indent(line).0
                }
                _ => false,
            });
        (!is_of_old_str && !is_deep_enough && !is_as_before).then_some(next)
    }
}

/// A row of a match whose empty last cells `old_str` lacks.
pub(super) struct ShortenedRow {
    /// The number of its line in `old_str`.
    number: usize,
    line: Line,
    /// Whether the cells follow the match, and are not a part of it.
    has_cells_after_match: bool,
}

/// The rows of a match whose empty last cells `old_str` lacks.
pub(super) fn shortened_rows(content: &str, span: &Range<usize>, old_str: &str) -> Vec<ShortenedRow> {
    let mut shortened = Vec::new();
    if !content[span.start..Line::containing(content, span.end).text_end].contains('\t') {
        return shortened;
    }
    let rows = Rows::new(content, span);
    let mut line = Line::containing(content, span.start);
    for (number, old) in split_lines(old_str).into_iter().enumerate() {
        let text = line.text(content);
        let words_end = line.start + trim_blanks_end(text).len();
        let ends_in_match = span.start <= words_end && words_end <= span.end;
        if ends_in_match && rows.trailing_cells(old, text).is_some() {
            shortened.push(ShortenedRow { number, line, has_cells_after_match: line.text_end > span.end });
        }
        line = Line::at(content, line.end);
    }
    shortened
}

/// Refuses the loss of the empty cells of these rows, that another line takes them, and lines beside them that may lack
/// their own.
pub(super) fn check_rows(
    content: &str,
    shortened: &[ShortenedRow],
    request: &Replace<'_>,
    plan: &LinePlan<'_>,
) -> Result<(), RewriteError> {
    let old_lines = split_lines(request.old_str);
    let mut others = ShortenedRows::default();
    for row in shortened {
        let keeps_cells = if row.has_cells_after_match {
            plan.last_line_stands_for(row.number, old_lines[row.number])
        } else {
            // Under `literal` no line of the match stays as it is.
            request.line_endings == LineEndings::Match
                && plan.pairs.binary_search_by_key(&row.number, |(number, _)| *number).is_ok()
        };
        if !keeps_cells {
            return Err(RewriteError::LostBlanks { at: row.line.start });
        }
        others.add(row.line.start, row.line.text(content));
    }
    for (index, replaced) in &plan.written {
        let replaced = replaced.map(|number| old_lines[number]);
        others.check(plan.new_lines[*index], replaced).map_err(|at| RewriteError::LostBlanks { at })?;
    }
    Ok(())
}

impl LinePlan<'_> {
    /// Whether the last line of `new_str` is this line of `old_str`, or replaces it with as many cells: what follows the
    /// match then follows the same line as before.
    fn last_line_stands_for(&self, number: usize, old_line: &str) -> bool {
        let last = self.new_lines.len() - 1;
        let is_changed = || {
            self.written.last() == Some(&(last, Some(number)))
                && have_as_many_tabs_inside(self.new_lines[last], old_line)
        };
        self.pairs.last() == Some(&(number, last)) || is_changed()
    }
}
