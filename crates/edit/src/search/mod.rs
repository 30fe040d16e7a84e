//! Searching a text: every match, with its lines and the lines around it.

mod expression;
mod folded;
mod hits;
mod occurrences;
mod pattern;
mod required;

use std::fmt;
use std::ops::Range;

use memchr::memchr;

use expression::Step;
use hits::Hits;
use pattern::Method;

pub(crate) use occurrences::occurrences;
pub use pattern::{Case, Pattern, PatternError};
pub use required::Required;

/// How much of what is found is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// Lines of context before the first and after the last line of a match.
    pub context_lines: usize,
    /// How many hits are kept, from the start of the text. They are counted all the same.
    pub limit: usize,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<'t> {
    /// The first matches, at most [`SearchOptions::limit`], in the order of the text.
    pub hits: Vec<Hit<'t>>,
    /// The number of matches in the whole text.
    pub total: usize,
}

/// One match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit<'t> {
    /// The matched bytes. Empty where an expression matched nothing at a place.
    pub range: Range<usize>,
    /// The line of the match's start, 1-based.
    pub first_line: usize,
    /// The line of the match's last byte, 1-based: a match that ends with a line ending does not reach the
    /// next line.
    pub last_line: usize,
    /// The lines of the match and those around it, exactly as in the text, without the last `\n`.
    pub context: &'t str,
    /// The line that `context` starts with, 1-based.
    pub context_first_line: usize,
}

/// The search was ended by its caller before it was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the search was interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// Finds every match of `pattern` in `text`.
///
/// Literal patterns: all occurrences, overlapping ones included, in linear time. Expressions: leftmost matches
/// that do not overlap, and no empty one right at the end of the match before; one match is found in linear
/// time, but some expressions read up to the end of a line, or of the text, for each of many matches.
///
/// `keep_going` is asked after every match and, for expressions, now and then where there are none; the search
/// ends as soon as it says no. That is the place for a deadline.
pub fn search<'t>(
    text: &'t str,
    pattern: &Pattern,
    options: &SearchOptions,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Found<'t>, Interrupted> {
    let mut hits = Hits::new(text, options);
    each_match(text, pattern, keep_going, |range| hits.add(range))?;
    Ok(hits.found())
}

/// Finds every line on which a match of `pattern` starts, each once, by the first of those matches; all else as for
/// [`search`]. Hits and their total are lines.
pub fn search_lines<'t>(
    text: &'t str,
    pattern: &Pattern,
    options: &SearchOptions,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Found<'t>, Interrupted> {
    let mut hits = Hits::new(text, options);
    let mut next_line = 0;
    each_match(text, pattern, keep_going, |range| {
        if range.start >= next_line {
            let newline = memchr(b'\n', &text.as_bytes()[range.start..]);
            next_line = newline.map_or(usize::MAX, |newline| range.start + newline + 1);
            hits.add(range);
        }
    })?;
    Ok(hits.found())
}

fn each_match(
    text: &str,
    pattern: &Pattern,
    keep_going: &mut dyn FnMut() -> bool,
    each: impl FnMut(Range<usize>),
) -> Result<(), Interrupted> {
    match &pattern.method {
        Method::Exact(finder) => {
            let length = finder.needle().len();
            let starts = occurrences::Occurrences::new(text.as_bytes(), finder.as_ref());
            walk(starts.map(|start| Step::Match(start..start + length)), keep_going, each)
        }
        Method::Folded(needle) => walk(needle.occurrences(text).map(Step::Match), keep_going, each),
        Method::Expression(expression) => walk(expression.matches(text), keep_going, each),
    }
}

/// The first match of `pattern` in `text`; `keep_going` as for [`search`].
pub fn find_first(
    text: &str,
    pattern: &Pattern,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Option<Range<usize>>, Interrupted> {
    match &pattern.method {
        Method::Exact(finder) => {
            let start = finder.find(text.as_bytes());
            Ok(start.map(|start| start..start + finder.needle().len()))
        }
        Method::Folded(needle) => Ok(needle.occurrences(text).next()),
        Method::Expression(expression) => {
            for step in expression.matches(text) {
                match step {
                    Step::Match(range) => return Ok(Some(range)),
                    Step::Pause if keep_going() => {}
                    Step::Pause => return Err(Interrupted),
                }
            }
            Ok(None)
        }
    }
}

fn walk(
    steps: impl Iterator<Item = Step>,
    keep_going: &mut dyn FnMut() -> bool,
    mut each: impl FnMut(Range<usize>),
) -> Result<(), Interrupted> {
    for step in steps {
        if let Step::Match(range) = step {
            each(range);
        }
        if !keep_going() {
            return Err(Interrupted);
        }
    }
    Ok(())
}
