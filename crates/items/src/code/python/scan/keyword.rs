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
    pub(super) fn parse(word: &[u8]) -> Option<Keyword> {
        match word {
            b"lambda" => Some(Keyword::Lambda),
            b"global" | b"nonlocal" => Some(Keyword::Declaration),
            b"and" | b"in" | b"is" | b"not" | b"or" => Some(Keyword::Comparison),
            b"async" | b"await" | b"else" | b"for" | b"from" | b"if" | b"yield" => Some(Keyword::Operator),
            b"assert" | b"break" | b"class" | b"continue" | b"def" | b"del" | b"elif" | b"except" | b"finally"
            | b"import" | b"pass" | b"raise" | b"return" | b"try" | b"while" | b"with" => Some(Keyword::Statement),
            _ => None,
        }
    }
}
