//! The oracle of a file's style: what its lines near a place are indented with.

use std::ops::Range;

use super::super::lines::{Line, is_blank, split_indent};

/// The units of indentation there are, in spaces.
pub(crate) const UNITS: [usize; 4] = [2, 3, 4, 8];

/// What the lines are indented with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileStyle {
    Tabs,
    Spaces(usize),
    Unclear,
}

/// The style of the lines and of the 200 lines before and after them.
pub(crate) fn file_style(document: &[Line], lines: &Range<usize>) -> FileStyle {
    let (start, end) = (lines.start.saturating_sub(200), document.len().min(lines.end + 200));
    // Nor is a line of blanks and `\r` evidence, though a `\r` inside a line is a character.
    let is_empty = |line: &Line| line.text.chars().all(|c| c == '\r' || is_blank(c));
    let near = document[start..end].iter().filter(|line| !is_empty(line));
    let indents: Vec<&str> = near.map(|line| split_indent(&line.text).0).collect();
    let tabs = indents.iter().filter(|indent| indent.starts_with('\t')).count();
    let spaces = indents.iter().filter(|indent| indent.chars().count() >= 2 && is_spaces(indent)).count();
    if tabs > 0 && tabs >= 10 * spaces {
        FileStyle::Tabs
    } else if spaces > 0 && spaces >= 10 * tabs {
        unit(&indents)
    } else {
        FileStyle::Unclear
    }
}

fn is_spaces(indent: &str) -> bool {
    indent.chars().all(|c| c == ' ')
}

/// The increase of indentation that is by far the most frequent.
fn unit(indents: &[&str]) -> FileStyle {
    let neighbours = indents.windows(2).filter(|pair| is_spaces(pair[0]) && is_spaces(pair[1]));
    let increases: Vec<usize> =
        neighbours.map(|pair| pair[1].len().saturating_sub(pair[0].len())).filter(|&increase| increase >= 2).collect();
    let count = |unit: usize| increases.iter().filter(|&&increase| increase == unit).count();
    let most = UNITS.map(count).into_iter().max().unwrap_or(0);
    let unit = UNITS.into_iter().find(|&unit| count(unit) == most);
    match unit {
        Some(unit) if most > 0 && 4 * most >= 3 * increases.len() => FileStyle::Spaces(unit),
        _ => FileStyle::Unclear,
    }
}
