//! Rows of cells that tabs part, remembered with spaces.

use super::super::rng::Rng;
use super::{Passage, surround};

const CELLS: [&str; 12] = ["a", "b", "id", "12", "3.5", "one two", "", "", "x-y", "\"q r\"", "N/A", "-"];
const TABS: [&str; 6] = ["\t", "\t", "\t", "\t\t", " \t", "\u{2028}"];

fn cell(rng: &mut Rng) -> String {
    rng.pick(&CELLS).to_owned()
}

/// Rows with the same number of cells; the first and the last are rarely empty.
fn rows(rng: &mut Rng) -> Vec<Vec<String>> {
    let columns = rng.between(2, 4);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for _ in 0..rng.between(1, 3) {
        let mut row: Vec<String> = (0..columns).map(|_| cell(rng)).collect();
        if row[0].is_empty() || rng.percent(70) {
            row[0] = rng.pick(&["k", "key", "r1", "r2"]).to_owned();
        }
        rows.push(row);
    }
    rows
}

/// How the request parts cells.
fn separator(rng: &mut Rng) -> &'static str {
    rng.pick(&[" ", " ", "  ", "    ", "\t", " | "])
}

fn joined(rows: &[Vec<String>], separator: &str) -> Vec<String> {
    rows.iter().map(|row| row.join(separator)).collect()
}

/// The passage of the rows, of which the request has all from `first` on.
fn passage(rng: &mut Rng, there: &[Vec<String>], new: &[Vec<String>]) -> Passage {
    let tab = rng.pick(&TABS);
    let separator = separator(rng);
    let trail = rng.pick(&["", "", "\t", "\t\t", " "]);
    let document: Vec<String> = joined(there, tab).into_iter().map(|row| row + trail).collect();
    let mut old = joined(there, separator);
    let new_separator = if rng.percent(25) { "\t" } else { separator };
    let mut new = joined(new, new_separator);
    // Now and then only some rows, or some cells, are remembered wrongly.
    if rng.percent(30) {
        let at = rng.below(old.len());
        old[at] = document[at].clone();
        if let Some(line) = new.get_mut(at)
            && rng.percent(60)
        {
            *line = document[at].clone();
        }
    }
    if rng.percent(25) {
        old[0] = document[0].replacen(tab, separator, 1);
    }
    for line in &mut new {
        line.push_str(if rng.percent(12) { rng.pick(&["\t", " ", "\t\t"]) } else { "" });
    }
    if rng.percent(30) {
        old.iter_mut().for_each(|line| line.push_str(trail));
    }
    Passage { document: surround(rng, document, &["h1\th2", "name\tvalue\t", "", "one"]), old, new }
}

/// Rows with another cell.
pub(crate) fn changed_rows(rng: &mut Rng) -> Passage {
    let there = rows(rng);
    let mut new = there.clone();
    for _ in 0..rng.between(1, 2) {
        let (row, column) = (rng.below(new.len()), rng.below(new[0].len()));
        new[row][column] = cell(rng);
    }
    passage(rng, &there, &new)
}

/// Rows that come or go.
pub(crate) fn added_rows(rng: &mut Rng) -> Passage {
    let there = rows(rng);
    let mut new = there.clone();
    for _ in 0..rng.between(1, 2) {
        let at = rng.below(new.len() + 1);
        if rng.percent(20) && new.len() > 1 {
            new.remove(at.min(new.len() - 1));
        } else {
            new.insert(at, (0..there[0].len()).map(|_| cell(rng)).collect());
        }
    }
    passage(rng, &there, &new)
}

/// A column that comes, goes or moves.
pub(crate) fn columns(rng: &mut Rng) -> Passage {
    let there = rows(rng);
    let at = rng.below(there[0].len());
    let other = rng.below(there[0].len());
    let kind = rng.below(4);
    let mut new = there.clone();
    for row in &mut new {
        match kind {
            0 | 1 => row.insert(at + kind, cell(rng)),
            2 => _ = row.remove(at),
            _ => row.swap(at, other),
        }
    }
    passage(rng, &there, &new)
}
