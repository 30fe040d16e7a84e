//! Tabs that separate columns are data: rows that are added take them, and rows that change keep their empty last cells.

use crate::lines::{split_indent, trim_blanks_end};

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

/// The empty cells at the end of a row of the document, where `old_str` has other blanks.
pub(super) fn trailing_cells<'d>(old: &str, document: &'d str) -> Option<&'d str> {
    let (row, cells) = split_trailing_blanks(document);
    let is_row = cells.contains('\t') && split_indent(row).1.contains('\t');
    (is_row && split_trailing_blanks(old).1 != cells).then_some(cells)
}

/// The blanks at the end of a line that replaces one: the empty cells of a row stay if they are not changed.
pub(super) fn trailing_blanks<'l>(old: &str, document: &'l str, new: &'l str) -> Result<&'l str, LostBlanks> {
    let given = split_trailing_blanks(new).1;
    match trailing_cells(old, document) {
        None => Ok(given),
        Some(cells) if given == split_trailing_blanks(old).1 => Ok(cells),
        Some(_) => Err(LostBlanks),
    }
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
        assert_eq!(trailing_blanks("1 2", "1\t2\t", "1 3"), Ok("\t"));
        assert_eq!(trailing_blanks("1 2", "1\t2\t", "1 3 "), Err(LostBlanks));
        assert_eq!(trailing_blanks("1\t2\t", "1\t2\t", "1\t3"), Ok(""));
        assert_eq!(trailing_blanks("  a", "  a\t", "  b"), Ok(""));
    }
}
