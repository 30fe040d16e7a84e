//! Text as words, for telling how alike two passages are.

use std::ops::Range;

/// A run of letters, digits and underscores, or one other character that is not white space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Its bytes.
    pub(super) range: Range<usize>,
    /// Equal words have equal hashes.
    pub(super) hash: u64,
}

impl Word {
    /// Its bytes in the text that it came from.
    pub(super) fn bytes<'t>(&self, text: &'t str) -> &'t [u8] {
        &text.as_bytes()[self.range.clone()]
    }

    /// How much it tells: a long word more than punctuation.
    pub(super) fn weight(&self) -> usize {
        self.range.len().min(16)
    }
}

/// The words of a text. Everything that is not ASCII counts as a letter.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    let bytes = text.as_bytes();
    let mut position = 0;
    std::iter::from_fn(move || {
        while position < bytes.len() && bytes[position].is_ascii_whitespace() {
            position += 1;
        }
        let start = position;
        let mut hash = HASH_START;
        while position < bytes.len() && is_letter(bytes[position]) {
            hash = step(hash, bytes[position]);
            position += 1;
        }
        if position == start {
            hash = step(hash, *bytes.get(position)?);
            position += 1;
        }
        Some(Word { range: start..position, hash: hash ^ (hash >> 29) })
    })
}

// FNV-1a: a byte at a time is enough for words.
const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_or_single_marks() {
        let text = "  let über_x2 = f(1);\n";
        let found: Vec<&str> = words(text).map(|word| &text[word.range]).collect();
        assert_eq!(found, ["let", "über_x2", "=", "f", "(", "1", ")", ";"]);
        assert_eq!(words(" \n\t").count(), 0);
    }
}
