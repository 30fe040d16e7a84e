//! Replacing a passage that is named by its text.

use std::ops::Range;

use crate::edit::Edit;
use crate::lines::line_of;
use crate::search::occurrences;

pub(crate) use error::NotOnePlace;
pub use error::{Cause, MultipleMatches, NoMatch, Passage, Place, ReplaceError};
use fit::{Fitter, push_splice};
use fitted::WholeLines;
pub use level::{Level, LineEndings};
use places::{FoundPlace, MAX_SHOWN_PLACES, Places};

mod anchored;
mod automaton;
mod error;
mod failure;
mod fit;
mod fitted;
mod indentation;
mod level;
mod nearest;
mod normal;
mod pairing;
mod places;
mod typography;
mod weave;
mod whitespace;
mod words;

/// A request to replace one unique passage, or exactly `expected_matches` of them.
#[derive(Clone, Copy, Debug)]
pub struct Replace<'a> {
    /// The passage as the caller remembers it.
    pub old_str: &'a str,
    /// What it shall become.
    pub new_str: &'a str,
    /// How many places must be found; all of them are replaced.
    pub expected_matches: usize,
    /// The loosest level that may decide.
    pub loosest: Level,
    /// What becomes of the line endings of `new_str`.
    pub line_endings: LineEndings,
    /// How long the text may become. A few thousand places for a long `new_str` would otherwise fill the memory.
    pub max_result_bytes: usize,
}

impl<'a> Replace<'a> {
    /// One place, the whole ladder, literal line endings, at most 64 MiB.
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
}

/// A passage was found; this is what replacing it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The change; empty when the passage already reads like the result.
    pub edit: Edit,
    /// The level that decided.
    pub level: Level,
    /// 1-based line where the first place starts.
    pub line: usize,
    /// Byte ranges of the places in the original text, in order. Nothing outside them changes, except that removing
    /// whole lines takes one line ending next to them along.
    pub places: Vec<Range<usize>>,
}

/// Finds `old_str` in the content and says what replacing it by `new_str` means.
///
/// The strictest level that finds anything decides. The cost is linear in the content, whatever it is.
pub fn replace(content: &str, request: &Replace<'_>) -> Result<Replacement, ReplaceError> {
    if request.old_str.is_empty() {
        return Err(ReplaceError::EmptyOldStr);
    }
    if request.expected_matches == 0 {
        return Err(ReplaceError::ZeroExpectedMatches);
    }
    match climb(content, request) {
        Some((level, places)) => settle(content, request, level, &places),
        None => Err(ReplaceError::NoMatch(failure::no_match(content, request))),
    }
}

/// The one place of `old_str`, by the rules of [`replace()`], and the level that finds it; `old_str` is not empty.
pub(crate) fn find_one(content: &str, request: &Replace<'_>) -> Result<(Level, Range<usize>), NotOnePlace> {
    let Some((level, places)) = climb(content, request) else {
        return Err(NotOnePlace::NoMatch(failure::no_match(content, request)));
    };
    match places.kept.as_slice() {
        [place] => Ok((level, place.span.clone())),
        _ => Err(NotOnePlace::MultipleMatches(failure::multiple_matches(content, request, level, &places))),
    }
}

/// The strictest level that finds anything, and what it finds: as many places as expected all kept.
fn climb(content: &str, request: &Replace<'_>) -> Option<(Level, Places)> {
    let mut levels = Level::ALL.into_iter().take_while(|level| *level <= request.loosest);
    levels.find_map(|level| {
        let mut places = find(content, request, level, MAX_SHOWN_PLACES);
        if places.total == request.expected_matches && places.total > places.kept.len() {
            places = find(content, request, level, places.total);
        }
        (places.total > 0).then_some((level, places))
    })
}

/// The places at one level, the first so many of them kept.
fn find(content: &str, request: &Replace<'_>, level: Level, keep: usize) -> Places {
    if level == Level::Exact {
        return exact(content, request, keep);
    }
    let old = WholeLines::of(request.old_str);
    if old.core().is_empty() {
        // Blanks alone say nothing about where they are.
        return Places::keeping(0);
    }
    match level {
        Level::WhitespaceNormalized => whitespace::find(content, request, keep),
        _ => fitted::find(content, &old, level, keep),
    }
}

fn exact(content: &str, request: &Replace<'_>, keep: usize) -> Places {
    let bytes = content.as_bytes();
    let splits_ending = |at: usize| at > 0 && bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n');
    let mut places = Places::keeping(keep);
    for start in occurrences(bytes, request.old_str.as_bytes()) {
        let end = start + request.old_str.len();
        if !splits_ending(start) && !splits_ending(end) {
            places.add(|| FoundPlace { span: start..end, fit: None });
        }
    }
    places
}

/// Replaces the places, if they are as many as expected.
fn settle(content: &str, request: &Replace<'_>, level: Level, places: &Places) -> Result<Replacement, ReplaceError> {
    if places.total != request.expected_matches || places.overlap() {
        let several = failure::multiple_matches(content, request, level, places);
        return Err(ReplaceError::MultipleMatches(several));
    }
    let mut fitter = Fitter::new(content, request, level);
    let mut splices = Vec::new();
    for place in &places.kept {
        let fitted = fitter.fit(place).map_err(|error| failure::unfit(content, request, place, &error))?;
        for splice in fitted {
            push_splice(&mut splices, splice, content);
        }
    }
    Ok(Replacement {
        edit: Edit::minimal(content, splices),
        level,
        line: line_of(content, places.kept.first().map_or(0, |place| place.span.start)),
        places: places.kept.iter().map(|place| place.span.clone()).collect(),
    })
}
