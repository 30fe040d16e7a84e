//! The tokenizer: words as an index looks them up when a text is searched for.
//!
//! An index that knows every token knows also where a part of a word stands, without reading any item: among all tokens
//! there are few that have it. Scripts without spaces between words have no such tokens; their characters are many, so
//! that n-grams tell enough.

/// How many characters a token has at the most.
const MAX_CHARS: usize = 64;
/// Every part of a word of at most so many characters is in one of its tokens.
pub(crate) const MAX_PART_CHARS: usize = 32;

/// What a token must be like.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenPattern {
    /// It has this part.
    Contains(String),
    /// It begins with it.
    StartsWith(String),
    /// It ends with it.
    EndsWith(String),
    /// It is this.
    Equals(String),
}

impl TokenPattern {
    /// Whether a token is like that.
    pub fn matches(&self, token: &str) -> bool {
        match self {
            TokenPattern::Contains(part) => token.contains(part.as_str()),
            TokenPattern::StartsWith(start) => token.starts_with(start.as_str()),
            TokenPattern::EndsWith(end) => token.ends_with(end.as_str()),
            TokenPattern::Equals(whole) => token == whole,
        }
    }
}

/// Whether a character can stand in a token.
pub(crate) fn is_token_char(char: char) -> bool {
    char.is_alphanumeric() && !is_of_spaceless_script(char)
}

/// The tokens of a folded text, with repetitions: its words, and of very long ones parts that overlap.
pub(crate) fn tokens<'t>(folded: &'t str, mut each: impl FnMut(&'t str)) {
    for word in folded.split(|char| !is_token_char(char)).filter(|word| !word.is_empty()) {
        if word.len() <= MAX_CHARS || word.chars().nth(MAX_CHARS).is_none() {
            each(word);
            continue;
        }
        let bounds: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        let last = bounds.len() - 1 - MAX_CHARS;
        for start in (0..last).step_by(MAX_CHARS - MAX_PART_CHARS).chain([last]) {
            each(&word[bounds[start]..bounds[start + MAX_CHARS]]);
        }
    }
}

fn is_of_spaceless_script(char: char) -> bool {
    matches!(u32::from(char),
        0x0e00..=0x0eff     // Thai, Lao
        | 0x1000..=0x109f   // Burmese
        | 0x1780..=0x17ff   // Khmer
        | 0x2e80..=0xa4cf   // Chinese, Japanese, Yi
        | 0xf900..=0xfaff
        | 0x2_0000..=0x3_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_words_and_overlapping_parts_of_long_ones() {
        let found = |text: &'static str| {
            let mut found = Vec::new();
            tokens(text, |token| found.push(token));
            found
        };
        assert_eq!(found("use node.js, user_id 東京tower"), ["use", "node", "js", "user", "id", "tower"]);
        assert_eq!(found("--"), [""; 0]);
        assert_eq!(found("한국어 straße"), ["한국어", "straße"]);
    }

    #[test]
    fn every_part_of_a_long_word_is_in_a_token() {
        for length in [63, 64, 65, 95, 96, 97, 128, 1_000] {
            let word: String =
                (0..length).map(|number| char::from(b"abcdefghijklmnopqrs"[number * number / 7 % 19])).collect();
            let chars: Vec<char> = word.chars().collect();
            let mut found = Vec::new();
            tokens(&word, |token| found.push(token));
            for part in chars.windows(MAX_PART_CHARS) {
                let part: String = part.iter().collect();
                assert!(found.iter().any(|token| token.contains(&part)), "{length}");
            }
            assert!(
                found.iter().any(|token| word.starts_with(token)) && found.iter().any(|token| word.ends_with(token))
            );
            assert!(found.iter().all(|token| token.chars().count() <= MAX_CHARS));
        }
    }
}
