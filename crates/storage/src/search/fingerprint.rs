//! Fingerprints of items, by which the integrity check compares the index with the texts without keeping either in memory.
//!
//! An item's fingerprint is the sum of the hashes of its postings, so that their order does not matter: the index has
//! them by term, a text has them by item. It finds damage and mistakes, not forgeries.

use std::collections::BTreeMap;
use std::collections::HashMap;

use super::block::Terms;
use interline_search::IndexTerm;

use super::item_set::ItemSet;
use super::vocabulary;
use crate::codec::CodecError;

/// The parameters of FNV-1a with 128 bits.
const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
/// Odd, with about as many ones as zeros.
const SPREAD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// The fingerprint of an item with these terms; 0 without any.
pub(crate) fn fingerprint<K: AsRef<[u8]>>(terms: impl IntoIterator<Item = (K, u8)>) -> u128 {
    terms.into_iter().fold(0, |sum, (key, payload)| sum.wrapping_add(entry(hash(key.as_ref()), payload)))
}

/// The fingerprints of all items in the index, summed up block by block.
#[derive(Debug, Default)]
pub(crate) struct Fingerprints {
    sums: HashMap<i64, u128>,
    /// The fingerprint of the tokens of the current segment.
    tokens: u128,
    /// The fingerprint of its vocabulary, which should be the same.
    vocabulary: u128,
}

impl Fingerprints {
    /// Adds the postings of a block, without those of items that the segment has tombstones of.
    pub(crate) fn add_block(&mut self, block: &[u8], tombstones: &ItemSet) -> Result<(), CodecError> {
        let mut terms = Terms::new(block);
        while terms.advance()? {
            if let Some(tokens) = vocabulary::tokens(&terms) {
                let sum = fingerprint(tokens.map(|token| (token, 0)));
                self.vocabulary = self.vocabulary.wrapping_add(sum);
                continue;
            }
            if let Some(token) = terms.key().strip_prefix(IndexTerm::TOKEN_PREFIX) {
                self.tokens = self.tokens.wrapping_add(fingerprint([(token, 0)]));
            }
            let key = hash(terms.key());
            let mut tombstones = tombstones.sweep();
            for posting in terms.postings() {
                let (item, payload) = posting?;
                if !tombstones.contains(item) {
                    let sum = self.sums.entry(item).or_default();
                    *sum = sum.wrapping_add(entry(key, payload));
                }
            }
        }
        Ok(())
    }

    /// Called after the last block of a segment: its vocabulary must be that of its tokens.
    pub(crate) fn end_segment(&mut self) -> Result<(), CodecError> {
        let (tokens, vocabulary) = (std::mem::take(&mut self.tokens), std::mem::take(&mut self.vocabulary));
        if tokens == vocabulary { Ok(()) } else { Err(CodecError::Index("the vocabulary is not that of the pieces")) }
    }

    /// The [`fingerprint`] of each item of the index. Items without a term are not in it.
    pub(crate) fn into_sums(self) -> BTreeMap<i64, u128> {
        self.sums.into_iter().collect()
    }
}

/// FNV-1a.
fn hash(key: &[u8]) -> u128 {
    key.iter().fold(OFFSET, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

/// What a posting adds. Mixed, because sums of plain FNV hashes can be equal where the postings are not.
fn entry(key: u128, payload: u8) -> u128 {
    let mut mixed = (key ^ u128::from(payload)).wrapping_mul(PRIME);
    for _ in 0..2 {
        mixed = (mixed ^ mixed >> 67).wrapping_mul(SPREAD);
    }
    mixed ^ mixed >> 67
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_does_not_matter_and_everything_else_does() {
        let one = fingerprint([("ab", 1), ("cd", 2)]);
        assert_eq!(one, fingerprint([("cd", 2), ("ab", 1)]));
        let others = [
            fingerprint([("ab", 2), ("cd", 1)]),
            fingerprint([("ab", 1)]),
            fingerprint([("ad", 1), ("cb", 2)]),
            fingerprint([("a", 1), ("bcd", 2)]),
            fingerprint([("ab", 1), ("cd", 2), ("cd", 2)]),
            fingerprint([("ab", 1), ("cd", 2), ("", 1)]),
            fingerprint::<&str>([]),
        ];
        for (nth, other) in others.into_iter().enumerate() {
            assert_ne!(one, other, "{nth}");
        }
    }
}
