//! How similar two passages are: their words, weighted by length, and a bag of words to compare a passage with.

use std::collections::HashMap;
use std::ops::Range;

/// A run of letters, digits and underscores, or one other character that is not white space. Characters of scripts
/// that are written without spaces are words of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::replace) struct Word {
    /// Its bytes.
    pub(in crate::replace) range: Range<usize>,
}

impl Word {
    /// How much it counts for the similarity: a long word more than punctuation.
    pub(in crate::replace) fn weight(&self) -> usize {
        self.range.len().min(16)
    }

    /// Equal words have equal hashes; different words may too, which makes passages seem a little more alike.
    pub(in crate::replace) fn hash(&self, text: &str) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let (chunks, rest) = text.as_bytes()[self.range.clone()].as_chunks::<8>();
        let rest = rest.iter().fold(rest.len() as u64 + 1, |rest, byte| (rest << 8) | u64::from(*byte));
        let mix = |hash: u64, part: u64| {
            let product = (hash ^ part).wrapping_mul(FACTOR);
            product ^ (product >> 29)
        };
        mix(chunks.iter().fold(0, |hash, chunk| mix(hash, u64::from_le_bytes(*chunk))), rest)
    }
}

/// The words of a text that weigh at least so much.
pub(in crate::replace) fn words(text: &str, least_weight: usize) -> Words<'_> {
    Words { text, position: 0, least_weight }
}

/// The iterator of [`words`].
pub(in crate::replace) struct Words<'t> {
    text: &'t str,
    position: usize,
    least_weight: usize,
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        let bytes = self.text.as_bytes();
        loop {
            if self.least_weight > 1 {
                // No mark weighs enough, unless it is not ASCII.
                self.position += bytes[self.position..]
                    .iter()
                    .take_while(|byte| BYTE_CLASSES[usize::from(**byte)] == ByteClass::Mark)
                    .count();
            }
            let start = self.position;
            self.pass_letters(bytes);
            // Most of what is no letter is one ASCII character.
            let is_space = self.position == start
                && match *bytes.get(start)? {
                    byte if byte.is_ascii() => {
                        self.position += 1;
                        byte.is_ascii_whitespace()
                    }
                    _ => {
                        let c = self.text[start..].chars().next()?;
                        self.position += c.len_utf8();
                        c.is_whitespace()
                    }
                };
            let word = Word { range: start..self.position };
            if !is_space && word.weight() >= self.least_weight {
                return Some(word);
            }
        }
    }
}

impl Words<'_> {
    /// Goes to the end of the run of letters at the position.
    fn pass_letters(&mut self, bytes: &[u8]) {
        loop {
            self.position += bytes[self.position..]
                .iter()
                .take_while(|byte| BYTE_CLASSES[usize::from(**byte)] == ByteClass::Letter)
                .count();
            let Some(ByteClass::Other) = bytes.get(self.position).map(|byte| BYTE_CLASSES[usize::from(*byte)]) else {
                break;
            };
            let letter = self.text[self.position..].chars().next();
            match letter.filter(|c| c.is_alphanumeric() && !is_written_without_spaces(*c)) {
                Some(c) => self.position += c.len_utf8(),
                None => break,
            }
        }
    }
}

/// The kind of character that a byte belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    /// An ASCII letter, digit or underscore.
    Letter,
    /// Another ASCII character.
    Mark,
    /// A part of another character.
    Other,
}

/// Looking a byte up is quicker than comparing it with four ranges.
static BYTE_CLASSES: [ByteClass; 256] = {
    let mut table = [ByteClass::Other; 256];
    // A constant cannot be made by iterators.
    let mut byte = 0_u8;
    while byte < 128 {
        let is_letter = byte.is_ascii_alphanumeric() || byte == b'_';
        table[byte as usize] = if is_letter { ByteClass::Letter } else { ByteClass::Mark };
        byte += 1;
    }
    table
};

/// Chinese, Japanese, Thai, Lao, Khmer and Myanmar.
fn is_written_without_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The words of a text, how often each occurs, and what they weigh together.
pub(in crate::replace) struct WordBag {
    /// The id of each word, by its hash.
    ids: HashMap<u64, usize>,
    /// How often each word occurs, by its id.
    pub(in crate::replace) counts: Vec<u32>,
    /// One bit for the first and the last byte of each word: most words of the content need no further look.
    filter: Vec<u64>,
    total_weight: usize,
    /// How many search words there are: the words by which similar passages are searched for.
    pub(in crate::replace) search_words: usize,
    /// What the search words weigh together: at least half of all words.
    pub(in crate::replace) search_weight: usize,
    /// The least weight of a search word: short words are everywhere, and are searched for only if there are few long ones.
    pub(in crate::replace) min_search_weight: usize,
}

impl WordBag {
    /// Least weights of a search word, best first, each with how many search words there must be to choose it.
    const SEARCH_WORD_CHOICES: [(usize, usize); 4] = [(5, 16), (4, 16), (3, 1), (0, 0)];

    pub(in crate::replace) fn new(text: &str) -> WordBag {
        let mut bag = WordBag {
            ids: HashMap::new(),
            counts: Vec::new(),
            filter: vec![0; 4 * 256],
            total_weight: 0,
            search_words: 0,
            search_weight: 0,
            min_search_weight: 0,
        };
        // For each choice, how many words there would be, and what they weigh.
        let mut choices = [(0, 0); Self::SEARCH_WORD_CHOICES.len()];
        for word in words(text, 0) {
            let next = bag.counts.len();
            let hash = word.hash(text);
            let id = *bag.ids.entry(hash).or_insert(next);
            if id == next {
                bag.counts.push(0);
            }
            bag.counts[id] += 1;
            let (slot, bit) = Self::filter_bit(text, &word);
            bag.filter[slot] |= bit;
            for ((count, sum), (weight, _)) in choices.iter_mut().zip(Self::SEARCH_WORD_CHOICES) {
                if word.weight() >= weight {
                    *count += 1;
                    *sum += word.weight();
                }
            }
            bag.total_weight += word.weight();
        }
        for ((weight, needed), (count, sum)) in Self::SEARCH_WORD_CHOICES.into_iter().zip(choices) {
            if count >= needed && 2 * sum >= bag.total_weight {
                (bag.min_search_weight, bag.search_words, bag.search_weight) = (weight, count, sum);
                break;
            }
        }
        bag
    }

    /// The element of `filter` that has the bit of a word, and the bit.
    fn filter_bit(text: &str, word: &Word) -> (usize, u64) {
        let bytes = text.as_bytes();
        let (first, last) = (bytes[word.range.start], bytes[word.range.end - 1]);
        (4 * usize::from(first) + usize::from(last / 64), 1 << (last % 64))
    }

    /// The id of a word of another text, if the bag has that word.
    pub(in crate::replace) fn id(&self, text: &str, word: &Word) -> Option<usize> {
        let (slot, bit) = Self::filter_bit(text, word);
        if self.filter[slot] & bit == 0 {
            return None;
        }
        self.ids.get(&word.hash(text)).copied()
    }

    /// The weight of the words that the bag and a passage share, twice, over the weight of both.
    #[expect(clippy::cast_precision_loss, reason = "weights are far below 2^52")]
    pub(in crate::replace) fn similarity(&self, content: &str, range: &Range<usize>) -> f64 {
        let mut unmatched = self.counts.clone();
        let (mut shared, mut weight) = (0, 0);
        let passage = &content[range.clone()];
        for word in words(passage, 0) {
            weight += word.weight();
            if let Some(id) = self.id(passage, &word)
                && unmatched[id] > 0
            {
                unmatched[id] -= 1;
                shared += word.weight();
            }
        }
        2.0 * shared as f64 / (self.total_weight + weight).max(1) as f64
    }
}

/// The words of one line, to compare it with many others.
pub(in crate::replace) struct LineWords {
    /// Hash and weight of each word, sorted.
    words: Vec<(u64, usize)>,
    weight: usize,
}

impl LineWords {
    /// As much of a line as it takes to distinguish it from other lines.
    const MAX_BYTES: usize = 4096;

    pub(in crate::replace) fn new(line: &str) -> LineWords {
        let line = &line[..line.floor_char_boundary(Self::MAX_BYTES)];
        let mut found: Vec<(u64, usize)> = words(line, 0).map(|word| (word.hash(line), word.weight())).collect();
        found.sort_unstable();
        let weight = found.iter().map(|(_, weight)| weight).sum();
        LineWords { words: found, weight }
    }

    /// What its words weigh together, at most 40: a line need not be long to be distinct.
    pub(in crate::replace) fn capped_weight(&self) -> i32 {
        i32::try_from(self.weight).map_or(40, |weight| weight.min(40))
    }

    /// The weight of the words that both lines have, twice, over the weight of both; 1 for two lines without words.
    #[expect(clippy::cast_precision_loss, reason = "weights are far below 2^52")]
    pub(in crate::replace) fn similarity(&self, other: &LineWords) -> f64 {
        let mut shared = 0;
        let mut others = other.words.iter().peekable();
        for word in &self.words {
            while others.next_if(|other| *other < word).is_some() {}
            if others.next_if_eq(&word).is_some() {
                shared += word.1;
            }
        }
        match self.weight + other.weight {
            0 => 1.0,
            weight => 2.0 * shared as f64 / weight as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = words(text, 0).map(|word| &text[word.range]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_are_runs_of_letters_or_single_marks() {
        check("  let über_x2 = f(1);\n", &["let", "über_x2", "=", "f", "(", "1", ")", ";"]);
        check(" \n\t\u{a0}", &[]);
        check("“a”—b", &["“", "a", "”", "—", "b"]);
        check("这是，x", &["这", "是", "，", "x"]);
    }
}
