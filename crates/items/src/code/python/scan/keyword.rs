//! Keywords that matter to the depth of a tree.

/// What a keyword does to the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    /// It nests the expressions around it.
    Operator,
    /// It compares, or joins comparisons, when it stands between two operands.
    Comparison,
    /// It nests too, and has parameters before its colon.
    Lambda,
    /// It only stands in statements, outside brackets.
    Statement,
    /// It does too, and says where names belong.
    Declaration,
}

impl Keyword {
    /// The keyword whose bytes are these, the first one highest; it has at most eight.
    pub(super) fn of(key: u64) -> Option<Keyword> {
        // Sorted, so that few of them are compared with a word.
        KEYWORDS.binary_search_by_key(&key, |(known, _)| *known).ok().map(|place| KEYWORDS[place].1)
    }
}

const KEYWORDS: [(u64, Keyword); 31] = [
    (key(b"if"), Keyword::Operator),
    (key(b"in"), Keyword::Comparison),
    (key(b"is"), Keyword::Comparison),
    (key(b"or"), Keyword::Comparison),
    (key(b"and"), Keyword::Comparison),
    (key(b"def"), Keyword::Statement),
    (key(b"del"), Keyword::Statement),
    (key(b"for"), Keyword::Operator),
    (key(b"not"), Keyword::Comparison),
    (key(b"try"), Keyword::Statement),
    (key(b"elif"), Keyword::Statement),
    (key(b"else"), Keyword::Operator),
    (key(b"from"), Keyword::Operator),
    (key(b"pass"), Keyword::Statement),
    (key(b"with"), Keyword::Statement),
    (key(b"async"), Keyword::Operator),
    (key(b"await"), Keyword::Operator),
    (key(b"break"), Keyword::Statement),
    (key(b"class"), Keyword::Statement),
    (key(b"raise"), Keyword::Statement),
    (key(b"while"), Keyword::Statement),
    (key(b"yield"), Keyword::Operator),
    (key(b"assert"), Keyword::Statement),
    (key(b"except"), Keyword::Statement),
    (key(b"global"), Keyword::Declaration),
    (key(b"import"), Keyword::Statement),
    (key(b"lambda"), Keyword::Lambda),
    (key(b"return"), Keyword::Statement),
    (key(b"finally"), Keyword::Statement),
    (key(b"continue"), Keyword::Statement),
    (key(b"nonlocal"), Keyword::Declaration),
];

const fn key(word: &[u8]) -> u64 {
    let (mut key, mut at) = (0, 0);
    while at < word.len() {
        key = key << 8 | word[at] as u64;
        at += 1;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_found_by_their_bytes() {
        assert!(KEYWORDS.is_sorted_by_key(|(key, _)| *key));
        assert!(Keyword::of(key(b"nonlocal")) == Some(Keyword::Declaration));
        assert!(Keyword::of(key(b"if")) == Some(Keyword::Operator));
        assert!(Keyword::of(key(b"i")).is_none());
    }
}
