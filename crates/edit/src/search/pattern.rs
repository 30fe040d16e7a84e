//! Search patterns: a literal or a regular expression, compiled once for any number of texts.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem::Finder;

use super::SearchInterrupted;
use super::case_insensitive::{CaseInsensitiveLiteral, CaseInsensitiveOccurrences};
use super::expression::{Expression, Matches};
use super::occurrences::Occurrences;
use super::required_text::RequiredText;
use super::work_budget::WorkBudget;

/// Whether a search distinguishes upper and lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Letters match in the same case only.
    Sensitive,
    /// Letters match in either case, by Unicode's simple case folding: one character for one character, so `ß` is not `ss`.
    Insensitive,
}

/// A literal or regular expression to search for. Compiled once, used over any number of texts.
#[derive(Debug, Clone)]
pub struct Pattern {
    method: SearchMethod,
    required_text: RequiredText,
}

#[derive(Debug, Clone)]
enum SearchMethod {
    Exact(Finder<'static>),
    Folded(CaseInsensitiveLiteral),
    Expression(Arc<Expression>),
}

impl Pattern {
    /// A pattern that matches `text` as it stands. It may span lines.
    pub fn literal(text: &str, case: Case) -> Result<Pattern, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        let folded = match case {
            Case::Sensitive => None,
            Case::Insensitive => CaseInsensitiveLiteral::new(text)?,
        };
        let method = match folded {
            Some(folded) => SearchMethod::Folded(folded),
            None => SearchMethod::Exact(Finder::new(text).into_owned()),
        };
        Ok(Pattern { method, required_text: RequiredText::Text(text.to_owned()) })
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
        let required_text = expression.required_text.clone();
        Ok(Pattern { method: SearchMethod::Expression(Arc::new(expression)), required_text })
    }

    /// The texts that a text must contain for the pattern to match in it.
    #[must_use]
    pub fn required_text(&self) -> RequiredText {
        self.required_text.clone()
    }

    /// Whether the pattern matches anywhere in `text`, however long that takes: [`find_first`](super::find_first) can be
    /// interrupted.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        // Nobody interrupts it.
        MatchCursor::new(text, self).next(&mut WorkBudget::new(&mut || true)).is_ok_and(|found| found.is_some())
    }
}

/// Walks over the matches of a pattern in a text.
#[derive(Debug)]
pub(super) enum MatchCursor<'a> {
    Exact { starts: Box<Occurrences<'a>>, length: usize },
    Folded(CaseInsensitiveOccurrences<'a>),
    Expression(Box<Matches<'a>>),
}

impl<'a> MatchCursor<'a> {
    pub(super) fn new(text: &'a str, pattern: &'a Pattern) -> Self {
        match &pattern.method {
            SearchMethod::Exact(finder) => {
                let starts = Box::new(Occurrences::new(text.as_bytes(), finder.as_ref()));
                MatchCursor::Exact { starts, length: finder.needle().len() }
            }
            SearchMethod::Folded(needle) => MatchCursor::Folded(needle.occurrences(text)),
            SearchMethod::Expression(expression) => MatchCursor::Expression(Box::new(expression.matches(text))),
        }
    }

    /// The next match.
    pub(super) fn next(&mut self, budget: &mut WorkBudget<'_>) -> Result<Option<Range<usize>>, SearchInterrupted> {
        match self {
            MatchCursor::Exact { starts, length } => {
                Ok(starts.next_within(budget)?.map(|start| start..start + *length))
            }
            MatchCursor::Folded(occurrences) => occurrences.next(budget),
            MatchCursor::Expression(matches) => matches.next(budget),
        }
    }
}

/// Why a pattern was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternError {
    /// The pattern is empty.
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
