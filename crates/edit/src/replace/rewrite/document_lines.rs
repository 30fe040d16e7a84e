//! The lines of the document in a match, and how lines of `new_str` are written in their place.

use std::borrow::Cow;
use std::ops::Range;

use crate::lines::{Line, split_indent, trim_blanks_end};
use crate::replace::Level;

use super::RewriteError;
use super::columns::{Columns, Rows, ShortenedRows};
use super::document_forms::{LostBlanks, ReplacedLine};
use super::plain_forms::PlainForms;

/// The lines of a match, in the document and in `old_str`.
pub(super) struct DocumentLines<'m> {
    level: Level,
    /// Where each starts, its text in the document, and its text in `old_str`.
    lines: Vec<(usize, &'m str, &'m str)>,
    plain_forms: Option<PlainForms>,
    columns: Option<Columns>,
    rows: Rows<'m>,
    shortened_rows: Option<ShortenedRows>,
}

impl<'m> DocumentLines<'m> {
    /// `old_lines` are those of the match.
    pub(super) fn new(
        content: &'m str,
        span: &Range<usize>,
        old_lines: &[&'m str],
        level: Level,
        new_str: &str,
    ) -> DocumentLines<'m> {
        let mut lines = Vec::with_capacity(old_lines.len());
        let mut start = span.start;
        for old in old_lines {
            let line = Line::at(content, start);
            lines.push((start, line.text(content), *old));
            start = line.end;
        }
        // A level that does not know typographic characters found none in another form.
        let has_forms = level >= Level::PunctuationNormalized && !new_str.is_ascii();
        let plain_forms = has_forms.then(|| PlainForms::new(lines.iter().map(|(_, document, old)| (*old, *document))));
        let rows = Rows::new(content, span);
        DocumentLines { level, lines, plain_forms, columns: None, rows, shortened_rows: None }
    }

    /// A line of `new_str` in plain characters, where those of `old_str` stand for plain ones.
    pub(super) fn plain<'n>(&self, line: &'n str, replaced: Option<usize>) -> Cow<'n, str> {
        match &self.plain_forms {
            Some(forms) => forms.write(line, replaced),
            None => line.into(),
        }
    }

    /// Adds a line of `new_str`, without its indentation, that replaces the line of that number, or none.
    pub(super) fn write(
        &mut self,
        written: &mut String,
        line: &str,
        replaced: Option<usize>,
        cells_left: &mut usize,
    ) -> Result<(), RewriteError> {
        let body = written.len();
        let lost_blanks = |at| RewriteError::LostBlanks { at };
        let there = replaced.and_then(|number| self.lines.get(number).copied());
        match there {
            Some((at, document, old)) => {
                self.write_changed(written, line, (document, old), cells_left).map_err(|LostBlanks| lost_blanks(at))?;
            }
            None => self.columns().write(written, line).map_err(lost_blanks)?,
        }
        let replaced = there.map(|(_, document, _)| document);
        self.shortened_rows().check(&written[body..], replaced).map_err(lost_blanks)
    }

    /// Adds a line that replaces one, given as the document and as `old_str` has it.
    fn write_changed(
        &self,
        written: &mut String,
        line: &str,
        (document, old): (&str, &str),
        cells_left: &mut usize,
    ) -> Result<(), LostBlanks> {
        let body = trim_blanks_end(line);
        if self.level >= Level::PunctuationNormalized {
            bodies(old, document).write(written, body, self.level, cells_left)?;
        } else {
            written.push_str(body);
        }
        written.push_str(self.rows.trailing_blanks(old, document, line)?);
        Ok(())
    }

    /// Refuses the loss of blanks in a line that is replaced by none in particular.
    pub(super) fn check_without_successor(&self, number: usize) -> Result<(), RewriteError> {
        let Some((at, document, old)) = self.lines.get(number).copied() else { return Ok(()) };
        let loses_blanks = bodies(old, document).check_without_successor(self.level).is_err();
        let loses_cells = self.rows.trailing_cells(old, document).is_some();
        if loses_blanks || loses_cells { Err(RewriteError::LostBlanks { at }) } else { Ok(()) }
    }

    fn columns(&mut self) -> Columns {
        if self.level < Level::SpacingNormalized {
            return Columns::None;
        }
        let lines = self.lines.iter().map(|(at, document, old)| (*at, *document, bodies(old, document)));
        *self.columns.get_or_insert_with(|| Columns::new(lines))
    }

    fn shortened_rows(&mut self) -> &ShortenedRows {
        self.shortened_rows.get_or_insert_with(|| ShortenedRows::new(&self.rows, self.lines.iter().copied()))
    }
}

fn bodies<'m>(old: &'m str, document: &'m str) -> ReplacedLine<'m> {
    let body = |line: &'m str| split_indent(trim_blanks_end(line)).1;
    ReplacedLine { old: body(old), document: body(document) }
}
