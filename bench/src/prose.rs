//! Generated prose in which words are as frequent as in a language: few very often, most of them rarely.

use crate::texts::Dice;

/// How many words there are.
const VOCABULARY: u32 = 30_000;

const STARTS: [&str; 24] = [
    "b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "pr", "r", "s", "st",
    "t", "tr", "w",
];
const MIDDLES: [&str; 12] = ["a", "e", "i", "o", "u", "ai", "ea", "ee", "io", "oo", "ou", "y"];
const ENDS: [&str; 16] = ["", "", "", "b", "ck", "d", "g", "l", "ll", "m", "n", "nd", "r", "rt", "s", "t"];
const ENDINGS: [&str; 8] = ["", "", "", "s", "ed", "ing", "er", "tion"];

/// Words by their rank, and texts of them.
pub(crate) struct Prose {
    words: Vec<String>,
    dice: Dice,
}

impl Prose {
    pub(crate) fn new(seed: u64) -> Prose {
        let mut dice = Dice::new(seed);
        let mut words: Vec<String> = Vec::new();
        let mut known = std::collections::HashSet::new();
        while words.len() < VOCABULARY as usize {
            let mut word = String::new();
            // Frequent words are short.
            let syllables = 1 + dice.below(2) + u32::from(words.len() > 100) + u32::from(words.len() > 3_000);
            for _ in 0..syllables {
                word.push_str(dice.pick(&STARTS));
                word.push_str(dice.pick(&MIDDLES));
                word.push_str(dice.pick(&ENDS));
            }
            word.push_str(dice.pick(&ENDINGS));
            if known.insert(word.clone()) {
                words.push(word);
            }
        }
        Prose { words, dice }
    }

    /// A text of about so many bytes, in lines.
    pub(crate) fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 100);
        while text.len() < bytes {
            for _ in 0..6 + self.dice.below(8) {
                let word = self.word();
                match self.dice.below(40) {
                    // As code has them: `gritNoo(`, `stea.bo`.
                    0 => {
                        let (next, other) = (self.word(), self.word());
                        text.push_str(&self.words[word]);
                        text.push_str(&capital(&self.words[next]));
                        text.push('.');
                        text.push_str(&self.words[other]);
                    }
                    1 => text.push_str(&capital(&self.words[word])),
                    _ => text.push_str(&self.words[word]),
                }
                text.push(' ');
            }
            text.pop();
            text.push_str(".\n");
        }
        text
    }

    /// The rank of a word: each rank about as often as its inverse says.
    #[expect(clippy::cast_possible_truncation, reason = "a rank is a small positive number")]
    fn word(&mut self) -> usize {
        let share = f64::from(self.dice.below(1 << 24)) / f64::from(1 << 24);
        let rank = f64::from(VOCABULARY).powf(share) - 1.0;
        (rank as usize).min(self.words.len() - 1)
    }

    /// The words, the most frequent first.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + chars.as_str())
}
