//! Replacing a passage that is named by its text.

use std::fmt;
use std::ops::Range;

use crate::edit::Edit;
use crate::lines::line_of;
use crate::search::occurrences;

use fitted::WholeLines;
use places::{FoundPlace, Places};

mod anchored;
mod automaton;
mod failure;
mod fit;
mod fitted;
mod indentation;
mod nearest;
mod normal;
mod pairing;
mod places;
mod typography;
mod whitespace;
mod words;

/// How loosely `old_str` may be read when it is looked for, from strict to loose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Byte for byte.
    Exact,
    /// Line endings and blanks at the end of lines may differ.
    WhitespaceNormalized,
    /// Also the indentation, by one rule for all lines; blank lines at the edges.
    IndentationRelative,
    /// Also typographic characters against plain ones.
    PunctuationNormalized,
    /// Also the length of runs of blanks inside a line.
    SpacingNormalized,
}

impl Level {
    /// Every level, strictest first.
    pub const ALL: [Level; 5] = [
        Level::Exact,
        Level::WhitespaceNormalized,
        Level::IndentationRelative,
        Level::PunctuationNormalized,
        Level::SpacingNormalized,
    ];

    /// The stable name: `exact`, `whitespace_normalized`, `indentation_relative`, …
    pub fn name(self) -> &'static str {
        match self {
            Level::Exact => "exact",
            Level::WhitespaceNormalized => "whitespace_normalized",
            Level::IndentationRelative => "indentation_relative",
            Level::PunctuationNormalized => "punctuation_normalized",
            Level::SpacingNormalized => "spacing_normalized",
        }
    }

    /// The level of that stable name.
    pub fn from_name(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What becomes of the line endings of `new_str` at [`Level::Exact`] and [`Level::WhitespaceNormalized`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEndings {
    /// They are written as given.
    #[default]
    Literal,
    /// They become those of the passage that is replaced.
    Match,
}

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
}

impl<'a> Replace<'a> {
    /// One place, the whole ladder, literal line endings.
    pub fn new(old_str: &'a str, new_str: &'a str) -> Replace<'a> {
        Replace {
            old_str,
            new_str,
            expected_matches: 1,
            loosest: Level::SpacingNormalized,
            line_endings: LineEndings::Literal,
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
    /// Byte ranges of the places in the original text, in order; every splice lies inside one of them, except that
    /// removing whole lines takes one line ending next to the place along.
    pub places: Vec<Range<usize>>,
}

/// Why nothing was replaced.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplaceError {
    /// `old_str` is empty.
    EmptyOldStr,
    /// `expected_matches` is 0.
    ZeroExpectedMatches,
    /// `old_str` is not there, at no level that was allowed; or `new_str` cannot be fitted to where it is.
    NoMatch(Box<NoMatch>),
    /// Not as many places as expected, or places that overlap.
    MultipleMatches(Box<MultipleMatches>),
}

/// What helps to find the passage after all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NoMatch {
    /// Why it was not found, when that is known.
    pub cause: Option<Cause>,
    /// At most 3 passages like `old_str`, best first.
    pub nearest: Vec<Passage>,
}

/// A passage of the content that is like `old_str`.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// 1-based first line.
    pub first_line: usize,
    /// 1-based last line.
    pub last_line: usize,
    /// 0 (nothing in common) to 1.
    pub similarity: f64,
    /// The passage, long lines and long passages cut.
    pub text: String,
    /// What differs from `old_str`, as a small unified diff without headers; `-` is `old_str`, `+` the content.
    pub diff: String,
}

/// A known reason for a passage not to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The request allowed no level as loose as the one where it would be found.
    Capped {
        /// The level that would find it.
        level: Level,
        /// 1-based line of the first place.
        line: usize,
    },
    /// The lines are there, but their indentation differs by no single rule.
    OtherIndentation {
        /// 1-based first line whose indentation does not follow that of the lines before it.
        line: usize,
    },
    /// The passage was found, but a line of `new_str` cannot take the indentation of the place.
    CannotIndent {
        /// 1-based line of `new_str`.
        new_line: usize,
        /// 1-based line of the place.
        line: usize,
    },
    /// `new_str` is already in the content.
    AlreadyApplied {
        /// 1-based line.
        line: usize,
    },
    /// It is there in other upper and lower case.
    OtherCase {
        /// 1-based line.
        line: usize,
    },
    /// It is there if `\n` written as two characters is read as a newline.
    EscapedNewlines {
        /// 1-based line.
        line: usize,
    },
    /// It is there without the line numbers that stand before its lines.
    LineNumbers {
        /// 1-based line.
        line: usize,
    },
    /// A line of dots stands for lines that were left out.
    Elision,
    /// `old_str` has nothing but blanks, and such text is found byte for byte only.
    Blank,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Capped { level, line } => {
                write!(
                    f,
                    "the text is on line {line}, but found only at the looser level `{level}`, which the request does not allow"
                )
            }
            Cause::OtherIndentation { line } => {
                write!(f, "the text is there but with other indentation on line {line}")
            }
            Cause::CannotIndent { new_line, line } => write!(
                f,
                "the text is on line {line}, but line {new_line} of `new_str` cannot take the indentation that the content has there"
            ),
            Cause::AlreadyApplied { line } => {
                write!(f, "`new_str` is already in the content at line {line}: the edit may have been made")
            }
            Cause::OtherCase { line } => write!(f, "the text is on line {line} in other upper and lower case"),
            Cause::EscapedNewlines { line } => write!(
                f,
                "the text is on line {line}, but `old_str` has `\\n` written as two characters where the content has line breaks"
            ),
            Cause::LineNumbers { line } => {
                write!(f, "the text is on line {line}, but the lines of `old_str` begin with line numbers")
            }
            Cause::Elision => f.write_str("a line of `old_str` stands for lines that were left out; give all lines"),
            Cause::Blank => f.write_str("`old_str` has only blanks, and such text is found byte for byte only"),
        }
    }
}

/// The places that were found instead of the expected number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultipleMatches {
    /// How many places there are.
    pub total: usize,
    /// How many were expected.
    pub expected: usize,
    /// The level that decided.
    pub level: Level,
    /// The first 20 places.
    pub places: Vec<Place>,
}

/// One of several places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// 1-based line where it starts.
    pub line: usize,
    /// The place with 2 lines before and after, long lines cut.
    pub context: String,
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
    let levels = Level::ALL.into_iter().take_while(|level| *level <= request.loosest);
    for level in levels {
        let places = find(content, request, level);
        if places.total > 0 {
            return settle(content, request, level, &places);
        }
    }
    Err(failure::no_match(content, request))
}

/// The places at one level.
fn find(content: &str, request: &Replace<'_>, level: Level) -> Places {
    if level == Level::Exact {
        return exact(content, request);
    }
    let old = WholeLines::of(request.old_str);
    if old.core().is_empty() {
        // Blanks alone say nothing about where they are.
        return Places::expecting(request.expected_matches);
    }
    match level {
        Level::WhitespaceNormalized => whitespace::find(content, request),
        _ => fitted::find(content, &old, level, request.expected_matches),
    }
}

fn exact(content: &str, request: &Replace<'_>) -> Places {
    let bytes = content.as_bytes();
    let splits_ending = |at: usize| at > 0 && bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n');
    let mut places = Places::expecting(request.expected_matches);
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
        return Err(failure::multiple_matches(content, request, level, places));
    }
    let mut splices = Vec::new();
    for place in &places.kept {
        let fitted = fit::fit(content, request, level, place);
        for splice in fitted.map_err(|unfit| failure::unfit(content, place, &unfit))? {
            fit::push_splice(&mut splices, splice, content);
        }
    }
    Ok(Replacement {
        edit: Edit::minimal(content, splices),
        level,
        line: line_of(content, places.kept.first().map_or(0, |place| place.span.start)),
        places: places.kept.iter().map(|place| place.span.clone()).collect(),
    })
}
