//! Passages that are like a text which is not there. They help to correct a request; nothing is ever replaced by likeness.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use crate::edit::common_at_edges;
use crate::excerpt::{bounded_excerpt, cut_line};
use crate::lines::{Line, line_of, split_lines, trim_blanks_end};
use crate::sequences::{self, LineNumbers};

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
    let old = WholeLines::of(old_str);
    let old = &old.lines[old.core()];
    let (Some(first), Some(last)) = (old.first(), old.last()) else { return Vec::new() };
    let edges = [Bag::of(beginning(first)), Bag::of(beginning(last))];
    let mut passages: Vec<Found> = Vec::new();
    for candidate in candidates(content, &bag).into_iter().take(2 * MAX_PASSAGES) {
        let range = to_lines(content, &candidate.range, &edges);
        if passages.iter().any(|other| range.start < other.lines.end && other.lines.start < range.end) {
            continue;
        }
        let similarity = bag.similarity(content, &candidate.range).max(bag.similarity(content, &range));
        if similarity >= MIN_SIMILARITY {
            passages.push(Found { similarity, lines: range, words: candidate.range });
        }
    }
    passages.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    passages.truncate(MAX_PASSAGES);
    passages.into_iter().map(|found| passage(content, &found, old)).collect()
}

/// A passage that is like `old_str`.
struct Found {
    similarity: f64,
    /// Whole lines.
    lines: Range<usize>,
    /// From the first to the last word that `old_str` has too.
    words: Range<usize>,
}

/// As much of a line as it takes to tell it from others.
fn beginning(line: &str) -> &str {
    const MAX_BYTES: usize = 4096;
    &line[..line.floor_char_boundary(MAX_BYTES)]
}

/// The words of a text, how often each occurs, and what they weigh together.
struct Bag {
    numbers: HashMap<u64, usize>,
    counts: Vec<u32>,
    /// One bit for the first and the last byte of each word: most words of the content need no further look.
    filter: Vec<u64>,
    total_weight: usize,
    /// How many words there are of those that a passage is looked for by.
    telling_words: usize,
    /// What those weigh together: at least half of all.
    telling_weight: usize,
    /// The least weight of such a word: short ones are everywhere, and looked at only if there are few others.
    least_telling: usize,
}

impl Bag {
    /// The weights that a telling word may have to have, best first, with how many such words it takes.
    const TELLING: [(usize, usize); 4] = [(5, 16), (4, 16), (3, 1), (0, 0)];

    fn of(text: &str) -> Bag {
        let mut bag = Bag {
            numbers: HashMap::new(),
            counts: Vec::new(),
            filter: vec![0; 4 * 256],
            total_weight: 0,
            telling_words: 0,
            telling_weight: 0,
            least_telling: 0,
        };
        // For each choice, how many words there would be, and what they weigh.
        let mut choices = [(0, 0); Self::TELLING.len()];
        for word in words(text, 0) {
            let next = bag.counts.len();
            let hash = word.hash(text);
            let number = *bag.numbers.entry(hash).or_insert(next);
            if number == next {
                bag.counts.push(0);
            }
            bag.counts[number] += 1;
            let (slot, bit) = Self::place(text, &word);
            bag.filter[slot] |= bit;
            for ((count, sum), (weight, _)) in choices.iter_mut().zip(Self::TELLING) {
                if word.weight() >= weight {
                    *count += 1;
                    *sum += word.weight();
                }
            }
            bag.total_weight += word.weight();
        }
        for ((weight, needed), (count, sum)) in Self::TELLING.into_iter().zip(choices) {
            if count >= needed && 2 * sum >= bag.total_weight {
                (bag.least_telling, bag.telling_words, bag.telling_weight) = (weight, count, sum);
                break;
            }
        }
        bag
    }

    /// Where the bit of a word is.
    fn place(text: &str, word: &Word) -> (usize, u64) {
        let bytes = text.as_bytes();
        let (first, last) = (bytes[word.range.start], bytes[word.range.end - 1]);
        (4 * usize::from(first) + usize::from(last / 64), 1 << (last % 64))
    }

    /// The number of a word of another text that is in the bag.
    fn number(&self, text: &str, word: &Word) -> Option<usize> {
        let (slot, bit) = Self::place(text, word);
        if self.filter[slot] & bit == 0 {
            return None;
        }
        self.numbers.get(&word.hash(text)).copied()
    }

    /// The weight of the words that the bag and a passage share, twice, over the weight of both.
    #[expect(clippy::cast_precision_loss, reason = "weights are far below 2^52")]
    fn similarity(&self, content: &str, range: &Range<usize>) -> f64 {
        let mut left = self.counts.clone();
        let (mut shared, mut weight) = (0, 0);
        let passage = &content[range.clone()];
        for word in words(passage, 0) {
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
fn candidates(content: &str, bag: &Bag) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut window: VecDeque<(usize, usize, Word)> = VecDeque::new();
    let mut counts = vec![0_u32; bag.counts.len()];
    let mut shared_weight = 0;
    let mut least = bag.telling_weight / 4;
    for (index, word) in words(content, bag.least_telling).enumerate() {
        let Some(number) = bag.number(content, &word) else { continue };
        while let Some((first, number, gone)) = window.front()
            && first + bag.telling_words <= index
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

/// The whole lines of a candidate, its edges moved by a few lines to where the first and the last line fit best.
fn to_lines(content: &str, candidate: &Range<usize>, [first, last]: &[Bag; 2]) -> Range<usize> {
    let start = Line::containing(content, candidate.start);
    let end = Line::containing(content, candidate.end);
    if start.start == end.start {
        return start.start..end.text_end;
    }
    let start = best_line(content, start, first);
    let end = best_line(content, end, last);
    if start.start <= end.start { start.start..end.text_end } else { candidate.clone() }
}

/// The line near this one that a bag fits best; of equal ones this, then the first.
fn best_line(content: &str, at: Line, bag: &Bag) -> Line {
    const REACH: usize = 3;
    let fit = |line: &Line| bag.similarity(content, &(line.start..line.start + beginning(line.text(content)).len()));
    let mut line = (0..REACH).fold(at, |line, _| Line::before(content, line.start).unwrap_or(line));
    let (mut most, mut best) = (fit(&at), at);
    for _ in 0..=2 * REACH {
        let fits = fit(&line);
        if fits > most {
            (most, best) = (fits, line);
        }
        if line.text_end == line.end {
            break;
        }
        line = Line::at(content, line.end);
    }
    best
}

fn passage(content: &str, found: &Found, old: &[&str]) -> Passage {
    let first_line = line_of(content, found.lines.start);
    let lines = &content[found.lines.clone()];
    let last_line = first_line + line_of(lines, lines.len()) - 1;
    // One line is shown and compared around the words, wherever they are in it.
    let shown = if first_line == last_line { &found.words } else { &found.lines };
    let text = bounded_excerpt(content, shown, 0, MAX_SHOWN_BYTES);
    let diff = if first_line == last_line {
        difference(old, &[&text])
    } else {
        difference(old, &split_lines(&lines[..lines.floor_char_boundary(MAX_COMPARED_BYTES)]))
    };
    Passage { first_line, last_line, similarity: found.similarity, text, diff }
}

/// A small diff of two passages: lines that go with `-`, lines that come with `+`, and the lines between them.
fn difference(old: &[&str], passage: &[&str]) -> String {
    let mut numbers = LineNumbers::default();
    let old_numbers = numbers.of(old.iter().map(|line| trim_blanks_end(line)));
    let new_numbers = numbers.of(passage.iter().map(|line| trim_blanks_end(line)));
    let mut shown = String::new();
    let mut from = 0;
    for (gone, come) in sequences::changes(&old_numbers, &new_numbers) {
        let context = from.max(gone.start.saturating_sub(1))..gone.start;
        context.for_each(|index| push_line(&mut shown, ' ', old[index], 0..0));
        for (index, line) in old[gone.clone()].iter().enumerate() {
            push_line(&mut shown, '-', line, focus(line, passage[come.clone()].get(index)));
        }
        for (index, line) in passage[come].iter().enumerate() {
            push_line(&mut shown, '+', line, focus(line, old[gone.clone()].get(index)));
        }
        from = gone.end;
        if shown.len() >= MAX_SHOWN_BYTES {
            break;
        }
    }
    shown
}

/// Where a line begins to differ from the one that it stands against.
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
