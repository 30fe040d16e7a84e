//! The levels of matching, from byte-exact to loosely spaced, and the treatment of line endings.

use std::fmt;

/// How loosely `old_str` may be compared with the content, from strict to loose.
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

impl LineEndings {
    /// Both.
    pub const ALL: [LineEndings; 2] = [LineEndings::Literal, LineEndings::Match];

    /// The stable name: `literal`, `match`.
    pub fn name(self) -> &'static str {
        match self {
            LineEndings::Literal => "literal",
            LineEndings::Match => "match",
        }
    }

    /// The one of that stable name.
    pub fn from_name(name: &str) -> Option<LineEndings> {
        LineEndings::ALL.into_iter().find(|endings| endings.name() == name)
    }
}
