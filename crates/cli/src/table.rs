//! Tables that fit the width of a terminal.

use crate::output::printable;
use crate::screen::{Screen, Style, columns, cut};

/// The gap between two columns.
const GAP: usize = 2;
/// A column that gives way keeps so many columns of the terminal before another one is left out.
const LEAST_WIDTH: usize = 16;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    header: &'static str,
    fit: Fit,
}

/// What a column does where a terminal is too narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// It is as wide as it needs to be.
    Whole,
    /// Its cells are cut.
    Cut,
    /// It is left out, before others are cut to little.
    LeftOut,
}

impl Column {
    pub(crate) const fn whole(header: &'static str) -> Column {
        Column { header, fit: Fit::Whole }
    }

    pub(crate) const fn cut(header: &'static str) -> Column {
        Column { header, fit: Fit::Cut }
    }

    pub(crate) const fn left_out(header: &'static str) -> Column {
        Column { header, fit: Fit::LeftOut }
    }
}

/// The lines of a table.
pub(crate) fn table(screen: &Screen, shape: &[Column], rows: &[Vec<String>]) -> String {
    let header: Vec<String> = shape.iter().map(|column| column.header.to_owned()).collect();
    let rows = rows.iter().map(|row| row.iter().map(|cell| printable(cell)).collect());
    let rows: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
    let widest = |index: usize| rows.iter().map(|row| columns(&row[index])).max().unwrap_or(0);
    let mut shown: Vec<(usize, usize)> = (0..shape.len()).map(|index| (index, widest(index))).collect();
    if let Some(width) = screen.width {
        fit(shape, &mut shown, width);
    }
    let line = |(number, row): (usize, &Vec<String>)| {
        let cells: Vec<String> = shown.iter().map(|&(index, width)| padded(&row[index], width)).collect();
        let line = cells.join(&" ".repeat(GAP)).trim_end().to_owned();
        if number == 0 { screen.paint(Style::Dim, &line) } else { line }
    };
    rows.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Leaves out and narrows columns until all fit into `width`, as far as they can.
fn fit(shape: &[Column], shown: &mut Vec<(usize, usize)>, width: usize) {
    let total =
        |shown: &[(usize, usize)]| shown.iter().map(|(_, width)| width + GAP).sum::<usize>().saturating_sub(GAP);
    let is = |index: usize, fit: Fit| shape[index].fit == fit;
    loop {
        let over = total(shown).saturating_sub(width);
        let spare: usize = shown
            .iter()
            .filter(|(index, _)| is(*index, Fit::Cut))
            .map(|(_, width)| width.saturating_sub(LEAST_WIDTH))
            .sum();
        if over <= spare {
            break;
        }
        let Some(last) = shown.iter().rposition(|(index, _)| is(*index, Fit::LeftOut)) else { break };
        shown.remove(last);
    }
    let mut over = total(shown).saturating_sub(width);
    while over > 0 {
        let cut = shown
            .iter_mut()
            .filter(|(index, width)| is(*index, Fit::Cut) && *width > 1)
            .max_by_key(|(_, width)| *width);
        let Some((_, width)) = cut else { break };
        *width -= 1;
        over -= 1;
    }
}

fn padded(cell: &str, width: usize) -> String {
    let cell = cut(cell, width);
    let blanks = width.saturating_sub(columns(&cell));
    cell + &" ".repeat(blanks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: [Column; 3] = [Column::whole("ID"), Column::cut("TITLE"), Column::left_out("TAGS")];

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        vec![row(["0199", "A plan for the whole of next week", "work"]), row(["0200", "日本語の計画", ""])]
    }

    #[test]
    fn a_wide_terminal_shows_all() {
        let expected = "ID    TITLE                              TAGS\n\
                        0199  A plan for the whole of next week  work\n\
                        0200  日本語の計画                       -";
        assert_eq!(table(&Screen::terminal(80), &SHAPE, &rows()), expected);
    }

    #[test]
    fn titles_are_cut_before_tags_go() {
        let expected = "ID    TITLE                 TAGS\n\
                        0199  A plan for the whol…  work\n\
                        0200  日本語の計画          -";
        assert_eq!(table(&Screen::terminal(32), &SHAPE, &rows()), expected);
        let expected = "ID    TITLE\n0199  A plan for the …\n0200  日本語の計画";
        assert_eq!(table(&Screen::terminal(22), &SHAPE, &rows()), expected);
    }

    #[test]
    fn no_line_is_longer_than_the_terminal() {
        for width in 7..60 {
            let text = table(&Screen::terminal(width), &SHAPE, &rows());
            assert!(text.split('\n').all(|line| columns(line) <= width), "{width}:\n{text}");
        }
    }

    #[test]
    fn a_cell_cannot_steer_the_terminal() {
        let rows = [vec!["1".to_owned(), "\u{1b}[2Jboo\n".to_owned(), String::new()]];
        assert!(!table(&Screen::terminal(80), &SHAPE, &rows).contains('\u{1b}'));
    }
}
