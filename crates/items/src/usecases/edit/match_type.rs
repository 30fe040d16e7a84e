//! How the passage of an edit was found, and what an edit warns of.

use interline_edit::{Level, ReplaceWarning};

/// How the passage of an edit was found, from strict to loose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchType {
    /// At a level of matching.
    At(Level),
    /// It was not: a change that was offered was asked for.
    Merged,
}

impl MatchType {
    /// The stable name: that of the level, or `merged`.
    pub fn name(self) -> &'static str {
        match self {
            MatchType::At(level) => level.name(),
            MatchType::Merged => "merged",
        }
    }

    /// The stable names, strictest first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Level::ALL.into_iter().map(Level::name).chain([MatchType::Merged.name()])
    }
}

/// What an edit did as it was asked to, and probably was not meant to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditWarning {
    /// The stable code: `lost_indentation`, `joined_lines`.
    pub code: &'static str,
    /// 1-based line.
    pub line: usize,
    /// What happened, for a reader.
    pub message: &'static str,
    /// The lines as they should be, where that is clear.
    pub text: Option<String>,
}

/// A text that is longer than this is not sent with a warning.
const MAX_TEXT_BYTES: usize = 16 * 1024;

impl EditWarning {
    pub(super) fn new(warning: &ReplaceWarning) -> EditWarning {
        match warning {
            ReplaceWarning::LostIndentation { line, lines } => EditWarning {
                code: "lost_indentation",
                line: *line,
                message: "the line is indented, and the lines that were written after it are not; if they belong to the \
                          same block, replace them by `text`",
                text: lines.as_ref().filter(|lines| bytes(lines) <= MAX_TEXT_BYTES).map(|lines| lines.join("\n")),
            },
            ReplaceWarning::JoinedLines { line } => EditWarning {
                code: "joined_lines",
                line: *line,
                message: "the passage had a line break at its edge and the new text has none: two lines are one now",
                text: None,
            },
        }
    }
}

fn bytes(lines: &[String]) -> usize {
    lines.iter().map(|line| line.len() + 1).sum()
}
