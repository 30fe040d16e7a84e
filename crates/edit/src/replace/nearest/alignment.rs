//! Aligns the lines of `old_str` with the lines around a similar stretch of the content: where the passage that is meant
//! begins and ends.

use std::ops::Range;

use crate::lines::{Line, split_indent, trim_blanks_end};

use super::similarity::LineWords;

/// How many pairs of lines one alignment may look at.
const MAX_CELLS: usize = 1 << 18;
/// Bytes on each side of a stretch in which its passage may begin or end.
const MAX_REACH_BYTES: usize = 32 * 1024;
/// Lines on each side of a stretch, beside as many as `old_str` has, in which its passage may begin or end.
const EXTRA_LINES: usize = 8;
/// How many pairs of different lines all alignments of one refusal may compare word by word.
const MAX_COMPARISONS: usize = 20_000;

/// What an old line adds to the score when it is paired with an equal line, beside the weight of its words.
const EQUAL: i32 = 6;
/// For equal indentation, too.
const EQUAL_INDENT: i32 = 2;
/// For two blank lines.
const BOTH_BLANK: i32 = 2;
/// For two lines that have little in common: still better than one left out here and one left out there.
const OTHER_LINE: i32 = -2;
/// For a blank line and one that is not.
const OTHER_BLANK: i32 = -8;
/// For a line of `old_str` that the passage lacks; and if it is blank.
const MISSING: (i32, i32) = (-6, -2);
/// For a line of the passage that `old_str` lacks; and if it is blank.
const EXTRA: (i32, i32) = (-3, -1);

/// A line as it is compared: without its ending and the blanks before it.
struct ComparedLine<'t> {
    indent: &'t str,
    body: &'t str,
}

impl<'t> ComparedLine<'t> {
    fn new(line: &'t str) -> ComparedLine<'t> {
        let (indent, body) = split_indent(trim_blanks_end(line));
        ComparedLine { indent, body }
    }

    /// The price of leaving it out: one of a pair, the second if it is blank.
    fn price(&self, (line, blank): (i32, i32)) -> i32 {
        if self.body.is_empty() { blank } else { line }
    }
}

/// The lines of an `old_str`, ready to be aligned with several stretches of one content.
pub(in crate::replace) struct LineAligner<'o> {
    old: Vec<ComparedLine<'o>>,
    words: Vec<LineWords>,
    /// The score of a passage with exactly these lines.
    full_score: i32,
    comparisons_left: usize,
}

/// The lines of a content that correspond to an `old_str`.
pub(in crate::replace) struct AlignedLines {
    /// Bytes from the start of the first line to the end of the text of the last one.
    pub(in crate::replace) range: Range<usize>,
    /// How much of `old_str` is there, in its order: 1 for all.
    pub(in crate::replace) share: f64,
}

/// The best alignment of the first lines of `old_str` that ends with one line of the region.
#[derive(Clone, Copy)]
struct Cell {
    score: i32,
    /// The line of the region where it begins.
    start: usize,
}

impl<'o> LineAligner<'o> {
    /// For lines of which the first and the last are not blank.
    pub(in crate::replace) fn new(old: &[&'o str]) -> LineAligner<'o> {
        let old: Vec<ComparedLine<'o>> = old.iter().map(|line| ComparedLine::new(line)).collect();
        let words: Vec<LineWords> = old.iter().map(|line| LineWords::new(line.body)).collect();
        let mut aligner = LineAligner { old, words, full_score: 0, comparisons_left: MAX_COMPARISONS };
        let full = (0..aligner.old.len()).map(|index| aligner.equal_score(index) + EQUAL_INDENT);
        aligner.full_score = full.fold(0, i32::saturating_add);
        aligner
    }

    /// What an old line scores beside a line with the same body.
    fn equal_score(&self, index: usize) -> i32 {
        if self.old[index].body.is_empty() { BOTH_BLANK } else { EQUAL + self.words[index].capped_weight() }
    }

    /// The lines around a stretch of the content that are most similar to the old lines, one by one; `None` where there is
    /// too much to compare.
    pub(in crate::replace) fn align(&mut self, content: &str, stretch: &Range<usize>) -> Option<AlignedLines> {
        let lines = self.region(content, stretch)?;
        let region: Vec<ComparedLine<'_>> = lines.iter().map(|line| ComparedLine::new(line.text(content))).collect();
        let (score, range) = self.best(&region)?;
        Some(AlignedLines {
            range: lines[range.start].start..lines[range.end - 1].text_end,
            share: f64::from(score.max(0)) / f64::from(self.full_score.max(1)),
        })
    }

    /// The lines of a stretch, and those around it in which its passage may begin or end.
    fn region(&self, content: &str, stretch: &Range<usize>) -> Option<Vec<Line>> {
        let reach = self.old.len() + EXTRA_LINES;
        if reach.saturating_mul(self.old.len()) > MAX_CELLS || stretch.len() > 2 * MAX_REACH_BYTES {
            return None;
        }
        let first = Line::containing(content, stretch.start);
        let last = Line::containing(content, stretch.end);
        if last.text_end - first.start > 4 * MAX_REACH_BYTES {
            return None;
        }
        let before =
            std::iter::successors(Line::before(content, first.start), |line| Line::before(content, line.start));
        let mut lines: Vec<Line> =
            before.take(reach).take_while(|line| first.start - line.start <= MAX_REACH_BYTES).collect();
        lines.reverse();
        let next = |line: &Line| (line.text_end < line.end).then(|| Line::at(content, line.end));
        let following = std::iter::successors(Some(first), next);
        let until_end = following.take_while(|line| line.start <= last.start);
        lines.extend(until_end);
        let after = std::iter::successors(next(&last), next).filter(|line| !line.is_after_final_newline());
        lines.extend(after.take(reach).take_while(|line| line.text_end - last.end <= MAX_REACH_BYTES));
        (lines.len().saturating_mul(self.old.len()) <= MAX_CELLS).then_some(lines)
    }

    /// The best score of all old lines, and the lines of the region that they correspond to, at least one.
    fn best(&mut self, region: &[ComparedLine<'_>]) -> Option<(i32, Range<usize>)> {
        let mut region_words: Vec<Option<LineWords>> = region.iter().map(|_| None).collect();
        // The lines before the passage cost nothing, nor do those after it.
        let mut above: Vec<Cell> = (0..=region.len()).map(|start| Cell { score: 0, start }).collect();
        for index in 0..self.old.len() {
            let is_there = region.iter().any(|line| line.body == self.old[index].body);
            let missing = self.old[index].price(MISSING);
            let mut row: Vec<Cell> = Vec::with_capacity(above.len());
            row.push(Cell { score: above[0].score + missing, ..above[0] });
            for (column, line) in region.iter().enumerate() {
                let pair = if is_there {
                    self.known_score(index, line)
                } else {
                    self.score(index, line, &mut region_words[column])
                };
                let paired = Cell { score: above[column].score + pair, ..above[column] };
                let left_out = Cell { score: above[column + 1].score + missing, ..above[column + 1] };
                let extra = Cell { score: row[column].score + line.price(EXTRA), ..row[column] };
                let best = [left_out, extra].into_iter().fold(paired, Cell::better);
                row.push(best);
            }
            above = row;
        }
        // Of equally good ones the shortest, then the first.
        let key =
            |(end, cell): &(usize, &Cell)| (cell.score, std::cmp::Reverse(end - cell.start), std::cmp::Reverse(*end));
        let (end, best) = above.iter().enumerate().filter(|(end, cell)| cell.start < *end).max_by_key(key)?;
        Some((best.score, best.start..end))
    }

    /// What an old line that is in the region scores beside one of its lines.
    fn known_score(&self, index: usize, line: &ComparedLine<'_>) -> i32 {
        let old = &self.old[index];
        match (old.body.is_empty(), line.body.is_empty()) {
            (true, true) => BOTH_BLANK,
            (true, false) | (false, true) => OTHER_BLANK,
            (false, false) if old.body != line.body => OTHER_LINE,
            (false, false) if old.indent != line.indent => self.equal_score(index),
            (false, false) => self.equal_score(index) + EQUAL_INDENT,
        }
    }

    /// What an old line scores beside a line of the region, whose words are taken apart when they are needed.
    #[expect(clippy::cast_possible_truncation, reason = "less than the score of equal lines")]
    fn score(&mut self, index: usize, line: &ComparedLine<'_>, words: &mut Option<LineWords>) -> i32 {
        let known = self.known_score(index, line);
        if known != OTHER_LINE || self.comparisons_left == 0 {
            return known;
        }
        self.comparisons_left -= 1;
        let words = words.get_or_insert_with(|| LineWords::new(line.body));
        let likeness = 2.0 * self.words[index].similarity(words) - 1.0;
        ((f64::from(self.equal_score(index)) * likeness) as i32).max(OTHER_LINE)
    }
}

impl Cell {
    /// The better of two; of equally good ones the shorter, then this one.
    fn better(self, other: Cell) -> Cell {
        if (other.score, other.start) > (self.score, self.start) { other } else { self }
    }
}
