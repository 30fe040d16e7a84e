//! Checks a match at `whitespace_normalized` that does not consist of whole lines: what would be written with too little or
//! too much indentation, or without the empty cells of a row, is refused.

use std::ops::Range;

use crate::lines::{Line, is_blank_text, split_indent, split_lines, trim_blanks_end};
use crate::replace::Replace;

use super::RewriteError;
use super::columns::Rows;
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

/// Refuses the loss of the empty cells of a row that does not stay; `pairs` are the lines that do.
pub(super) fn check_rows(
    content: &str,
    span: &Range<usize>,
    request: &Replace<'_>,
    pairs: &[(usize, usize)],
) -> Result<(), RewriteError> {
    if request.new_str.is_empty() || !content[span.clone()].contains('\t') {
        return Ok(());
    }
    let rows = Rows::new(content, span);
    let mut staying = pairs.iter().map(|(number, _)| *number).peekable();
    let mut line = Line::containing(content, span.start);
    for (number, old) in split_lines(request.old_str).into_iter().enumerate() {
        let text = line.text(content);
        let blanks = line.start + trim_blanks_end(text).len();
        let is_inside = span.start <= blanks && line.text_end <= span.end;
        if staying.next_if_eq(&number).is_none() && is_inside && rows.trailing_cells(old, text).is_some() {
            return Err(RewriteError::LostBlanks { at: line.start });
        }
        line = Line::at(content, line.end);
    }
    Ok(())
}
