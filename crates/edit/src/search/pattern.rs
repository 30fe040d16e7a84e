//! What is looked for, made ready once for any number of texts.

use std::fmt;

use memchr::memmem::Finder;

use super::expression::Expression;
use super::folded::Folded;
use super::required::Required;

/// Whether letters match their other case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// They do not.
    Sensitive,
    /// They do, by Unicode's simple case folding: one character for one character, so `ß` is not `ss`.
    Insensitive,
}

/// What a search looks for. Made once, used over any number of texts.
#[derive(Debug, Clone)]
pub struct Pattern {
    pub(super) method: Method,
    required: Required,
}

#[derive(Debug, Clone)]
pub(super) enum Method {
    Exact(Finder<'static>),
    Folded(Folded),
    Expression(Expression),
}

impl Pattern {
    /// A pattern that matches `text` as it stands. It may span lines.
    pub fn literal(text: &str, case: Case) -> Result<Pattern, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        let folded = match case {
            Case::Sensitive => None,
            Case::Insensitive => Folded::new(text)?,
        };
        let method = match folded {
            Some(folded) => Method::Folded(folded),
            None => Method::Exact(Finder::new(text).into_owned()),
        };
        Ok(Pattern { method, required: Required::Text(text.to_owned()) })
    }

    /// A pattern that matches a regular expression, in the syntax of the `regex` crate: no look-around and no
    /// back-references, so that finding a match takes linear time.
    ///
    /// `^` and `$` match at the start and the end of lines, and `.` not at their ending; `\r\n` is one ending,
    /// so `x$` finds a line of either kind. To that end a lone `\r` ends a line too, here only. Matches may span
    /// lines (`\s`, `\n`, `(?s:.)`).
    pub fn regex(expression: &str, case: Case) -> Result<Pattern, PatternError> {
        if expression.is_empty() {
            return Err(PatternError::Empty);
        }
        let expression = Expression::new(expression, case)?;
        let required = expression.required.clone();
        Ok(Pattern { method: Method::Expression(expression), required })
    }

    /// What a text must hold for the pattern to match in it.
    #[must_use]
    pub fn required(&self) -> Required {
        self.required.clone()
    }

    /// Whether the pattern matches anywhere in `text`.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        match &self.method {
            Method::Exact(finder) => finder.find(text.as_bytes()).is_some(),
            Method::Folded(needle) => needle.occurrences(text).next().is_some(),
            Method::Expression(expression) => expression.is_match(text),
        }
    }
}

/// Why there is no pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternError {
    /// Nothing to look for.
    Empty,
    /// Not a regular expression.
    Invalid {
        /// What is wrong with it.
        detail: String,
        /// Where, as a byte offset in the expression, if it is known.
        position: Option<usize>,
    },
    /// The expression is longer than is accepted, or repeats so much that its compiled form is.
    TooLarge,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Empty => f.write_str("the pattern is empty"),
            PatternError::Invalid { detail, position: Some(position) } => {
                write!(f, "not a regular expression: {detail} (at byte {position})")
            }
            PatternError::Invalid { detail, position: None } => write!(f, "not a regular expression: {detail}"),
            PatternError::TooLarge => f.write_str("the regular expression is too large"),
        }
    }
}

impl std::error::Error for PatternError {}
