//! Tabs that separate columns are data: rows that are added take them, and rows that change keep their empty last cells.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use crate::lines::{Line, is_blank_text, split_indent, trim_blanks_end};

use super::document_forms::{LostBlanks, ReplacedLine, blank_runs};
use super::tokens::is_spaces;

/// The columns of the lines of a match whose tabs `old_str` has as other blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// There are none.
    None,
    /// Each of these lines has so many tabs between its cells, and no other blanks; the first starts at this offset.
    Tabs { count: usize, at: usize },
    /// What separates the cells is not clear; the first of these lines starts at this offset.
    Unclear { at: usize },
}

impl Columns {
    /// `lines` are all of the match: where each starts, its text in the document, and its body.
    pub(super) fn new<'l>(lines: impl Iterator<Item = (usize, &'l str, ReplacedLine<'l>)>) -> Columns {
        /// With fewer, a tab between two words says little about other lines.
        const MIN_TABS: usize = 2;
        let mut columns = Columns::None;
        for (start, text, line) in lines.filter(|(_, _, line)| line.has_flattened_tabs()) {
            let tabs = blank_runs(line.document).count();
            let are_tabs = blank_runs(line.document).all(|run| &line.document[run] == "\t");
            let is_clear = are_tabs && tabs >= MIN_TABS && trim_blanks_end(text).len() == text.len();
            columns = match columns {
                Columns::None if is_clear => Columns::Tabs { count: tabs, at: start },
                Columns::None => return Columns::Unclear { at: start },
                Columns::Tabs { count, .. } if is_clear && count == tabs => columns,
                Columns::Tabs { at, .. } | Columns::Unclear { at } => return Columns::Unclear { at },
            };
        }
        columns
    }

    /// Adds a line of `new_str`, without its indentation, that replaces none. An error is the offset of a line whose columns
    /// it should have, and has not.
    pub(super) fn write(self, written: &mut String, line: &str) -> Result<(), usize> {
        let (body, blanks) = split_trailing_blanks(line);
        let runs = || blank_runs(body).map(|run| &body[run]);
        match self {
            Columns::Tabs { .. } | Columns::Unclear { .. } if !runs().any(is_spaces) => written.push_str(line),
            Columns::None => written.push_str(line),
            Columns::Tabs { count, .. } if runs().count() == count && runs().all(|run| run == " ") => {
                written.push_str(&body.replace(' ', "\t"));
                written.push_str(blanks);
            }
            Columns::Tabs { at, .. } | Columns::Unclear { at } => return Err(at),
        }
        Ok(())
    }
}

/// The rows among the lines of a match: a tab at the end of a line is an empty cell if that line, another of the match or
/// one beside the match has tabs between words.
pub(super) struct Rows<'m> {
    content: &'m str,
    span: Range<usize>,
    have_tabs_inside: OnceCell<bool>,
}

impl<'m> Rows<'m> {
    pub(super) fn new(content: &'m str, span: &Range<usize>) -> Rows<'m> {
        Rows { content, span: span.clone(), have_tabs_inside: OnceCell::new() }
    }

    /// The empty cells at the end of a row of the document, where `old_str` has other blanks.
    pub(super) fn trailing_cells<'d>(&self, old: &str, document: &'d str) -> Option<&'d str> {
        let (row, cells) = split_trailing_blanks(document);
        let may_be_row = cells.contains('\t') && !row.is_empty() && split_trailing_blanks(old).1 != cells;
        (may_be_row && *self.have_tabs_inside.get_or_init(|| self.find_tabs_inside())).then_some(cells)
    }

    /// The blanks at the end of a line that replaces one: the empty cells of a row stay if neither they nor the number of
    /// the others are changed.
    pub(super) fn trailing_blanks<'l>(
        &self,
        old: &str,
        document: &'l str,
        new: &'l str,
    ) -> Result<&'l str, LostBlanks> {
        let (new_body, given) = split_trailing_blanks(new);
        let Some(cells) = self.trailing_cells(old, document) else { return Ok(given) };
        let (old_row, old_blanks) = split_trailing_blanks(old);
        let has_as_many = blank_runs(split_indent(old_row).1).count() == blank_runs(split_indent(new_body).1).count();
        if given == old_blanks && has_as_many { Ok(cells) } else { Err(LostBlanks) }
    }

    fn find_tabs_inside(&self) -> bool {
        let first = Line::containing(self.content, self.span.start);
        let first = Line::before(self.content, first.start).unwrap_or(first);
        let next = |line: &Line| {
            let is_followed = line.start <= self.span.end && line.end > line.text_end;
            is_followed.then(|| Line::at(self.content, line.end))
        };
        let mut lines = std::iter::successors(Some(first), next);
        lines.any(|line| split_indent(split_trailing_blanks(line.text(self.content)).0).1.contains('\t'))
    }
}

/// Rows of a match whose empty last cells `old_str` lacks. What is written beside them may lack its own, so it is refused
/// unless its number of cells is one that the document has there.
#[derive(Debug, Default)]
pub(super) struct ShortenedRows {
    /// Where the first of them starts.
    first: Option<usize>,
    /// How many tabs they have.
    tabs: HashSet<usize>,
}

impl ShortenedRows {
    /// `lines` are all of the match: where each starts, its text in the document, and its text in `old_str`.
    pub(super) fn new<'l>(rows: &Rows<'_>, lines: impl Iterator<Item = (usize, &'l str, &'l str)>) -> ShortenedRows {
        let mut shortened = ShortenedRows::default();
        for (start, document, _) in lines.filter(|(_, document, old)| rows.trailing_cells(old, document).is_some()) {
            shortened.add(start, document);
        }
        shortened
    }

    /// Adds a row that starts at this offset.
    pub(super) fn add(&mut self, start: usize, document: &str) {
        self.first.get_or_insert(start);
        self.tabs.insert(tabs(document));
    }

    /// Checks a written line: it has as many tabs as one of these rows or, between its words, as many as the line that it
    /// replaces. An error is the offset of the first of these rows.
    pub(super) fn check(&self, written: &str, replaced: Option<&str>) -> Result<(), usize> {
        let Some(first) = self.first else { return Ok(()) };
        let is_like_replaced =
            replaced.is_some_and(|replaced| !is_blank_text(replaced) && have_as_many_tabs_inside(written, replaced));
        if is_like_replaced || self.tabs.contains(&tabs(written)) { Ok(()) } else { Err(first) }
    }
}

/// Whether two lines have as many tabs between their words.
pub(super) fn have_as_many_tabs_inside(one: &str, other: &str) -> bool {
    tabs(trim_blanks_end(one)) == tabs(trim_blanks_end(other))
}

/// How many tabs a line has, those of its indentation aside.
fn tabs(line: &str) -> usize {
    split_indent(line).1.bytes().filter(|byte| *byte == b'\t').count()
}

fn split_trailing_blanks(line: &str) -> (&str, &str) {
    line.split_at(trim_blanks_end(line).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_added_row_takes_the_tabs_of_rows_that_are_alike() {
        let row = |old, document| (0, document, ReplacedLine { old, document });
        let check = |columns: Columns, line: &str, expected: Option<&str>| {
            let mut written = String::new();
            let result = columns.write(&mut written, line);
            assert_eq!(result.is_ok().then_some(written.as_str()), expected, "{columns:?} {line:?}");
        };
        let tabs = Columns::new([row("1 2 3", "1\t2\t3"), row("a b c", "a\tb\tc")].into_iter());
        check(tabs, "4 5 6", Some("4\t5\t6"));
        check(tabs, "4", Some("4"));
        check(tabs, "4\t5", Some("4\t5"));
        check(tabs, "4 5", None);
        check(tabs, "4  5 6", None);
        let unclear = Columns::new([row("1 2", "1\t2")].into_iter());
        check(unclear, "3 4", None);
        check(Columns::new([row("1 2 3", "1\t2\t3"), row("a b", "a\tb")].into_iter()), "3 4 5", None);
        check(Columns::new([row("1 2 3", "1\t2\t\t3")].into_iter()), "3 4 5", None);
        check(Columns::new([row("1\t2", "1\t2")].into_iter()), "3 4 5", Some("3 4 5"));
    }

    #[test]
    fn empty_cells_stay() {
        let check = |content: &str, span: Range<usize>, [old, new]: [&str; 2], expected| {
            let document = Line::at(content, span.start).text(content);
            assert_eq!(Rows::new(content, &span).trailing_blanks(old, document, new), expected, "{content:?} {new:?}");
        };
        check("1\t2\t", 0..4, ["1 2", "1 3"], Ok("\t"));
        check("1\t2\t", 0..4, ["1 2", "1 3 "], Err(LostBlanks));
        check("1\t2\t", 0..4, ["1 2", "1 2 3"], Err(LostBlanks));
        check("1\t2\t", 0..4, ["1\t2\t", "1\t3"], Ok(""));
        check("  a\t", 0..4, ["  a", "  b"], Ok(""));
        check("a\tb\nk\t\n", 4..6, ["k", "l"], Ok("\t"));
        check("k\t\na\tb", 0..2, ["k", "l"], Ok("\t"));
        check("k\t\n\na\tb", 0..2, ["k", "l"], Ok(""));
        check("a\tb\n\nk\t\n\na\tb", 5..7, ["k", "l"], Ok(""));
    }

    #[test]
    fn what_is_written_beside_a_shortened_row_has_as_many_cells() {
        let lines = [(0, "a\tb\tc", "a\tb\tc"), (6, "1\t2\t", "1\t2")];
        let rows = Rows::new("a\tb\tc\n1\t2\t\n", &(0..10));
        let shortened = ShortenedRows::new(&rows, lines.into_iter());
        let check =
            |written, replaced, expected| assert_eq!(shortened.check(written, replaced), expected, "{written:?}");
        check("3\t4", None, Err(6));
        check("3\t4\t", None, Ok(()));
        check("  3\t4\t5", None, Ok(()));
        check("3", None, Err(6));
        check("x\ty\tz", Some("a\tb\tc"), Ok(()));
        check("3\t4", Some("a\tb\tc"), Err(6));
        check("# two", Some("# one"), Ok(()));
        check("# two", Some(""), Err(6));
        let complete = ShortenedRows::new(&rows, lines[..1].iter().copied());
        assert_eq!(complete.check("3\t4", None), Ok(()));
    }
}
