//! A few lines of a text, taken back to what they were a version before.

use std::ops::Range;

use crate::diff::{ChangedBlock, line_changes};
use crate::edit::{EditMismatch, Splice};

use super::older_text::Passage;

/// One line with its ending.
pub(super) struct RegionLine<'t> {
    pub(super) text: &'t str,
    /// The line of the newest text that it is.
    pub(super) newest: Option<usize>,
}

/// The lines on which some splices of one version start and end, and those between.
pub(super) struct Region<'t> {
    /// Where it starts in the text.
    pub(super) start: usize,
    pub(super) lines: Vec<RegionLine<'t>>,
}

/// What the lines were.
pub(super) struct UndoneRegion {
    pub(super) passages: Vec<Passage>,
    /// The lines of the newest text that are not among them.
    pub(super) touched: Vec<usize>,
}

impl Region<'_> {
    /// The lines before the version whose undo these splices are.
    ///
    /// A line is the same before and after if a diff of these lines shows it as unchanged.
    pub(super) fn undone(&self, splices: &[Splice]) -> Result<UndoneRegion, EditMismatch> {
        let text: String = self.lines.iter().map(|line| line.text).collect();
        let older = self.older_text(&text, splices)?;
        let is_at_end = self.lines.last().is_some_and(|line| !line.text.ends_with('\n'));
        let mut older_lines: Vec<&str> = older.split_inclusive('\n').collect();
        if is_at_end && older_lines.last().is_none_or(|last| last.ends_with('\n')) {
            older_lines.push("");
        }
        let kept = self.kept_lines(&text, &older, older_lines.len());
        let mut passages: Vec<Passage> = Vec::with_capacity(older_lines.len());
        let mut is_touched = vec![true; self.lines.len()];
        for (line, kept) in older_lines.iter().zip(kept) {
            let newest = kept.and_then(|index| {
                is_touched[index] = false;
                self.lines[index].newest
            });
            passages
                .push(newest.map_or_else(|| Passage::Other((*line).into()), |line| Passage::Newest(line..line + 1)));
        }
        let touched = self.lines.iter().zip(is_touched).filter(|(_, is_touched)| *is_touched);
        Ok(UndoneRegion { passages, touched: touched.filter_map(|(line, _)| line.newest).collect() })
    }

    fn older_text(&self, text: &str, splices: &[Splice]) -> Result<String, EditMismatch> {
        let mut older = String::new();
        let mut position = 0;
        for Splice { range, text: written } in splices {
            let start = range.start.checked_sub(self.start).ok_or(EditMismatch)?;
            older.push_str(text.get(position..start).ok_or(EditMismatch)?);
            older.push_str(written);
            position = start + range.len();
        }
        older.push_str(text.get(position..).ok_or(EditMismatch)?);
        Ok(older)
    }

    /// For each older line the line here that it stayed.
    fn kept_lines(&self, text: &str, older: &str, older_count: usize) -> Vec<Option<usize>> {
        if self.lines.iter().all(|line| line.newest.is_none()) {
            return vec![None; older_count];
        }
        unchanged_lines((older, older_count), (text, self.lines.len()))
    }
}

/// For each line of the first text the line of the second that it stays, by a diff; beside each text how many lines it has.
///
/// An empty last line, which no diff shows, stays if it is counted in both.
pub(super) fn unchanged_lines((older, older_count): (&str, usize), (text, count): (&str, usize)) -> Vec<Option<usize>> {
    let mut unchanged = vec![None; older_count];
    let mut set = |older: Range<usize>, lines: Range<usize>| {
        unchanged.iter_mut().take(older.end).skip(older.start).zip(lines).for_each(|(to, line)| *to = Some(line));
    };
    let block = ChangedBlock::between(older, text);
    let (mut next_older, mut next) = (0, 0);
    for change in line_changes(older, &block) {
        set(next_older..change.first_line, next..count);
        next += change.first_line - next_older + change.added_lines;
        next_older = change.first_line + change.removed_lines;
    }
    set(next_older..older_count, next..count);
    unchanged
}
