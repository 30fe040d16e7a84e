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
use super::whole_lines::WholeLines;
pub(super) use alignment::LineAligner;
pub(super) use similarity::{LineWords, words};
use similarity::{Word, WordBag};

mod alignment;
mod similarity;

/// How many passages an error lists.
const MAX_PASSAGES: usize = 3;
/// A less similar passage is no help.
const MIN_SIMILARITY: f64 = 0.5;
/// What was not found is not the same, whatever a rounded number says.
const MAX_SIMILARITY: f64 = 0.99;
/// Candidates kept while the content is read.
const MAX_CANDIDATES: usize = 32;
/// Candidates whose lines are looked at.
const MAX_ALIGNED: usize = 12;
/// An alignment that finds less of `old_str` says nothing about where the passage begins and ends.
const MIN_ALIGNED_SHARE: f64 = 0.4;
/// Bytes of a passage, and of its diff, that an error shows.
const MAX_SHOWN_BYTES: usize = 6 * 1024;
/// Bytes of a passage that are compared line by line.
const MAX_COMPARED_BYTES: usize = 64 * 1024;

/// Whole lines of the content that are similar to an `old_str` that was not found.
#[derive(Clone, Debug)]
pub(super) struct SimilarLines {
    /// 0 to [`MAX_SIMILARITY`].
    similarity: f64,
    /// How much of the lines of `old_str` is there, in their order: 1 for all, 0 if the words stand in other lines.
    pub(super) share: f64,
    /// From the start of the first line to the end of the text of the last one.
    pub(super) range: Range<usize>,
    /// From the first to the last word that `old_str` has too.
    words: Range<usize>,
}

/// The lines most similar to `old_str`, best first; no two of them overlap.
pub(super) fn similar_lines(content: &str, old_str: &str) -> Vec<SimilarLines> {
    let bag = WordBag::new(old_str);
    let old = WholeLines::new(old_str);
    let old = &old.lines[old.core()];
    let (Some(first), Some(last)) = (old.first(), old.last()) else { return Vec::new() };
    let edges = [WordBag::new(beginning(first)), WordBag::new(beginning(last))];
    let mut aligner = LineAligner::new(old);
    let mut found: Vec<SimilarLines> = Vec::new();
    for Candidate { range: words, .. } in candidates(content, &bag).into_iter().take(MAX_ALIGNED) {
        // Another stretch of a passage, or of a long line.
        if found.iter().any(|other| other.range.start <= words.start && words.end <= other.range.end) {
            continue;
        }
        let aligned = aligner.align(content, &words).filter(|aligned| aligned.share >= MIN_ALIGNED_SHARE);
        let share = aligned.as_ref().map_or(0.0, |aligned| aligned.share);
        let (similarity, range) = match aligned {
            // The words alone do not say whether the first or the last line is missing, the lines alone not how much of a line.
            Some(aligned) => ((aligned.share + bag.similarity(content, &aligned.range)) / 2.0, aligned.range),
            None => {
                let range = to_lines(content, &words, &edges);
                // Lines that are much longer are similar in a part of them.
                let is_long = range.len() > 4 * old_str.len() + MAX_COMPARED_BYTES;
                let similarity = bag.similarity(content, if is_long { &words } else { &range });
                if old.len() == 1 {
                    one_old_line(content, &bag, &words, (similarity, range))
                } else {
                    (similarity, range)
                }
            }
        };
        if similarity >= MIN_SIMILARITY {
            found.push(SimilarLines { similarity: similarity.min(MAX_SIMILARITY), share, range, words });
        }
    }
    found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    let mut passages: Vec<SimilarLines> = Vec::new();
    for lines in found {
        let overlaps =
            |other: &SimilarLines| lines.range.start <= other.range.end && other.range.start <= lines.range.end;
        if !passages.iter().any(overlaps) {
            passages.push(lines);
        }
    }
    passages.truncate(MAX_PASSAGES);
    passages
}

/// The passages that an error shows.
pub(super) fn nearest(content: &str, old_str: &str, similar: &[SimilarLines]) -> Vec<SimilarPassage> {
    let old = WholeLines::new(old_str);
    let old = &old.lines[old.core()];
    similar.iter().map(|lines| similar_passage(content, lines, old)).collect()
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

/// The whole lines of a candidate that is too long to be aligned, or whose words stand in other lines than in `old_str`; its
/// edges moved by a few lines to where the first and the last line of `old_str` are most similar.
fn to_lines(content: &str, candidate: &Range<usize>, [first, last]: &[WordBag; 2]) -> Range<usize> {
    let (start, end) = (Line::containing(content, candidate.start), Line::containing(content, candidate.end));
    if start.start == end.start {
        return start.start..end.text_end;
    }
    let (best_start, best_end) = (best_line(content, start, first), best_line(content, end, last));
    if best_start.start <= best_end.start { best_start.start..best_end.text_end } else { start.start..end.text_end }
}

/// The lines for an `old_str` of one line: those that its words are in, or the line that is most like it, whichever are more
/// similar. What is part of a line is as similar as that part.
fn one_old_line(content: &str, bag: &WordBag, words: &Range<usize>, best: (f64, Range<usize>)) -> (f64, Range<usize>) {
    let all = Line::containing(content, words.start).start..Line::containing(content, words.end).text_end;
    let of_all = if all.len() <= MAX_COMPARED_BYTES { bag.similarity(content, &all) } else { 0.0 };
    let (similarity, range) = if of_all > best.0 { (of_all, all) } else { best };
    let in_range = words.start.max(range.start)..words.end.min(range.end);
    let part = if in_range.start < in_range.end { bag.similarity(content, &in_range) } else { 0.0 };
    (part.max(similarity), range)
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

fn similar_passage(content: &str, similar: &SimilarLines, old: &[&str]) -> SimilarPassage {
    let range = &similar.range;
    let lines = &content[range.clone()];
    let first_line = line_of(content, range.start);
    let last_line = first_line + line_of(lines, lines.len()) - 1;
    let (text, diff) = if first_line == last_line {
        one_line(content, similar, old)
    } else {
        let mut text = bounded_excerpt(content, range, 0, MAX_SHOWN_BYTES);
        if text.matches('\n').count() < last_line - first_line {
            // As where a line is cut.
            text.push_str("\n…");
        }
        (text, difference(old, &split_lines(&lines[..lines.floor_char_boundary(MAX_COMPARED_BYTES)])))
    };
    SimilarPassage { first_line, last_line, similarity: similar.similarity, text, diff }
}

/// The text and the diff of a passage of one line. A long line is cut around what differs; if it has much more than
/// `old_str`, around the words that both have.
fn one_line(content: &str, similar: &SimilarLines, old: &[&str]) -> (String, String) {
    const LONGER_BYTES: usize = 1024;
    let range = &similar.range;
    let line = &content[range.clone()];
    let old_bytes: usize = old.iter().map(|line| line.len()).sum();
    let has_more = line.len() > 2 * old_bytes + LONGER_BYTES;
    match old {
        [old_line] if !has_more => {
            (cut_line(line, &focus(line, Some(old_line))).into_owned(), difference(old, &[line]))
        }
        _ => {
            let at = |offset: usize| offset.clamp(range.start, range.end) - range.start;
            let text = cut_line(line, &(at(similar.words.start)..at(similar.words.end))).into_owned();
            let diff = difference(old, &[&text]);
            (text, diff)
        }
    }
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
