//! Finds the passages that are most similar to an `old_str` that was not found (`nearest` of a `no_match`).
//!
//! They help the caller to correct the request; nothing is ever replaced by similarity.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::Range;

use crate::edit::common_at_edges;
use crate::excerpt::{bounded_excerpt, cut_line};
use crate::line_comparison::{self, LineIds};
use crate::lines::{Line, line_of, split_lines, trim_blanks_end};

use super::SimilarPassage;
use super::similarity::{Word, WordBag, words};
use super::whole_lines::WholeLines;

/// How many passages an error lists.
const MAX_PASSAGES: usize = 3;
/// A less similar passage is no help.
const MIN_SIMILARITY: f64 = 0.5;
/// Candidates kept while the content is read.
const MAX_CANDIDATES: usize = 32;
/// Bytes of a passage, and of its diff, that an error shows.
const MAX_SHOWN_BYTES: usize = 6 * 1024;
/// Bytes of a passage that are compared line by line.
const MAX_COMPARED_BYTES: usize = 64 * 1024;

/// The passages most similar to `old_str`, best first.
pub(super) fn nearest(content: &str, old_str: &str) -> Vec<SimilarPassage> {
    let bag = WordBag::new(old_str);
    let old = WholeLines::new(old_str);
    let old = &old.lines[old.core()];
    let (Some(first), Some(last)) = (old.first(), old.last()) else { return Vec::new() };
    let edges = [WordBag::new(beginning(first)), WordBag::new(beginning(last))];
    let mut passages: Vec<SimilarRange> = Vec::new();
    for candidate in candidates(content, &bag).into_iter().take(2 * MAX_PASSAGES) {
        let range = to_lines(content, &candidate.range, &edges);
        if passages.iter().any(|other| range.start < other.lines.end && other.lines.start < range.end) {
            continue;
        }
        let similarity = bag.similarity(content, &candidate.range).max(bag.similarity(content, &range));
        if similarity >= MIN_SIMILARITY {
            passages.push(SimilarRange { similarity, lines: range, words: candidate.range });
        }
    }
    passages.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    passages.truncate(MAX_PASSAGES);
    passages.into_iter().map(|range| similar_passage(content, &range, old)).collect()
}

/// Where a passage similar to `old_str` lies in the content.
struct SimilarRange {
    similarity: f64,
    /// Whole lines.
    lines: Range<usize>,
    /// From the first to the last word that `old_str` has too.
    words: Range<usize>,
}

/// As much of a line as it takes to distinguish it from other lines.
fn beginning(line: &str) -> &str {
    const MAX_BYTES: usize = 4096;
    &line[..line.floor_char_boundary(MAX_BYTES)]
}

/// A stretch of the content with as many words as `old_str`, at most.
#[derive(Clone, Debug)]
struct Candidate {
    shared_weight: usize,
    /// From the first to the last word that `old_str` has too.
    range: Range<usize>,
}

/// The stretches that share most words with the bag, best first; no two of them overlap.
fn candidates(content: &str, bag: &WordBag) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    // The last words of the content that `old_str` has too: position among the words, id, word.
    let mut window: VecDeque<(usize, usize, Word)> = VecDeque::new();
    let mut counts = vec![0_u32; bag.counts.len()];
    let mut shared_weight = 0;
    let mut least = bag.search_weight / 4;
    for (index, word) in words(content, bag.min_search_weight).enumerate() {
        let Some(id) = bag.id(content, &word) else { continue };
        while let Some((first, id, gone)) = window.front()
            && first + bag.search_words <= index
        {
            counts[*id] -= 1;
            if counts[*id] < bag.counts[*id] {
                shared_weight -= gone.weight();
            }
            window.pop_front();
        }
        if counts[id] < bag.counts[id] {
            shared_weight += word.weight();
        }
        counts[id] += 1;
        let end = word.range.end;
        window.push_back((index, id, word));
        let start = window.front().map_or(0, |(_, _, first)| first.range.start);
        if shared_weight <= least {
            continue;
        }
        match found.last_mut() {
            Some(last) if start < last.range.end => {
                if shared_weight > last.shared_weight {
                    *last = Candidate { shared_weight, range: start..end };
                }
            }
            _ => found.push(Candidate { shared_weight, range: start..end }),
        }
        if found.len() >= 2 * MAX_CANDIDATES {
            let last = found.pop();
            found.sort_by_key(|candidate| Reverse(candidate.shared_weight));
            found.truncate(MAX_CANDIDATES - 1);
            least = found.last().map_or(least, |candidate| candidate.shared_weight);
            found.extend(last);
        }
    }
    found.sort_by_key(|candidate| Reverse(candidate.shared_weight));
    found
}

/// The whole lines of a candidate, its edges moved by a few lines to where the first and the last line of `old_str` are most similar.
fn to_lines(content: &str, candidate: &Range<usize>, [first, last]: &[WordBag; 2]) -> Range<usize> {
    let start = Line::containing(content, candidate.start);
    let end = Line::containing(content, candidate.end);
    if start.start == end.start {
        return start.start..end.text_end;
    }
    let start = best_line(content, start, first);
    let end = best_line(content, end, last);
    if start.start <= end.start { start.start..end.text_end } else { candidate.clone() }
}

/// The line near this one that is most similar to a bag; of equally similar lines this one, then the first.
fn best_line(content: &str, at: Line, bag: &WordBag) -> Line {
    const REACH: usize = 3;
    let similarity =
        |line: &Line| bag.similarity(content, &(line.start..line.start + beginning(line.text(content)).len()));
    let mut line = (0..REACH).fold(at, |line, _| Line::before(content, line.start).unwrap_or(line));
    let (mut most, mut best) = (similarity(&at), at);
    for _ in 0..=2 * REACH {
        let here = similarity(&line);
        if here > most {
            (most, best) = (here, line);
        }
        if line.text_end == line.end {
            break;
        }
        line = Line::at(content, line.end);
    }
    best
}

fn similar_passage(content: &str, range: &SimilarRange, old: &[&str]) -> SimilarPassage {
    let first_line = line_of(content, range.lines.start);
    let lines = &content[range.lines.clone()];
    let last_line = first_line + line_of(lines, lines.len()) - 1;
    // One line is shown and compared around the words, wherever they are in it.
    let shown = if first_line == last_line { &range.words } else { &range.lines };
    let text = bounded_excerpt(content, shown, 0, MAX_SHOWN_BYTES);
    let diff = if first_line == last_line {
        difference(old, &[&text])
    } else {
        difference(old, &split_lines(&lines[..lines.floor_char_boundary(MAX_COMPARED_BYTES)]))
    };
    SimilarPassage { first_line, last_line, similarity: range.similarity, text, diff }
}

/// A small diff of two passages: removed lines with `-`, added lines with `+`, and the lines between them.
fn difference(old: &[&str], passage: &[&str]) -> String {
    let mut ids = LineIds::default();
    let old_ids = ids.ids(old.iter().map(|line| trim_blanks_end(line)));
    let new_ids = ids.ids(passage.iter().map(|line| trim_blanks_end(line)));
    let mut shown = String::new();
    let mut from = 0;
    for (removed, added) in line_comparison::changes(&old_ids, &new_ids) {
        let context = from.max(removed.start.saturating_sub(1))..removed.start;
        context.for_each(|index| push_line(&mut shown, ' ', old[index], 0..0));
        for (index, line) in old[removed.clone()].iter().enumerate() {
            push_line(&mut shown, '-', line, focus(line, passage[added.clone()].get(index)));
        }
        for (index, line) in passage[added].iter().enumerate() {
            push_line(&mut shown, '+', line, focus(line, old[removed.clone()].get(index)));
        }
        from = removed.end;
        if shown.len() >= MAX_SHOWN_BYTES {
            break;
        }
    }
    shown
}

/// The part in which a line differs from the line that it is compared with.
fn focus(line: &str, other: Option<&&str>) -> Range<usize> {
    let (at_start, at_end) = other.map_or((0, 0), |other| common_at_edges(line, other));
    at_start..line.len() - at_end
}

fn push_line(shown: &mut String, mark: char, line: &str, focus: Range<usize>) {
    if shown.len() < MAX_SHOWN_BYTES {
        shown.push(mark);
        shown.push_str(&cut_line(line, &focus));
        shown.push('\n');
    }
}
