//! Text as words, for telling how alike two passages are.

use std::ops::Range;

/// A run of letters, digits and underscores, or one other character that is not white space. Characters of scripts
/// that are written without spaces are words of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Its bytes.
    pub(super) range: Range<usize>,
}

impl Word {
    /// How much it tells: a long word more than punctuation.
    pub(super) fn weight(&self) -> usize {
        self.range.len().min(16)
    }

    /// Equal words have equal hashes; others may, which makes passages seem a little more alike.
    pub(super) fn hash(&self, text: &str) -> u64 {
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
pub(super) fn words(text: &str, least_weight: usize) -> Words<'_> {
    Words { text, position: 0, least_weight }
}

/// The iterator of [`words`].
pub(super) struct Words<'t> {
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
                self.position +=
                    bytes[self.position..].iter().take_while(|byte| CLASS[usize::from(**byte)] == Class::Mark).count();
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
            self.position +=
                bytes[self.position..].iter().take_while(|byte| CLASS[usize::from(**byte)] == Class::Letter).count();
            let Some(Class::Other) = bytes.get(self.position).map(|byte| CLASS[usize::from(*byte)]) else { break };
            let letter = self.text[self.position..].chars().next();
            match letter.filter(|c| c.is_alphanumeric() && !is_written_without_spaces(*c)) {
                Some(c) => self.position += c.len_utf8(),
                None => break,
            }
        }
    }
}

/// What a byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// An ASCII letter, digit or underscore.
    Letter,
    /// Another ASCII character.
    Mark,
    /// A part of another character.
    Other,
}

/// Looking a byte up is quicker than comparing it with four ranges.
static CLASS: [Class; 256] = {
    let mut table = [Class::Other; 256];
    // A constant cannot be made by iterators.
    let mut byte = 0_u8;
    while byte < 128 {
        let is_letter = byte.is_ascii_alphanumeric() || byte == b'_';
        table[byte as usize] = if is_letter { Class::Letter } else { Class::Mark };
        byte += 1;
    }
    table
};

/// Chinese, Japanese, Thai, Lao, Khmer and Myanmar.
fn is_written_without_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
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
