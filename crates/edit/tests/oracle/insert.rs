//! The oracle of inserting, built on the oracle's replacing and patching.

use std::ops::Range;

use interline_edit::{Insert, InsertPosition, Level, LineEndings, LineOperation, Replace};

use super::lines::{ending_of_span, line_number, lines, texts};
use super::replace::{LastLine, above_exact, without_carriage_return};
use super::{ReplaceOutcome, patch, replace};

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
    match request.position {
        _ if new_str.is_empty() => InsertOutcome::Invalid,
        InsertPosition::After(anchor) => at_anchor(content, request, anchor, |place| place.end),
        InsertPosition::Before(anchor) => at_anchor(content, request, anchor, |place| place.start),
        InsertPosition::Start | InsertPosition::End if content.is_empty() => {
            InsertOutcome::Applied { after: new_str.to_owned(), level: None, line: 1 }
        }
        InsertPosition::Start => InsertOutcome::Applied { after: patched(content, 1, new_str), level: None, line: 1 },
        InsertPosition::End => {
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
        // Nothing that may be written in its place makes the anchor be refused.
        ..Replace::new(anchor, "")
    };
    match replace(content, &sought) {
        ReplaceOutcome::Applied { level, ranges, .. } => {
            let at = point(&ranges[0]);
            let after_anchor = matches!(request.position, InsertPosition::After(_));
            let mut new = request.new_str.to_owned();
            if after_anchor && leaves_carriage_return(content, &sought, level, &ranges[0]) {
                let own = lines(content).swap_remove(line_number(content, at) - 1).ending;
                let ends_the_line = own == "\r\n" && new.starts_with('\n');
                new = if ends_the_line { "\r" } else { "" }.to_owned() + without_carriage_return(&new);
            }
            if new.is_empty() {
                return InsertOutcome::Invalid;
            }
            if request.line_endings == LineEndings::Match {
                new = texts(&new).join(&ending_of_span(content, &ranges[0]));
            }
            let after = [&content[..at], &new, &content[at..]].concat();
            InsertOutcome::Applied { after, level: Some(level), line: line_number(content, at) }
        }
        ReplaceOutcome::NoMatch => InsertOutcome::NoMatch,
        ReplaceOutcome::MultipleMatches { total, level, lines } => {
            InsertOutcome::MultipleMatches { total, level, lines }
        }
        ReplaceOutcome::Invalid => InsertOutcome::Invalid,
    }
}

/// Whether the final `\r` of the anchor is not a character of its place, but that of the ending after it.
fn leaves_carriage_return(content: &str, sought: &Replace<'_>, level: Level, place: &Range<usize>) -> bool {
    match level {
        Level::Exact => place.len() < sought.old_str.len(),
        _ => above_exact(level, content, sought, LastLine::AsGiven).is_none(),
    }
}
