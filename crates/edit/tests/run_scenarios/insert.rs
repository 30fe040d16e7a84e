//! Runs the scenarios of inserting.

use interline_edit::{Insert, InsertError, InsertPosition, Level, ReplaceError, insert};
use serde_json::json;

use crate::Failures;
use crate::folder::{Fields, Folder};
use crate::replace::{laws_of_a_refusal, multiple_matches, no_match};

pub(crate) fn scenario(folder: &Folder) -> Failures {
    let mut fields = Fields(folder.request.clone());
    let (after, before, at) = (fields.string("after_str"), fields.string("before_str"), fields.string("at"));
    let place = match (after.as_deref(), before.as_deref(), at.as_deref()) {
        (Some(anchor), None, None) => InsertPosition::After(anchor),
        (None, Some(anchor), None) => InsertPosition::Before(anchor),
        (None, None, Some("start")) => InsertPosition::Start,
        (None, None, Some("end")) => InsertPosition::End,
        other => panic!("no place: {other:?}"),
    };
    let new_str = fields.string("new_str").expect("new_str");
    let mut request = Insert::new(place, &new_str);
    if let Some(level) = fields.level() {
        request.loosest = level;
    }
    if let Some(line_endings) = fields.line_endings() {
        request.line_endings = line_endings;
    }
    if let Some(number) = fields.number("max_result_bytes") {
        request.max_result_bytes = number;
    }
    fields.end();

    match insert(&folder.before, &request) {
        Ok(done) => {
            let after = done.edit.apply(&folder.before).expect("an edit of this content");
            let changed = done.edit.changed_lines(&after, 2).expect("the text after it");
            let changed: Vec<_> = changed.iter().map(|lines| (lines.start_line, lines.end_line)).collect();
            let level = done.level.map(Level::name);
            let answer = json!({"match_type": level, "line": done.line, "changed_lines": changed});
            folder.applied(&done.edit, &answer)
        }
        Err(error) => {
            let (answer, of_replace) = match error.clone() {
                InsertError::EmptyAnchor => (json!({"error": "empty_anchor"}), None),
                InsertError::EmptyNewStr => (json!({"error": "empty_new_str"}), None),
                InsertError::ResultTooLarge { .. } => (json!({"error": "result_too_large"}), None),
                InsertError::NoMatch(none) => (no_match(&folder.before, &none), Some(ReplaceError::NoMatch(none))),
                InsertError::MultipleMatches(many) => {
                    (multiple_matches(&many), Some(ReplaceError::MultipleMatches(many)))
                }
            };
            let mut failures = folder.refused(&error, &answer);
            failures.extend(of_replace.iter().flat_map(|error| laws_of_a_refusal(&folder.before, error)));
            failures
        }
    }
}
