//! What an index knows of an item.

use std::collections::{HashMap, HashSet};

use super::fold::fold;
use super::pieces::pieces;
use super::searched::SearchedFields;
use super::words::{Stems, words};

/// An item with more different terms is not worth an index of them: it is read whenever something is looked for.
const MAX_TERMS: usize = 400_000;
/// The same for the bytes of its different pieces and stems: they are many where a text is one long random word.
const MAX_TERM_BYTES: usize = 8 * 1024 * 1024;
/// How many grams are gathered before the double ones among them are dropped.
const GATHERED: usize = 1 << 20;

/// What an index looks up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IndexTerm {
    /// One, two or three neighbouring characters that are no blanks.
    Gram(Gram),
    /// A word, or a piece of one that is very long.
    Piece(Box<str>),
    /// The stem of a word.
    Stem(Box<str>),
    /// What items have that are not in the index by what they hold.
    Unlisted,
}

impl IndexTerm {
    /// What the keys of pieces begin with.
    pub const PIECE: &'static [u8] = b"p";

    /// The bytes by which an index knows the term. Terms are in the order of their keys.
    pub fn key(&self) -> Vec<u8> {
        match self {
            IndexTerm::Gram(gram) => {
                let mut key = vec![b'g'];
                gram.chars().for_each(|char| key.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()));
                key
            }
            IndexTerm::Piece(piece) => [IndexTerm::PIECE, piece.as_bytes()].concat(),
            IndexTerm::Stem(stem) => [b"s", stem.as_bytes()].concat(),
            IndexTerm::Unlisted => vec![b'u'],
        }
    }
}

/// One, two or three characters of a folded text. Grams are in the order of their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gram(u64);

impl Gram {
    const BITS: u32 = 21;

    /// The gram of at most three characters, none of which is NUL.
    pub(super) fn of(chars: &[char]) -> Gram {
        let at = |index: usize| chars.get(index).map_or(0, |&char| u64::from(u32::from(char)));
        Gram(at(0) << (2 * Gram::BITS) | at(1) << Gram::BITS | at(2))
    }

    /// Its characters.
    fn chars(self) -> impl Iterator<Item = char> {
        let at = move |place: u32| (self.0 >> (place * Gram::BITS)) & ((1 << Gram::BITS) - 1);
        let chars = [2, 1, 0].into_iter().filter_map(move |place| char::from_u32(u32::try_from(at(place)).ok()?));
        chars.filter(|char| *char != '\0')
    }
}

/// What is known about the place of a term in an item, at least 1: of a stem how much it weighs, of a gram in which
/// places it stands.
pub type Payload = u8;

/// What an index is to know of an item: its terms in their order, each once.
pub fn index_terms(item: &SearchedFields<'_>) -> Vec<(IndexTerm, Payload)> {
    let (mut grams, mut known_pieces, mut stems) = (Grams::default(), HashMap::new(), HashMap::new());
    let stemmer = Stems::english();
    for (place, text) in item.texts() {
        let folded = fold(text);
        grams.add(&folded, place.bit());
        let mut here = HashSet::new();
        pieces(&folded, |piece| {
            here.insert(piece);
        });
        for piece in here {
            *known_pieces.entry(Box::from(piece)).or_insert(0) |= place.bit();
        }
        for (stem, count) in stem_counts(&stemmer, &folded) {
            let weight: &mut Payload = stems.entry(stem).or_insert(0);
            *weight = weight.saturating_add(place.weight_of_word(count));
        }
        let terms = grams.distinct() + known_pieces.len() + stems.len();
        let bytes: usize = known_pieces.keys().chain(stems.keys()).map(|text| text.len()).sum();
        if terms > MAX_TERMS || bytes > MAX_TERM_BYTES {
            return vec![(IndexTerm::Unlisted, 1)];
        }
    }
    let grams = grams.sorted().into_iter().map(|(gram, places)| (IndexTerm::Gram(gram), places));
    let pieces = sorted(known_pieces).into_iter().map(|(piece, places)| (IndexTerm::Piece(piece), places));
    let stems = sorted(stems).into_iter().map(|(stem, weight)| (IndexTerm::Stem(stem), weight));
    grams.chain(pieces).chain(stems).collect()
}

/// How often forms of each word stand in a folded text.
fn stem_counts(stemmer: &Stems, folded: &str) -> HashMap<Box<str>, u32> {
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

/// The grams of a folded text, with repetitions.
pub(super) fn grams(folded: &str, mut each: impl FnMut(Gram)) {
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
            each(Gram::of(&window[held - length..held]));
        }
    }
}

#[derive(Default)]
struct Grams {
    found: Vec<(Gram, Payload)>,
    /// The first so many are sorted and different.
    tidy: usize,
}

impl Grams {
    fn add(&mut self, folded: &str, place: Payload) {
        grams(folded, |gram| {
            // More than will be indexed: the rest is not gathered.
            if self.tidy > MAX_TERMS {
                return;
            }
            self.found.push((gram, place));
            if self.found.len() - self.tidy >= GATHERED {
                self.tidy();
            }
        });
        self.tidy();
    }

    fn tidy(&mut self) {
        self.found.sort_unstable_by_key(|(gram, _)| *gram);
        self.found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 |= next.1;
            }
            same
        });
        self.tidy = self.found.len();
    }

    fn distinct(&self) -> usize {
        self.found.len()
    }

    fn sorted(self) -> Vec<(Gram, Payload)> {
        self.found
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
        // Pieces overlap by half.
        assert_eq!(terms(MAX_TERM_BYTES / 2 + 1_000), [(IndexTerm::Unlisted, 1)]);
    }

    #[test]
    fn grams_and_terms_are_in_the_order_of_their_keys() {
        let mut terms: Vec<IndexTerm> = ["a", "ab", "abc", "b", "é", "éa", "😀", "\u{7f}", "\u{fffd}x"]
            .map(|text| IndexTerm::Gram(Gram::of(&text.chars().collect::<Vec<_>>())))
            .into();
        terms.extend(["a", "zebra"].map(|stem| IndexTerm::Stem(stem.into())));
        terms.extend(["b", "ü"].map(|piece| IndexTerm::Piece(piece.into())));
        terms.push(IndexTerm::Unlisted);
        let mut by_key = terms.clone();
        terms.sort();
        by_key.sort_by_key(IndexTerm::key);
        assert_eq!(terms, by_key);
    }
}
