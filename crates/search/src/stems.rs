//! Words of a folded text, and their English stems.

use std::borrow::Cow;

use rust_stemmers::Algorithm;

/// Words that are longer are found as texts only.
pub(crate) const MAX_WORD_CHARS: usize = 64;

/// The words of a folded text, in order: runs of letters and digits that are not too long.
pub(crate) fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty() && is_short(word))
}

/// Whether a folded text is one word.
pub(crate) fn is_word(folded: &str) -> bool {
    !folded.is_empty() && folded.chars().all(char::is_alphanumeric) && is_short(folded)
}

fn is_short(word: &str) -> bool {
    word.len() <= MAX_WORD_CHARS || word.chars().nth(MAX_WORD_CHARS).is_none()
}

/// Stems English words, so that the forms of a word are one: `run`, `runs`, `running`.
pub(crate) struct Stemmer(rust_stemmers::Stemmer);

impl Stemmer {
    pub(crate) fn english() -> Stemmer {
        Stemmer(rust_stemmers::Stemmer::create(Algorithm::English))
    }

    /// The stem of a folded word; of one that has more than the letters of English, the word itself.
    pub(crate) fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) { self.0.stem(word) } else { Cow::Borrowed(word) }
    }

    /// Whether a word has this stem. A stem begins as its words do, which most words are ruled out by.
    pub(crate) fn is_form(&self, stem: &str, word: &str) -> bool {
        stem.as_bytes().first() == word.as_bytes().first() && self.stem(word) == stem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        let long = "x".repeat(MAX_WORD_CHARS + 1);
        for (text, found) in [
            ("use node.js, c++ and don't", vec!["use", "node", "js", "c", "and", "don", "t"]),
            ("snake_case 3d", vec!["snake", "case", "3d"]),
            ("東京 tower", vec!["東京", "tower"]),
            (&long, vec![]),
            ("", vec![]),
            ("-- !!", vec![]),
        ] {
            assert_eq!(words(text).collect::<Vec<_>>(), found, "{text}");
        }
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        let stems = Stemmer::english();
        for forms in [
            &["run", "runs", "running"][..],
            &["edit", "edits", "edited", "editing"],
            &["connection", "connections", "connected", "connect"],
            &["happy", "happiness"],
        ] {
            for form in forms {
                assert_eq!(stems.stem(form), stems.stem(forms[0]), "{form}");
            }
        }
        for same in ["3d", "東京", "straßes", "x86s", "utf8"] {
            assert_eq!(stems.stem(same), same);
        }
    }
}
