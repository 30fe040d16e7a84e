//! Passages that are like a text which is not there. They help to correct a request; nothing is ever replaced by likeness.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use crate::diff::diff;
use crate::excerpt::bounded_excerpt;
use crate::lines::{Line, line_of};

use super::Passage;
use super::fitted::WholeLines;
use super::words::{Word, words};

/// How many passages are told.
const MAX_PASSAGES: usize = 3;
/// Less alike than this is no help.
const MIN_SIMILARITY: f64 = 0.5;
/// Candidates kept while the content is read.
const MAX_CANDIDATES: usize = 32;
/// Bytes of a passage, and of its diff, that are told.
const MAX_SHOWN_BYTES: usize = 6 * 1024;
/// Bytes of a passage that are compared line by line.
const MAX_COMPARED_BYTES: usize = 64 * 1024;

/// The passages most like `old_str`, best first.
pub(super) fn nearest(content: &str, old_str: &str) -> Vec<Passage> {
    let bag = Bag::of(old_str);
    let mut candidates = candidates(content, &bag);
    candidates.truncate(2 * MAX_PASSAGES);
    let old = WholeLines::of(old_str);
    let core = old.core();
    let old = &old.lines[core];
    let mut passages: Vec<(f64, Range<usize>)> = Vec::new();
    for candidate in candidates {
        let range = to_lines(content, &candidate.range, old);
        let similarity = bag.similarity(content, &candidate.range).max(bag.similarity(content, &range));
        let overlaps = |other: &Range<usize>| range.start < other.end && other.start < range.end;
        if similarity >= MIN_SIMILARITY && !passages.iter().any(|(_, other)| overlaps(other)) {
            passages.push((similarity, range));
        }
    }
    passages.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    passages.truncate(MAX_PASSAGES);
    passages.into_iter().map(|(similarity, range)| passage(content, &range, similarity, old)).collect()
}

/// The words of `old_str`, how often each occurs, and what they weigh together.
struct Bag<'a> {
    numbers: HashMap<&'a [u8], usize>,
    counts: Vec<u32>,
    /// One bit for the hash of each word: most words of the content are not in it, and need no further look.
    filter: Vec<u64>,
    total_words: usize,
    total_weight: usize,
}

impl<'a> Bag<'a> {
    const FILTER_BITS: u64 = 1 << 16;

    fn of(text: &'a str) -> Bag<'a> {
        let mut bag = Bag {
            numbers: HashMap::new(),
            counts: Vec::new(),
            filter: vec![0; (Self::FILTER_BITS / 64) as usize],
            total_words: 0,
            total_weight: 0,
        };
        for word in words(text) {
            let next = bag.counts.len();
            let number = *bag.numbers.entry(word.bytes(text)).or_insert(next);
            if number == next {
                bag.counts.push(0);
            }
            bag.counts[number] += 1;
            bag.filter[Self::slot(&word)] |= Self::bit(&word);
            bag.total_words += 1;
            bag.total_weight += word.weight();
        }
        bag
    }

    fn slot(word: &Word) -> usize {
        (word.hash % Self::FILTER_BITS / 64) as usize
    }

    fn bit(word: &Word) -> u64 {
        1 << (word.hash % 64)
    }

    /// The number of a word of the content that is in the bag.
    fn number(&self, content: &str, word: &Word) -> Option<usize> {
        if self.filter[Self::slot(word)] & Self::bit(word) == 0 {
            return None;
        }
        self.numbers.get(word.bytes(content)).copied()
    }

    /// The weight of the words that the bag and a passage share, twice, over the weight of both.
    #[expect(clippy::cast_precision_loss, reason = "weights are far below 2^52")]
    fn similarity(&self, content: &str, range: &Range<usize>) -> f64 {
        let passage = &content[range.clone()];
        let mut left = self.counts.clone();
        let (mut shared, mut weight) = (0, 0);
        for word in words(passage) {
            weight += word.weight();
            if let Some(number) = self.number(passage, &word)
                && left[number] > 0
            {
                left[number] -= 1;
                shared += word.weight();
            }
        }
        2.0 * shared as f64 / (self.total_weight + weight).max(1) as f64
    }
}

/// A stretch of the content with as many words as `old_str`, at most.
#[derive(Clone, Debug)]
struct Candidate {
    shared_weight: usize,
    /// From the first to the last word that `old_str` has too.
    range: Range<usize>,
}

/// The stretches that share most words with the bag, best first; no two of them overlap.
fn candidates(content: &str, bag: &Bag<'_>) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut window: VecDeque<(usize, usize, Word)> = VecDeque::new();
    let mut counts = vec![0u32; bag.counts.len()];
    let mut shared_weight = 0;
    let mut least = bag.total_weight / 3;
    for (index, word) in words(content).enumerate() {
        let Some(number) = bag.number(content, &word) else { continue };
        while let Some((first, number, gone)) = window.front()
            && first + bag.total_words <= index
        {
            counts[*number] -= 1;
            if counts[*number] < bag.counts[*number] {
                shared_weight -= gone.weight();
            }
            window.pop_front();
        }
        if counts[number] < bag.counts[number] {
            shared_weight += word.weight();
        }
        counts[number] += 1;
        let end = word.range.end;
        window.push_back((index, number, word));
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

/// The whole lines of a candidate, its edges moved by a few lines to where the first and the last line of `old` fit best.
fn to_lines(content: &str, candidate: &Range<usize>, old: &[&str]) -> Range<usize> {
    const REACH: usize = 3;
    let (Some(first), Some(last)) = (old.first(), old.last()) else { return candidate.clone() };
    let start = Line::containing(content, candidate.start);
    let end = Line::containing(content, candidate.end);
    if start.start == end.start {
        return start.start..end.text_end;
    }
    let lines_from = |from: usize| {
        let mut line = Line::at(content, from);
        for _ in 0..REACH {
            line = Line::before(content, line.start).unwrap_or(line);
        }
        std::iter::successors(Some(line), |line| (line.end > line.text_end).then(|| Line::at(content, line.end)))
            .take(2 * REACH + 1)
    };
    let fits = |text: &str, line: &Line| Bag::of(text).similarity(content, &(line.start..line.text_end));
    // Of lines that fit equally the one nearest to where the words were found.
    let best = |text: &str, at: &Line| {
        lines_from(at.start).fold((fits(text, at), *at), |(most, best), line| {
            let fit = fits(text, &line);
            if fit > most { (fit, line) } else { (most, best) }
        })
    };
    let (_, start) = best(first, &start);
    let (_, end) = best(last, &end);
    if start.start <= end.start { start.start..end.text_end } else { candidate.clone() }
}

fn passage(content: &str, range: &Range<usize>, similarity: f64, old: &[&str]) -> Passage {
    let first_line = line_of(content, range.start);
    let text = bounded_excerpt(content, range, 0, MAX_SHOWN_BYTES);
    Passage {
        first_line,
        last_line: first_line + line_of(&content[range.clone()], range.len()) - 1,
        similarity,
        diff: difference(&old.join("\n"), &bounded_excerpt(content, range, 0, MAX_COMPARED_BYTES)),
        text,
    }
}

/// A small diff of two passages, without its header.
fn difference(old: &str, passage: &str) -> String {
    let old = bounded_excerpt(old, &(0..old.len()), 0, MAX_COMPARED_BYTES);
    let whole = diff(&(old + "\n"), &(passage.to_owned() + "\n")).text;
    let hunks = whole.find("@@").map_or("", |start| &whole[start..]);
    let end = hunks.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    let end = end.take_while(|end| *end <= MAX_SHOWN_BYTES).last().unwrap_or(0);
    hunks[..end].to_owned()
}
