//! The terms by which an index knows an item: n-grams (up to trigrams), tokens and stems.

use std::collections::{HashMap, HashSet};

use crate::fields::SearchedFields;
use crate::fold::fold;
use crate::stems::{Stemmer, words};
use crate::tokens::tokens;

/// An item with more distinct terms is not worth indexing: it is read by every search.
const MAX_TERMS: usize = 400_000;
/// The same for the bytes of its distinct tokens and stems: they are many where a text is one long random word.
const MAX_TERM_BYTES: usize = 8 * 1024 * 1024;
/// How many n-grams are collected before the duplicates among them are dropped.
const COLLECTED: usize = 1 << 20;

/// A term of the index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IndexTerm {
    /// One, two or three neighbouring characters that are no blanks.
    NGram(NGram),
    /// A word, or a part of one that is very long.
    Token(Box<str>),
    /// The stem of a word.
    Stem(Box<str>),
    /// The term of every item that has too many terms to be indexed by them.
    Unlisted,
}

impl IndexTerm {
    /// What the keys of tokens begin with.
    pub const TOKEN_PREFIX: &'static [u8] = b"p";

    /// The bytes by which an index stores the term. Terms are in the order of their keys.
    pub fn key(&self) -> Vec<u8> {
        match self {
            IndexTerm::NGram(gram) => {
                let mut key = vec![b'g'];
                gram.chars().for_each(|char| key.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()));
                key
            }
            IndexTerm::Token(piece) => [IndexTerm::TOKEN_PREFIX, piece.as_bytes()].concat(),
            IndexTerm::Stem(stem) => [b"s", stem.as_bytes()].concat(),
            IndexTerm::Unlisted => vec![b'u'],
        }
    }
}

/// A unigram, bigram or trigram of a folded text. N-grams are in the order of their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NGram(u64);

impl NGram {
    const BITS: u32 = 21;

    /// The n-gram of at most three characters, none of which is NUL.
    pub(crate) fn new(chars: &[char]) -> NGram {
        let at = |index: usize| chars.get(index).map_or(0, |&char| u64::from(u32::from(char)));
        NGram(at(0) << (2 * NGram::BITS) | at(1) << NGram::BITS | at(2))
    }

    /// Its characters.
    fn chars(self) -> impl Iterator<Item = char> {
        let at = move |place: u32| (self.0 >> (place * NGram::BITS)) & ((1 << NGram::BITS) - 1);
        let chars = [2, 1, 0].into_iter().filter_map(move |place| char::from_u32(u32::try_from(at(place)).ok()?));
        chars.filter(|char| *char != '\0')
    }
}

/// What an index stores with a term of an item, at least 1: of a stem its weight, of an n-gram or token the set of fields
/// that it stands in.
pub type Payload = u8;

/// The index terms of an item, in their order, each once.
pub fn index_terms(item: &SearchedFields<'_>) -> Vec<(IndexTerm, Payload)> {
    let (mut grams, mut all_tokens, mut stems) = (NGramSet::default(), HashMap::new(), HashMap::new());
    let stemmer = Stemmer::english();
    for (field, text) in item.texts() {
        let folded = fold(text);
        grams.add(&folded, field.bit());
        let mut here = HashSet::new();
        tokens(&folded, |token| {
            here.insert(token);
        });
        for token in here {
            *all_tokens.entry(Box::from(token)).or_insert(0) |= field.bit();
        }
        for (stem, count) in stem_counts(&stemmer, &folded) {
            let weight: &mut Payload = stems.entry(stem).or_insert(0);
            *weight = weight.saturating_add(field.weight_of_word(count));
        }
        let terms = grams.distinct() + all_tokens.len() + stems.len();
        let bytes: usize = all_tokens.keys().chain(stems.keys()).map(|text| text.len()).sum();
        if terms > MAX_TERMS || bytes > MAX_TERM_BYTES {
            return vec![(IndexTerm::Unlisted, 1)];
        }
    }
    let grams = grams.sorted().into_iter().map(|(gram, fields)| (IndexTerm::NGram(gram), fields));
    let tokens = sorted(all_tokens).into_iter().map(|(token, fields)| (IndexTerm::Token(token), fields));
    let stems = sorted(stems).into_iter().map(|(stem, weight)| (IndexTerm::Stem(stem), weight));
    grams.chain(tokens).chain(stems).collect()
}

/// How often forms of each word stand in a folded text.
fn stem_counts(stemmer: &Stemmer, folded: &str) -> HashMap<Box<str>, u32> {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for word in words(folded) {
        *counts.entry(word).or_default() += 1;
    }
    let mut stems: HashMap<Box<str>, u32> = HashMap::new();
    for (word, count) in counts {
        *stems.entry(stemmer.stem(word).into()).or_default() += count;
    }
    stems
}

fn sorted(terms: HashMap<Box<str>, Payload>) -> Vec<(Box<str>, Payload)> {
    let mut terms: Vec<_> = terms.into_iter().collect();
    terms.sort_unstable();
    terms
}

/// The n-grams of a folded text, with repetitions.
pub(crate) fn grams(folded: &str, mut each: impl FnMut(NGram)) {
    let mut window = ['\0'; 3];
    let mut held = 0;
    for char in folded.chars() {
        if char == ' ' {
            held = 0;
            continue;
        }
        if held == 3 {
            window.rotate_left(1);
            held = 2;
        }
        window[held] = char;
        held += 1;
        for length in 1..=held {
            each(NGram::new(&window[held - length..held]));
        }
    }
}

/// The n-grams of an item, each with the set of fields that it stands in.
#[derive(Default)]
struct NGramSet {
    grams: Vec<(NGram, Payload)>,
    /// The first so many are sorted and distinct.
    sorted: usize,
}

impl NGramSet {
    fn add(&mut self, folded: &str, field: Payload) {
        grams(folded, |gram| {
            // More than will be indexed: the rest is not collected.
            if self.sorted > MAX_TERMS {
                return;
            }
            self.grams.push((gram, field));
            if self.grams.len() - self.sorted >= COLLECTED {
                self.deduplicate();
            }
        });
        self.deduplicate();
    }

    fn deduplicate(&mut self) {
        self.grams.sort_unstable_by_key(|(gram, _)| *gram);
        self.grams.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 |= next.1;
            }
            same
        });
        self.sorted = self.grams.len();
    }

    fn distinct(&self) -> usize {
        self.grams.len()
    }

    fn sorted(self) -> Vec<(NGram, Payload)> {
        self.grams
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grams_are_the_parts_of_words_of_up_to_three_characters() {
        let texts = |folded: &str| {
            let mut found = Vec::new();
            grams(folded, |gram| found.push(gram.chars().collect::<String>()));
            found
        };
        assert_eq!(texts("abcd"), ["a", "b", "ab", "c", "bc", "abc", "d", "cd", "bcd"]);
        assert_eq!(texts("a é😀"), ["a", "é", "😀", "é😀"]);
        assert_eq!(texts(" "), [""; 0]);
    }

    /// Letters without end, none of which follows from those before for long.
    fn letters() -> impl Iterator<Item = char> {
        let mut state = 1_u64;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + u8::try_from(state >> 33 & 15).unwrap())
        })
    }

    #[test]
    fn one_very_long_word_is_not_worth_an_index() {
        let terms = |length: usize| {
            let word: String = letters().take(length).collect();
            index_terms(&SearchedFields { content: Some(&word), ..SearchedFields::default() })
        };
        assert!(terms(100_000).len() > 3_000);
        // Tokens overlap by half.
        assert_eq!(terms(MAX_TERM_BYTES / 2 + 1_000), [(IndexTerm::Unlisted, 1)]);
    }

    #[test]
    fn grams_and_terms_are_in_the_order_of_their_keys() {
        let mut terms: Vec<IndexTerm> = ["a", "ab", "abc", "b", "é", "éa", "😀", "\u{7f}", "\u{fffd}x"]
            .map(|text| IndexTerm::NGram(NGram::new(&text.chars().collect::<Vec<_>>())))
            .into();
        terms.extend(["a", "zebra"].map(|stem| IndexTerm::Stem(stem.into())));
        terms.extend(["b", "ü"].map(|token| IndexTerm::Token(token.into())));
        terms.push(IndexTerm::Unlisted);
        let mut by_key = terms.clone();
        terms.sort();
        by_key.sort_by_key(IndexTerm::key);
        assert_eq!(terms, by_key);
    }
}
