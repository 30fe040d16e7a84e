//! Inserting, by way of the oracle's replacing and patching.

use std::ops::Range;

use interline_edit::{Insert, InsertPlace, Level, LineEndings, LineOperation, Replace};

use super::lines::{ending_of_span, line_number, lines, texts};
use super::{Outcome, patch, replace};

/// What must come of an insertion.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum InsertOutcome {
    Applied { after: String, level: Option<Level>, line: usize },
    NoMatch,
    MultipleMatches { total: usize, level: Level, lines: Vec<usize> },
    Invalid,
}

/// The text after the insertion, or why there is none.
pub(crate) fn insert(content: &str, request: &Insert<'_>) -> InsertOutcome {
    let new_str = request.new_str;
    match request.place {
        _ if new_str.is_empty() => InsertOutcome::Invalid,
        InsertPlace::After(anchor) => at_anchor(content, request, anchor, |place| place.end),
        InsertPlace::Before(anchor) => at_anchor(content, request, anchor, |place| place.start),
        InsertPlace::Start | InsertPlace::End if content.is_empty() => {
            InsertOutcome::Applied { after: new_str.to_owned(), level: None, line: 1 }
        }
        InsertPlace::Start => InsertOutcome::Applied { after: patched(content, 1, new_str), level: None, line: 1 },
        InsertPlace::End => {
            let total = lines(content).len();
            let line = if content.ends_with('\n') { total } else { total + 1 };
            InsertOutcome::Applied { after: patched(content, total + 1, new_str), level: None, line }
        }
    }
}

fn patched(content: &str, start_line: usize, new: &str) -> String {
    let operation = LineOperation { start_line, end_line: start_line - 1, content: new, expect: None };
    patch(content, &[operation]).unwrap()
}

fn at_anchor(
    content: &str,
    request: &Insert<'_>,
    anchor: &str,
    point: impl Fn(&Range<usize>) -> usize,
) -> InsertOutcome {
    let sought = Replace {
        loosest: request.loosest.min(Level::WhitespaceNormalized),
        line_endings: request.line_endings,
        ..Replace::new(anchor, anchor)
    };
    match replace(content, &sought) {
        Outcome::Applied { level, places, .. } => {
            let at = point(&places[0]);
            let new = match request.line_endings {
                LineEndings::Literal => request.new_str.to_owned(),
                LineEndings::Match => texts(request.new_str).join(&ending_of_span(content, &places[0])),
            };
            let after = [&content[..at], &new, &content[at..]].concat();
            InsertOutcome::Applied { after, level: Some(level), line: line_number(content, at) }
        }
        Outcome::NoMatch => InsertOutcome::NoMatch,
        Outcome::MultipleMatches { total, level, lines } => InsertOutcome::MultipleMatches { total, level, lines },
        Outcome::Invalid => InsertOutcome::Invalid,
    }
}
