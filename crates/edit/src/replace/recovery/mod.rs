//! Recovery: when `old_str` has one wrong word in a line that stays, or lacks one line, the change that it was given for is
//! made in the passage that was meant. It is offered, never made: the caller has to ask for it.

use std::collections::HashSet;
use std::ops::Range;

use crate::edit::{Edit, Splice};
use crate::lines::{Line, ending_of_span, is_blank_text, line_of, trim_blanks_end};
use crate::merge::merge;

use super::nearest::{LineWords, SimilarLines, words};
use super::rewrite::{gaps, pair_lines};
use super::whole_lines::WholeLines;
use super::{MergedChange, Replace};
use changed_line::{SimilarLine, open_brackets};
use misremembered::{Misremembered, compare};
use twins::has_twin;

mod changed_line;
mod misremembered;
mod twins;

/// Longer texts are not compared.
const MAX_BYTES: usize = 64 * 1024;
/// How much more of `old_str` than the next passage the nearest one must have.
const MIN_MARGIN: f64 = 0.15;
/// A line of `new_str` so similar to a line that `old_str` lacks is that line, changed.
const CHANGED_LINE: f64 = 0.7;
/// Lines less similar than this are different lines.
const SAME_LINE: f64 = 0.5;
/// New lines so similar to the old lines that they replace account for all of them.
const ACCOUNTED_FOR: f64 = 0.6;
/// By how much one similarity must be greater than another to decide.
const CLEARLY: f64 = 0.1;

/// The change from `old_str` to `new_str`, made in the passage that is most similar to `old_str`.
///
/// There is one if and only if
/// * no other passage is nearly as similar,
/// * the passage has all lines of `old_str` but one, which has another word there, or has one line more,
/// * the change leaves that line alone (a line that `new_str` has, changed, is what `old_str` should have had),
/// * and the change, however its lines are aligned, has one result.
///
/// Lines that stay are the content's, byte for byte; new lines are those of `new_str`, with the line ending of the passage.
pub(super) fn recover(content: &str, request: &Replace<'_>, similar: &[SimilarLines]) -> Option<MergedChange> {
    let [nearest, others @ ..] = similar else { return None };
    let is_clear = others.iter().all(|other| other.share <= nearest.share - MIN_MARGIN);
    let longest = request.old_str.len().max(request.new_str.len()).max(nearest.range.len());
    if !is_clear || request.expected_matches != 1 || longest > MAX_BYTES {
        return None;
    }
    let request = request.without_final_carriage_return();
    let (old, new) = (WholeLines::new(request.old_str), WholeLines::new(request.new_str));
    let (old, new) = without_edges(&old, &new)?;
    let lines = lines_of(content, &nearest.range);
    let passage: Vec<&str> = lines.iter().map(|line| line.text(content)).collect();
    let change = Change { old, new, passage: &passage };
    let merged = change.merge()?;
    if is_made_already(content, &nearest.range, new, &merged) || has_twin(content, &nearest.range, old) {
        return None;
    }
    let text = write(content, &nearest.range, &lines, new, &merged);
    let result_bytes = content.len() - nearest.range.len() + text.len();
    if text == content[nearest.range.clone()] || result_bytes > request.max_result_bytes {
        return None;
    }
    let first_line = line_of(content, nearest.range.start);
    Some(MergedChange {
        edit: Edit::minimal(content, vec![Splice { range: nearest.range.clone(), text }]),
        first_line,
        last_line: first_line + lines.len() - 1,
    })
}

/// The lines of `old_str` and `new_str` without the blank lines that both have at their edges; `None` if `old_str` has more
/// of them, or if one of the two has a final newline and the other has not.
fn without_edges<'a, 'l>(old: &'l WholeLines<'a>, new: &'l WholeLines<'a>) -> Option<(&'l [&'a str], &'l [&'a str])> {
    let core = old.core();
    let (at_start, at_end) = (core.start, old.lines.len() - core.end);
    let rest = new.lines.get(at_start..new.lines.len().checked_sub(at_end)?)?;
    let edges = new.lines[..at_start].iter().chain(&new.lines[at_start + rest.len()..]);
    let same_edges = edges.into_iter().all(|line| is_blank_text(line)) && old.ended == new.ended;
    same_edges.then_some((&old.lines[core], rest))
}

fn lines_of(content: &str, range: &Range<usize>) -> Vec<Line> {
    let next = |line: &Line| (line.end < range.end).then(|| Line::at(content, line.end));
    std::iter::successors(Some(Line::at(content, range.start)), next).collect()
}

/// Whether new lines of the result are next to the passage already, or reach into it.
fn is_made_already(content: &str, range: &Range<usize>, new: &[&str], merged: &[Origin]) -> bool {
    merged.chunk_by(|a, b| a.new_line().is_some() == b.new_line().is_some()).any(|run| {
        let lines: Vec<&str> = run.iter().filter_map(|origin| origin.new_line()).map(|line| new[line].trim()).collect();
        let (Some(first), Some(last)) =
            (lines.iter().position(|line| !line.is_empty()), lines.iter().rposition(|line| !line.is_empty()))
        else {
            return false;
        };
        let lines = &lines[first..=last];
        let is_distinct = lines.iter().any(|line| line.contains(char::is_alphanumeric));
        let around = lines_around(content, range, lines.len() + 2);
        is_distinct && around.windows(lines.len()).any(|there| there == lines)
    })
}

/// The lines of a range and so many before and after it, without the blanks around them.
fn lines_around<'t>(content: &'t str, range: &Range<usize>, count: usize) -> Vec<&'t str> {
    let before = std::iter::successors(Line::before(content, range.start), |line| Line::before(content, line.start));
    let start = before.take(count).last().map_or(range.start, |line| line.start);
    let next = |line: &Line| (line.text_end < line.end).then(|| Line::at(content, line.end));
    let inside_and_after = std::iter::successors(Some(Line::at(content, start)), next);
    let mut left = count + 1;
    let in_reach = inside_and_after.take_while(|line| {
        left -= usize::from(line.start > range.end);
        left > 0
    });
    in_reach.map(|line| line.text(content).trim()).collect()
}

/// Where a line of the result is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The passage, by index.
    Passage(usize),
    /// `new_str`, by index.
    New(usize),
}

impl Origin {
    fn new_line(self) -> Option<usize> {
        match self {
            Origin::New(line) => Some(line),
            Origin::Passage(_) => None,
        }
    }
}

/// A change of lines, and the passage that it is meant for.
struct Change<'a> {
    old: &'a [&'a str],
    new: &'a [&'a str],
    passage: &'a [&'a str],
}

impl Change<'_> {
    /// The lines of the passage after the change; `None` unless every alignment gives the same ones.
    fn merge(&self) -> Option<Vec<Origin>> {
        let mut results: Vec<Vec<Origin>> = Vec::new();
        let alignments = [self.pairs(), self.pairs_from_the_end()];
        for misremembered in compare(self.old, self.passage)? {
            for pairs in &alignments {
                results.push(self.merge_by(&misremembered, pairs)?);
            }
        }
        let text = |origin: &Origin| match origin {
            Origin::Passage(index) => trim_blanks_end(self.passage[*index]),
            Origin::New(index) => trim_blanks_end(self.new[*index]),
        };
        let first = results.swap_remove(0);
        let lines: Vec<&str> = first.iter().map(text).collect();
        let same = |other: &Vec<Origin>| other.iter().map(text).eq(lines.iter().copied());
        (results.iter().all(same) && self.merge_agrees(&lines)).then_some(first)
    }

    /// Whether the merge of both sides, which knows nothing of slips, has the same result or is not clean.
    fn merge_agrees(&self, result: &[&str]) -> bool {
        let text = |lines: &[&str]| lines.iter().map(|line| format!("{}\n", trim_blanks_end(line))).collect::<String>();
        let [base, ours, theirs] = [self.old, self.passage, self.new].map(text);
        merge(&base, &ours, &theirs).map_or(true, |edit| edit.apply(&theirs).is_ok_and(|merged| merged == text(result)))
    }

    /// The lines that stay, as pairs of indexes in `old` and `new`.
    fn pairs(&self) -> Vec<(usize, usize)> {
        pair_lines(self.old, self.new, &mut { crate::line_comparison::MAX_CELLS })
    }

    /// The same, with the last lines paired first.
    fn pairs_from_the_end(&self) -> Vec<(usize, usize)> {
        let reversed = |lines: &[&'_ str]| lines.iter().rev().map(|line| (*line).to_owned()).collect::<Vec<String>>();
        let (old, new) = (reversed(self.old), reversed(self.new));
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        let pairs = pair_lines(&old, &new, &mut { crate::line_comparison::MAX_CELLS });
        pairs.into_iter().rev().map(|(a, b)| (old.len() - 1 - a, new.len() - 1 - b)).collect()
    }

    fn merge_by(&self, misremembered: &Misremembered, pairs: &[(usize, usize)]) -> Option<Vec<Origin>> {
        let wrong = self.wrong_words(misremembered);
        let mut merged = Vec::new();
        let mut staying = pairs.iter();
        for (removed, added) in gaps(pairs, self.old.len(), self.new.len()) {
            match *misremembered {
                Misremembered::Word { line } => {
                    let has_wrong = |new: &&str| words(new, 0).any(|word| wrong.contains(&new[word.range]));
                    let is_known = !removed.contains(&line) && self.has_known_neighbour(line, &removed, &added);
                    if !is_known || self.new[added.clone()].iter().any(has_wrong) {
                        return None;
                    }
                    merged.extend(added.map(Origin::New));
                }
                Misremembered::LeftOut { line } if (removed.start..=removed.end).contains(&line) => {
                    merged.extend(self.around_line(line, removed, added)?);
                }
                Misremembered::LeftOut { .. } => merged.extend(added.map(Origin::New)),
            }
            merged.extend(staying.next().map(|(old, _)| Origin::Passage(misremembered.in_passage(*old))));
        }
        Some(merged)
    }

    /// The words of the line that was misremembered which the passage has nowhere. Who writes them in new lines, too, has
    /// another text in mind.
    fn wrong_words(&self, misremembered: &Misremembered) -> HashSet<&str> {
        let Misremembered::Word { line } = *misremembered else { return HashSet::new() };
        fn texts<'l>(line: &&'l str) -> impl Iterator<Item = &'l str> {
            let line = *line;
            words(line, 0).map(move |word| &line[word.range]).filter(|word| word.contains(char::is_alphanumeric))
        }
        let known: HashSet<&str> = self.passage.iter().flat_map(texts).collect();
        texts(&self.old[line]).filter(|word| !known.contains(word)).collect()
    }

    /// Whether a line that a gap of the change removes, or one next to it, is in the passage as `old_str` has it.
    fn has_known_neighbour(&self, line: usize, removed: &Range<usize>, added: &Range<usize>) -> bool {
        let before = removed.start.checked_sub(1).is_some_and(|before| before != line);
        let after = removed.end < self.old.len() && removed.end != line;
        before || after || !removed.is_empty() || added.is_empty()
    }

    /// The lines that a gap of the change becomes if the passage has a line there that `old_str` lacks.
    fn around_line(&self, line: usize, removed: Range<usize>, added: Range<usize>) -> Option<Vec<Origin>> {
        let there = Origin::Passage(line);
        if removed.is_empty() && added.is_empty() {
            return Some(vec![there]);
        }
        let text = trim_blanks_end(self.passage[line]);
        let is_same = |other: &&str| trim_blanks_end(other) == text;
        let is_distinct = text.contains(char::is_alphanumeric);
        // `new_str` has the line that `old_str` lacks.
        let same: Vec<usize> = added.clone().filter(|index| is_same(&self.new[*index])).collect();
        match same.as_slice() {
            [] => {}
            [only] if is_distinct && !self.old.iter().any(is_same) || removed.is_empty() && added.len() == 1 => {
                let origin = |index: usize| if index == *only { there } else { Origin::New(index) };
                return Some(added.map(origin).collect());
            }
            _ => return None,
        }
        if removed.is_empty() {
            return self.is_changed_into(line, &added).then(|| added.map(Origin::New).collect());
        }
        if !self.accounts_for(&removed, &added, line) {
            return None;
        }
        let new = added.clone().map(Origin::New);
        match line {
            _ if line == removed.start => Some(std::iter::once(there).chain(new).collect()),
            _ if line == removed.end => Some(new.chain([there]).collect()),
            _ if self.are_one_to_one(&removed, &added) => {
                let (before, after) =
                    (added.start..added.start + (line - removed.start), added.start + (line - removed.start));
                let after = (after..added.end).map(Origin::New);
                Some(before.map(Origin::New).chain([there]).chain(after).collect())
            }
            _ => None,
        }
    }

    /// Whether new lines that come where the passage has a line that `old_str` lacks are that line, changed: one of them is
    /// similar to it, and more so than to any line that `old_str` has, and the two cannot stand together.
    fn is_changed_into(&self, line: usize, added: &Range<usize>) -> bool {
        let text = trim_blanks_end(self.passage[line]);
        if is_blank_text(text) {
            return false;
        }
        let words = LineWords::new(text);
        let mut similar = self.new[added.clone()].iter().filter_map(|new| {
            let new_words = LineWords::new(new);
            let similarity = new_words.similarity(&words);
            let extended = trim_blanks_end(new).starts_with(text) && similarity >= SAME_LINE;
            let margin = if extended { 0.0 } else { CLEARLY };
            (similarity >= CHANGED_LINE || extended).then_some((*new, new_words, similarity - margin))
        });
        let (Some((new, new_words, similarity)), None) = (similar.next(), similar.next()) else { return false };
        let others = self.old.iter().map(|old| LineWords::new(old).similarity(&new_words));
        let next = self.passage.get(line + 1).copied();
        let excludes =
            self.closes_brackets_of(line, added) || SimilarLine { left_out: text, next, new }.exclude_each_other();
        excludes && others.fold(0.0, f64::max) < similarity
    }

    /// Whether the new lines have the brackets that `old_str` lacks with a line, so that the line would be one too many.
    fn closes_brackets_of(&self, line: usize, added: &Range<usize>) -> bool {
        let there = open_brackets(&self.passage[line..=line]);
        there != [0; 3]
            && there == open_brackets(&self.new[added.clone()])
            && open_brackets(self.passage) == open_brackets(self.new)
    }

    /// Whether the new lines are the removed ones, changed, and nothing of them is made from a line that `old_str` lacks.
    fn accounts_for(&self, removed: &Range<usize>, added: &Range<usize>, line: usize) -> bool {
        /// How many pairs of lines are compared.
        const MAX_PAIRS: usize = 4096;
        let (old, new) = (&self.old[removed.clone()], &self.new[added.clone()]);
        if old.len().saturating_mul(new.len()) > MAX_PAIRS {
            return false;
        }
        let words = LineWords::new(self.passage[line]);
        let old_words: Vec<LineWords> = old.iter().map(|line| LineWords::new(line)).collect();
        let from_line = |new: &&str| {
            let new_words = LineWords::new(new);
            let similarity = new_words.similarity(&words);
            let from_old = old_words.iter().map(|old| old.similarity(&new_words)).fold(0.0, f64::max);
            similarity >= SAME_LINE && from_old < similarity + CLEARLY
        };
        let whole = LineWords::new(&old.join(" ")).similarity(&LineWords::new(&new.join(" ")));
        whole >= ACCOUNTED_FOR && !new.iter().any(from_line)
    }

    fn are_one_to_one(&self, removed: &Range<usize>, added: &Range<usize>) -> bool {
        let mut pairs = removed.clone().zip(added.clone());
        let similar = |(old, new): (usize, usize)| {
            LineWords::new(self.old[old]).similarity(&LineWords::new(self.new[new])) >= SAME_LINE
        };
        removed.len() == added.len() && pairs.all(similar)
    }
}

/// The text of the merged lines, without the ending of the last one.
fn write(content: &str, range: &Range<usize>, lines: &[Line], new: &[&str], merged: &[Origin]) -> String {
    let ending_there = ending_of_span(content, range);
    let mut text = String::new();
    for (index, origin) in merged.iter().enumerate() {
        let (line, ending) = match origin {
            Origin::Passage(line) => (lines[*line].text(content), lines[*line].ending(content)),
            Origin::New(line) => (new[*line], ending_there),
        };
        text.push_str(line);
        if index + 1 < merged.len() {
            text.push_str(if ending.is_empty() { ending_there } else { ending });
        }
    }
    text
}
