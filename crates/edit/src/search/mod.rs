//! Searching a text for a literal or a regular expression: every match, with its line numbers and lines of context.

mod case_insensitive;
mod expression;
mod hit_collector;
mod occurrences;
mod pattern;
mod required_text;
mod work_budget;

use std::fmt;
use std::ops::Range;

use memchr::memchr;

use hit_collector::HitCollector;
use pattern::MatchCursor;
use work_budget::WorkBudget;

pub(crate) use occurrences::occurrences;
pub use pattern::{Case, Pattern, PatternError};
pub use required_text::RequiredText;

/// How many hits a search keeps, with how much context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// Lines of context before the first and after the last line of a match.
    pub context_lines: usize,
    /// How many hits are kept, from the start of the text. They are counted all the same.
    pub limit: usize,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult<'t> {
    /// The first matches, at most [`SearchOptions::limit`], in the order of the text.
    pub hits: Vec<Hit<'t>>,
    /// The number of matches in the whole text.
    pub total: usize,
}

/// One match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit<'t> {
    /// The matched bytes. Empty where an expression matched the empty text.
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
pub struct SearchInterrupted;

impl fmt::Display for SearchInterrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the search was interrupted")
    }
}

impl std::error::Error for SearchInterrupted {}

/// Finds every match of `pattern` in `text`.
///
/// Literal patterns: all occurrences, overlapping ones included, in linear time. Expressions: leftmost matches
/// that do not overlap, and no empty one right at the end of the match before; one match is found in linear
/// time, but some expressions read up to the end of a line, or of the text, for each of many matches.
///
/// `keep_going` is asked after every match, and after a bounded amount of work where there are none: some 10 ms at the
/// most, whatever the pattern and the text. The search ends as soon as it says no. A caller checks its deadline there.
pub fn search<'t>(
    text: &'t str,
    pattern: &Pattern,
    options: &SearchOptions,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<SearchResult<'t>, SearchInterrupted> {
    let mut hits = HitCollector::new(text, options);
    for_each_match(text, pattern, keep_going, |range| hits.add(range))?;
    Ok(hits.finish())
}

/// Finds every line on which a match of `pattern` starts, each once, by the first of those matches; all else as for
/// [`search`]. Hits and their total are lines.
pub fn search_lines<'t>(
    text: &'t str,
    pattern: &Pattern,
    options: &SearchOptions,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<SearchResult<'t>, SearchInterrupted> {
    let mut hits = HitCollector::new(text, options);
    let mut next_line = 0;
    for_each_match(text, pattern, keep_going, |range| {
        if range.start >= next_line {
            let newline = memchr(b'\n', &text.as_bytes()[range.start..]);
            next_line = newline.map_or(usize::MAX, |newline| range.start + newline + 1);
            hits.add(range);
        }
    })?;
    Ok(hits.finish())
}

fn for_each_match(
    text: &str,
    pattern: &Pattern,
    keep_going: &mut dyn FnMut() -> bool,
    mut each: impl FnMut(Range<usize>),
) -> Result<(), SearchInterrupted> {
    let mut budget = WorkBudget::new(keep_going);
    let mut matches = MatchCursor::new(text, pattern);
    while let Some(range) = matches.next(&mut budget)? {
        each(range);
        budget.ask()?;
    }
    Ok(())
}

/// The first match of `pattern` in `text`; `keep_going` as for [`search`].
pub fn find_first(
    text: &str,
    pattern: &Pattern,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Option<Range<usize>>, SearchInterrupted> {
    MatchCursor::new(text, pattern).next(&mut WorkBudget::new(keep_going))
}
