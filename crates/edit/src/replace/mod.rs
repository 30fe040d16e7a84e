//! Replacing a passage that is named by its text (`str_replace`): the ladder of matching levels.

use std::ops::Range;

use crate::edit::Edit;
use crate::lines::{line_of, strip_carriage_return};
use crate::search::occurrences;

pub(crate) use error::NotOneMatch;
pub use error::{MatchLocation, MergedChange, MultipleMatches, NoMatch, NoMatchCause, ReplaceError, SimilarPassage};
pub use level::{Level, LineEndings};
pub(crate) use matches::FinalCarriageReturn;
use matches::{MAX_SHOWN_MATCHES, OldStrMatch, OldStrMatches};
use rewrite::{Rewriter, push_splice};
pub use warning::ReplaceWarning;
use whole_lines::WholeLines;

mod anchored_lines;
mod automaton;
mod diagnosis;
mod error;
mod indentation;
mod level;
mod matches;
mod nearest;
mod normalization;
mod recovery;
mod rewrite;
mod warning;
mod whitespace;
mod whole_lines;

/// A request to replace one unique passage, or exactly `expected_matches` equal ones.
#[derive(Clone, Copy, Debug)]
pub struct Replace<'a> {
    /// The passage as the caller remembers it.
    pub old_str: &'a str,
    /// The text that replaces it.
    pub new_str: &'a str,
    /// How many matches must be found; all of them are replaced.
    pub expected_matches: usize,
    /// The loosest level that may decide.
    pub loosest: Level,
    /// What becomes of the line endings of `new_str`.
    pub line_endings: LineEndings,
    /// How long the text may become. A few thousand matches and a long `new_str` would otherwise fill the memory.
    pub max_result_bytes: usize,
}

impl<'a> Replace<'a> {
    /// One match, the whole ladder, literal line endings, at most 64 MiB.
    pub fn new(old_str: &'a str, new_str: &'a str) -> Replace<'a> {
        Replace {
            old_str,
            new_str,
            expected_matches: 1,
            loosest: Level::SpacingNormalized,
            line_endings: LineEndings::Literal,
            max_result_bytes: 64 * 1024 * 1024,
        }
    }

    /// The same request for matches that leave the final `\r` of `old_str`, and of `new_str`, to the ending of their line.
    fn without_final_carriage_return(self) -> Replace<'a> {
        Replace { old_str: strip_carriage_return(self.old_str), new_str: strip_carriage_return(self.new_str), ..self }
    }
}

/// The result of a replacement: the edit, and where `old_str` was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The change; empty when the passage already reads like the result.
    pub edit: Edit,
    /// The level that decided.
    pub level: Level,
    /// 1-based line where the first match starts.
    pub line: usize,
    /// Byte ranges of the matches in the original text, in order. Nothing outside them changes, except that removing
    /// whole lines takes one line ending next to them along.
    pub ranges: Vec<Range<usize>>,
    /// What the change does that was probably not meant. Only an exact match has warnings: it is replaced as given.
    pub warnings: Vec<ReplaceWarning>,
}

/// Finds `old_str` in the content and makes the edit that replaces it by `new_str`.
///
/// The strictest level that finds anything decides. The cost is linear in the content, whatever it is.
pub fn replace(content: &str, request: &Replace<'_>) -> Result<Replacement, ReplaceError> {
    if request.old_str.is_empty() {
        return Err(ReplaceError::EmptyOldStr);
    }
    if request.expected_matches == 0 {
        return Err(ReplaceError::ZeroExpectedMatches);
    }
    match climb_levels(content, request) {
        Some((level, matches)) => replace_matches(content, request, level, &matches),
        None => Err(ReplaceError::NoMatch(diagnosis::no_match_to_replace(content, request))),
    }
}

/// The only match of a passage.
pub(crate) struct OnlyMatch {
    /// The level that finds it.
    pub(crate) level: Level,
    /// Its byte range.
    pub(crate) span: Range<usize>,
    /// What a final `\r` of the passage is.
    pub(crate) final_carriage_return: FinalCarriageReturn,
}

/// The only match of `old_str`, by the rules of [`replace()`]; `old_str` is not empty.
pub(crate) fn find_one(content: &str, request: &Replace<'_>) -> Result<OnlyMatch, NotOneMatch> {
    let Some((level, matches)) = climb_levels(content, request) else {
        return Err(NotOneMatch::NoMatch(diagnosis::no_match(content, request)));
    };
    match matches.kept.as_slice() {
        [only] => Ok(OnlyMatch { level, span: only.span.clone(), final_carriage_return: only.final_carriage_return }),
        _ => Err(NotOneMatch::MultipleMatches(diagnosis::multiple_matches(content, request, level, &matches))),
    }
}

/// The strictest level that finds `old_str`, and its matches; all of them are kept if they are as many as expected.
fn climb_levels(content: &str, request: &Replace<'_>) -> Option<(Level, OldStrMatches)> {
    let mut levels = Level::ALL.into_iter().take_while(|level| *level <= request.loosest);
    levels.find_map(|level| {
        let mut matches = find(content, request, level, MAX_SHOWN_MATCHES);
        if matches.total == request.expected_matches && matches.total > matches.kept.len() {
            matches = find(content, request, level, matches.total);
        }
        (matches.total > 0).then_some((level, matches))
    })
}

/// The matches at one level; the first `keep` of them are kept, all are counted.
///
/// Above `exact` a final `\r` of `old_str` is read as a character first, and if nothing is found as that of a line's ending.
fn find(content: &str, request: &Replace<'_>, level: Level, keep: usize) -> OldStrMatches {
    if level == Level::Exact {
        return find_exact(content, request, keep);
    }
    let as_text = find_normalized(content, request, level, FinalCarriageReturn::Text, keep);
    if as_text.total > 0 || !request.old_str.ends_with('\r') {
        return as_text;
    }
    let request = request.without_final_carriage_return();
    find_normalized(content, &request, level, FinalCarriageReturn::OfLineEnding, keep)
}

/// The matches at one level above `exact`.
fn find_normalized(
    content: &str,
    request: &Replace<'_>,
    level: Level,
    final_carriage_return: FinalCarriageReturn,
    keep: usize,
) -> OldStrMatches {
    let old = WholeLines::new(request.old_str);
    if old.core().is_empty() {
        // Blanks alone do not identify a passage.
        return OldStrMatches::keeping(0);
    }
    match level {
        Level::WhitespaceNormalized => whitespace::find(content, request, final_carriage_return, keep),
        _ if old.is_weak_evidence() => OldStrMatches::keeping(0),
        _ => whole_lines::find(content, &old, level, final_carriage_return, keep),
    }
}

/// The occurrences of `old_str`. None begins between `\r` and `\n`; one that ends there is a line as it is read, and leaves
/// its `\r` to the ending of the line. A `\r` alone is read as an empty line, and is not found at the end of another.
fn find_exact(content: &str, request: &Replace<'_>, keep: usize) -> OldStrMatches {
    let bytes = content.as_bytes();
    let splits_ending = |at: usize| at > 0 && bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n');
    let mut matches = OldStrMatches::keeping(keep);
    for start in occurrences(bytes, request.old_str.as_bytes()) {
        let end = start + request.old_str.len();
        if splits_ending(start) {
            continue;
        }
        let is_empty_line = || start == 0 || bytes[start - 1] == b'\n';
        let (end, final_carriage_return) = match splits_ending(end) {
            true if end - 1 == start && !is_empty_line() => continue,
            true => (end - 1, FinalCarriageReturn::OfLineEnding),
            false => (end, FinalCarriageReturn::Text),
        };
        matches.add(|| OldStrMatch { span: start..end, fit: None, final_carriage_return });
    }
    matches
}

/// Replaces the matches, if they are as many as expected.
fn replace_matches(
    content: &str,
    request: &Replace<'_>,
    level: Level,
    matches: &OldStrMatches,
) -> Result<Replacement, ReplaceError> {
    if matches.total != request.expected_matches || matches.overlap() {
        let several = diagnosis::multiple_matches(content, request, level, matches);
        return Err(ReplaceError::MultipleMatches(several));
    }
    let request = match matches.kept.first().map(|first| first.final_carriage_return) {
        // Above `exact` all matches read `old_str` in one way.
        Some(FinalCarriageReturn::OfLineEnding) if level > Level::Exact => &request.without_final_carriage_return(),
        _ => request,
    };
    let mut rewriter = Rewriter::new(content, request, level);
    let mut splices = Vec::new();
    for found in &matches.kept {
        let rewritten = rewriter.rewrite(found);
        let rewritten = rewritten.map_err(|error| diagnosis::cannot_rewrite(content, request, found, &error))?;
        for splice in rewritten {
            push_splice(&mut splices, splice, content);
        }
    }
    Ok(Replacement {
        edit: Edit::minimal(content, splices),
        level,
        line: line_of(content, matches.kept.first().map_or(0, |first| first.span.start)),
        ranges: matches.kept.iter().map(|found| found.span.clone()).collect(),
        warnings: if level == Level::Exact { warning::warnings(content, request, &matches.kept) } else { Vec::new() },
    })
}
