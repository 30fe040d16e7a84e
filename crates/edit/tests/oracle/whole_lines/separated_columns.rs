//! The oracle of rows whose cells are parted by tabs, which `old_str` has otherwise.

use super::super::lines::{is_blank_line, split_indent, trimmed};
use super::changed_line::{has_other_blank, tokens};

/// A line without indentation, and the blanks at its end.
pub(crate) fn body_and_trail(line: &str) -> (&str, &str) {
    let body = split_indent(line).1;
    body.split_at(trimmed(body).len())
}

/// The runs of blanks inside the body.
pub(crate) fn runs(body: &str) -> Vec<String> {
    tokens(body).into_iter().filter(|token| is_blank_line(token)).collect()
}

/// Whether the document's line has a run of blanks with tabs of which the line of `old_str` has another number.
pub(crate) fn has_flattened_tab(old: &str, document: &str) -> bool {
    let tabs = |line: &str| -> Vec<usize> {
        runs(body_and_trail(line).0).iter().map(|run| run.matches('\t').count()).collect()
    };
    tabs(old).into_iter().zip(tabs(document)).any(|(old, there)| there > 0 && old != there)
}

/// Whether the document's line is a row whose last cells are empty; `around` are the lines of the place and one on each side.
pub(crate) fn is_row_with_trailing_tabs(document: &str, around: &[String]) -> bool {
    let has_tab_inside = |line: &String| body_and_trail(line).0.contains('\t');
    !is_blank_line(document) && body_and_trail(document).1.contains('\t') && around.iter().any(has_tab_inside)
}

/// Whether a written line may be short of cells, because `old_str` has the rows `shortened` of the place without their empty
/// last ones: it has the number of cells of none of them, and not that of the line that it replaces.
pub(crate) fn may_be_short_of_cells(written: &str, replaced: Option<&str>, shortened: &[String]) -> bool {
    let cells = |line: &str| split_indent(line).1.split('\t').count();
    let is_as_before =
        replaced.is_some_and(|line| !is_blank_line(line) && cells(trimmed(line)) == cells(trimmed(written)));
    !shortened.is_empty() && !is_as_before && !shortened.iter().any(|row| cells(row) == cells(written))
}

/// The body of a line that is added, as the rows of the place have their cells parted; `None` if that is not clear.
pub(crate) fn added_body(body: &str, old: &[String], document: &[String]) -> Option<String> {
    let rows: Vec<&String> = (0..old.len())
        .filter(|&line| has_flattened_tab(&old[line], &document[line]))
        .map(|line| &document[line])
        .collect();
    if rows.is_empty() || runs(body).iter().all(|run| has_other_blank(run)) {
        return Some(body.to_owned());
    }
    let columns = runs(body_and_trail(rows[0]).0).len();
    let is_clear = |row: &&String| {
        let (body, trail) = body_and_trail(row);
        trail.is_empty() && runs(body).len() == columns && runs(body).iter().all(|run| run == "\t")
    };
    let fits = runs(body).len() == columns && runs(body).iter().all(|run| run == " ");
    (columns >= 2 && rows.iter().all(is_clear) && fits)
        .then(|| tokens(body).into_iter().map(|token| if token == " " { "\t".to_owned() } else { token }).collect())
}
