//! The errors of a replacement, with the data that a caller needs to correct the request.

use std::fmt;

use crate::edit::Edit;

use super::Level;

/// Why nothing was replaced.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplaceError {
    /// `old_str` is empty.
    EmptyOldStr,
    /// `expected_matches` is 0.
    ZeroExpectedMatches,
    /// `old_str` was not found at any level that was allowed; or `new_str` cannot take the indentation of the match.
    NoMatch(Box<NoMatch>),
    /// Not as many matches as expected, or matches that overlap.
    MultipleMatches(Box<MultipleMatches>),
    /// The text would become longer than the request allows.
    ResultTooLarge {
        /// How many bytes are allowed.
        max_result_bytes: usize,
    },
}

impl fmt::Display for ReplaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplaceError::EmptyOldStr => f.write_str("`old_str` is empty"),
            ReplaceError::ZeroExpectedMatches => f.write_str("`expected_matches` must be at least 1"),
            ReplaceError::ResultTooLarge { max_result_bytes } => {
                write!(f, "the text would become longer than {max_result_bytes} bytes")
            }
            ReplaceError::NoMatch(none) => match &none.cause {
                Some(cause) => write!(f, "`old_str` could not be replaced: {cause}"),
                None => f.write_str("`old_str` was not found"),
            },
            ReplaceError::MultipleMatches(many) if many.total == many.expected => {
                write!(f, "the {} places of `old_str` overlap", many.total)
            }
            ReplaceError::MultipleMatches(many) => write!(
                f,
                "`old_str` is in {} place{} where {} {} expected",
                many.total,
                if many.total == 1 { "" } else { "s" },
                many.expected,
                if many.expected == 1 { "was" } else { "were" }
            ),
        }
    }
}

impl std::error::Error for ReplaceError {}

/// Why a passage does not have exactly one match.
#[derive(Debug)]
pub(crate) enum NotOneMatch {
    /// It was not found at any level that was allowed.
    NoMatch(Box<NoMatch>),
    /// It was found several times.
    MultipleMatches(Box<MultipleMatches>),
}

/// `old_str` was not found: the cause, if there is a known one, and similar passages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NoMatch {
    /// Why `old_str` was not found, if the cause is known.
    pub cause: Option<NoMatchCause>,
    /// At most 3 passages similar to `old_str`, best first.
    pub nearest: Vec<SimilarPassage>,
    /// The change that seems to be meant, made in the nearest passage: to be shown, and applied only if the caller asks for it.
    pub merged: Option<MergedChange>,
}

/// A change that was made in a passage which is not quite the one that the request names. It is an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedChange {
    /// The change of the content; not empty.
    pub edit: Edit,
    /// 1-based first line of the passage.
    pub first_line: usize,
    /// 1-based last line.
    pub last_line: usize,
}

/// A passage of the content that is similar to `old_str`.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarPassage {
    /// 1-based first line.
    pub first_line: usize,
    /// 1-based last line.
    pub last_line: usize,
    /// 0 (nothing in common) to 1.
    pub similarity: f64,
    /// The passage, long lines and long passages cut.
    pub text: String,
    /// What differs from `old_str`: lines with `-` are those of `old_str`, with `+` those of the content, and with a
    /// space one that both have. Trailing blanks are no difference.
    pub diff: String,
}

/// A known reason for a passage not to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMatchCause {
    /// The request allowed no level as loose as the one where it would be found.
    Capped {
        /// The level that would find it.
        level: Level,
        /// 1-based line of the first match.
        line: usize,
    },
    /// The lines are there, but their indentation differs by no single rule.
    OtherIndentation {
        /// 1-based first line whose indentation does not follow that of the lines before it.
        line: usize,
    },
    /// The passage was found, but a line of `new_str` cannot take the indentation that the content has there.
    CannotIndent {
        /// 1-based line of `new_str`.
        new_line: usize,
        /// 1-based line of the match.
        line: usize,
    },
    /// The passage was found, but blanks of the content would be lost that are more than spacing.
    LostBlanks {
        /// 1-based line of the content that has them.
        line: usize,
    },
    /// `new_str` is already in the content.
    AlreadyApplied {
        /// 1-based line.
        line: usize,
    },
    /// `old_str` is in the content in other upper and lower case.
    OtherCase {
        /// 1-based line.
        line: usize,
    },
    /// `old_str` is in the content if its `\n`, written as two characters, is read as a newline.
    EscapedNewlines {
        /// 1-based line.
        line: usize,
    },
    /// `old_str` is in the content if the backslash before each of its quotes is left out.
    EscapedQuotes {
        /// 1-based line.
        line: usize,
    },
    /// `old_str` is in the content without the line numbers that stand before its lines.
    LineNumbers {
        /// 1-based line.
        line: usize,
    },
    /// A line of `old_str` stands for lines that were left out (`...`, `// ... rest of the code`, `(unchanged)`).
    Elision {
        /// 1-based line of `old_str`.
        old_line: usize,
    },
    /// `old_str` has nothing but blanks, and such text is found byte for byte only.
    Blank,
}

impl fmt::Display for NoMatchCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoMatchCause::Capped { level, line } => {
                write!(
                    f,
                    "the text is on line {line}, but found only at the looser level `{level}`, which the request does not allow"
                )
            }
            NoMatchCause::OtherIndentation { line } => {
                write!(f, "the text is there but with other indentation on line {line}")
            }
            NoMatchCause::CannotIndent { new_line, line } => write!(
                f,
                "the text is on line {line}, but line {new_line} of `new_str` cannot take the indentation that the content has there"
            ),
            NoMatchCause::LostBlanks { line } => write!(
                f,
                "the text is on line {line}, but with tabs or other blanks than given, which the change would lose; give that line as it is"
            ),
            NoMatchCause::AlreadyApplied { line } => {
                write!(f, "`new_str` is already in the content at line {line}: the edit may have been made")
            }
            NoMatchCause::OtherCase { line } => write!(f, "the text is on line {line} in other upper and lower case"),
            NoMatchCause::EscapedNewlines { line } => write!(
                f,
                "the text is on line {line}, but was given with `\\n` written as two characters where the content has line breaks"
            ),
            NoMatchCause::EscapedQuotes { line } => {
                write!(f, "the text is on line {line}, but was given with backslashes before its quotes")
            }
            NoMatchCause::LineNumbers { line } => {
                write!(f, "the text is on line {line}, but was given with line numbers before its lines")
            }
            NoMatchCause::Elision { old_line } => {
                write!(f, "line {old_line} of it stands for lines that were left out; give all lines")
            }
            NoMatchCause::Blank => f.write_str("the text has only blanks, and such text is found byte for byte only"),
        }
    }
}

/// `old_str` was found more or fewer times than expected, or its matches overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultipleMatches {
    /// How many matches there are.
    pub total: usize,
    /// How many were expected.
    pub expected: usize,
    /// The level that decided.
    pub level: Level,
    /// The first 20 matches.
    pub locations: Vec<MatchLocation>,
}

/// Where one of several matches is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchLocation {
    /// 1-based line where the match starts.
    pub line: usize,
    /// The match with 2 lines before and after, long lines cut.
    pub context: String,
}
