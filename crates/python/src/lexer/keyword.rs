//! Keywords that matter to the depth of a tree.

/// How a keyword nests the tree.
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
}

impl Keyword {
    /// The keyword whose bytes are these, the first one highest; it has at most eight.
    pub(super) fn from_key(key: u64) -> Option<Keyword> {
        let (known, keyword) = TABLE[slot(key)];
        if known == key { keyword } else { None }
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
    (key(b"global"), Keyword::Statement),
    (key(b"import"), Keyword::Statement),
    (key(b"lambda"), Keyword::Lambda),
    (key(b"return"), Keyword::Statement),
    (key(b"finally"), Keyword::Statement),
    (key(b"continue"), Keyword::Statement),
    (key(b"nonlocal"), Keyword::Statement),
];

/// The keywords, each in a slot of its own: most words are none, and are to be told apart by one comparison.
const TABLE: [(u64, Option<Keyword>); SLOTS] = {
    let mut table = [(0, None); SLOTS];
    let mut at = 0;
    while at < KEYWORDS.len() {
        let (key, keyword) = KEYWORDS[at];
        assert!(table[slot(key)].1.is_none(), "two keywords in one slot: another factor is needed");
        table[slot(key)] = (key, Some(keyword));
        at += 1;
    }
    table
};

const SLOTS: usize = 128;

const fn slot(key: u64) -> usize {
    // A factor under which no two keywords share a slot.
    (key.wrapping_mul(0x9755d4c13a902931) >> 57) as usize
}

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
        assert!(KEYWORDS.iter().all(|(key, keyword)| Keyword::from_key(*key) == Some(*keyword)));
        assert!(Keyword::from_key(key(b"nonlocal")) == Some(Keyword::Statement));
        assert!(Keyword::from_key(key(b"if")) == Some(Keyword::Operator));
        assert!(Keyword::from_key(key(b"i")).is_none());
    }
}
