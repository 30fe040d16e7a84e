//! From a request and a text to the edit that it means, or the reason why it means none.

use interline_edit::{
    Edit, Insert, InsertError, InsertPosition, Level, LineOperation, PatchError, Replace, ReplaceError, insert,
    patch_lines, replace,
};

use crate::fields::FieldError;
use crate::{Error, NeedsText, PassageField, Snapshot};

use super::request::{EditRequest, InsertAt, LinePatch, PassageChange, TextChange};

/// How many operations a refusal tells, so that it stays short.
const MAX_TOLD: usize = 200;

/// What a request means for a text.
pub(super) struct Meant {
    /// The change.
    pub(super) edit: Edit,
    /// The loosest level that found a passage.
    pub(super) level: Option<Level>,
    /// 1-based line of the first place.
    pub(super) line: Option<usize>,
    /// How many places change.
    pub(super) places: usize,
}

/// How a request is to be read: what holds for each of its passages.
struct Reading<'r> {
    request: &'r EditRequest,
    bounds: Bounds,
}

/// How long a text may become.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// At the end.
    pub(super) limit: usize,
    /// On the way: the result of one of several edits need not be a content.
    pub(super) on_the_way: usize,
}

/// What a request means for a content. Only inserting whole lines works without one.
pub(super) fn meant(request: &EditRequest, before: &Snapshot, bounds: Bounds) -> Result<Meant, Error> {
    let Some(change) = &request.change else {
        return Ok(Meant { edit: Edit::default(), level: None, line: None, places: 0 });
    };
    let reading = Reading { request, bounds };
    let text = |needs| before.content.as_deref().ok_or(Error::ContentEmpty(needs));
    match change {
        TextChange::Replace(change) => reading.replacement(text(NeedsText::Replace)?, change),
        TextChange::Delete { content_to_delete, expected_matches } => {
            let text = text(NeedsText::Delete)?;
            let change = Replace { expected_matches: *expected_matches, ..Replace::new(content_to_delete, "") };
            reading.passage(text, &change, PassageField::ContentToDelete)
        }
        TextChange::Insert { at: at @ (InsertAt::Start | InsertAt::End), new_str } => {
            reading.insertion(before.content.as_deref().unwrap_or_default(), at, new_str)
        }
        TextChange::Insert { at, new_str } => reading.insertion(text(NeedsText::Insert)?, at, new_str),
        TextChange::Patch(operations) => patched(text(NeedsText::Patch)?, operations, before),
        TextChange::Several(edits) => reading.several(text(NeedsText::Replace)?, edits),
    }
}

impl Reading<'_> {
    fn replacement(&self, text: &str, change: &PassageChange) -> Result<Meant, Error> {
        let PassageChange { old_str, new_str, expected_matches } = change;
        let request = Replace { expected_matches: *expected_matches, ..Replace::new(old_str, new_str) };
        self.passage(text, &request, PassageField::OldStr)
    }

    fn passage(&self, text: &str, change: &Replace<'_>, field: PassageField) -> Result<Meant, Error> {
        let change = Replace {
            loosest: self.request.loosest,
            line_endings: self.request.line_endings,
            max_result_bytes: self.bounds.on_the_way,
            ..*change
        };
        let found = replace(text, &change).map_err(|error| match error {
            ReplaceError::EmptyOldStr => Error::field(field.name(), "must not be empty"),
            ReplaceError::ZeroExpectedMatches => Error::field("expected_matches", "must be at least 1"),
            ReplaceError::NoMatch(none) => Error::NoMatch { field, none },
            ReplaceError::MultipleMatches(many) => Error::MultipleMatches { field, many },
            ReplaceError::ResultTooLarge { .. } => self.given_up(),
        })?;
        Ok(Meant { edit: found.edit, level: Some(found.level), line: Some(found.line), places: found.ranges.len() })
    }

    fn insertion(&self, text: &str, at: &InsertAt, new_str: &str) -> Result<Meant, Error> {
        let (place, field) = match at {
            InsertAt::After(anchor) => (InsertPosition::After(anchor), PassageField::AfterStr),
            InsertAt::Before(anchor) => (InsertPosition::Before(anchor), PassageField::BeforeStr),
            // Nothing is looked for there, so no refusal names a passage.
            InsertAt::Start => (InsertPosition::Start, PassageField::BeforeStr),
            InsertAt::End => (InsertPosition::End, PassageField::AfterStr),
        };
        let request = Insert {
            loosest: self.request.loosest,
            line_endings: self.request.line_endings,
            max_result_bytes: self.bounds.on_the_way,
            ..Insert::new(place, new_str)
        };
        let found = insert(text, &request).map_err(|error| match error {
            InsertError::EmptyAnchor => Error::field(field.name(), "must not be empty"),
            InsertError::EmptyNewStr => Error::field("new_str", "must not be empty"),
            InsertError::NoMatch(none) => Error::NoMatch { field, none },
            InsertError::MultipleMatches(many) => Error::MultipleMatches { field, many },
            InsertError::ResultTooLarge { .. } => self.given_up(),
        })?;
        Ok(Meant { edit: found.edit, level: found.level, line: Some(found.line), places: 1 })
    }

    /// A result that was not made, because no memory should hold it.
    fn given_up(&self) -> Error {
        Error::TooLarge { limit: self.bounds.limit as u64, actual: self.bounds.on_the_way as u64 }
    }

    fn several(&self, text: &str, edits: &[PassageChange]) -> Result<Meant, Error> {
        let mut all = Meant { edit: Edit::default(), level: None, line: None, places: 0 };
        let mut text = text.to_owned();
        for (index, change) in edits.iter().enumerate() {
            let next = self.replacement(&text, change).map_err(|error| at_edit(index, error))?;
            text = next.edit.apply(&text).map_err(of_another_text)?;
            all.edit = all.edit.then(&next.edit).map_err(of_another_text)?;
            all.level = all.level.max(next.level);
            all.line = all.line.or(next.line);
            all.places += next.places;
        }
        Ok(all)
    }
}

/// The refusal of one of several edits.
pub(super) fn at_edit(index: usize, error: Error) -> Error {
    let error = match error {
        Error::ValidationFailed(errors) => {
            let named = |error: FieldError| FieldError::new(format!("edits[{index}].{}", error.field), error.message);
            Error::ValidationFailed(errors.into_iter().map(named).collect())
        }
        error => error,
    };
    Error::AtEdit { index, error: Box::new(error) }
}

fn line_operation(operation: &LinePatch) -> LineOperation<'_> {
    let LinePatch { start_line, end_line, content, expect } = operation;
    LineOperation { start_line: *start_line, end_line: *end_line, content, expect: expect.as_deref() }
}

fn patched(text: &str, operations: &[LinePatch], before: &Snapshot) -> Result<Meant, Error> {
    let operations: Vec<LineOperation<'_>> = operations.iter().map(line_operation).collect();
    let edit = patch_lines(text, &operations).map_err(|error| match error {
        PatchError::NoOperations => Error::InvalidOperations { operations: Vec::new(), total: 0 },
        PatchError::Invalid(mut operations) => {
            let total = operations.len();
            operations.truncate(MAX_TOLD);
            Error::InvalidOperations { operations, total }
        }
        PatchError::Stale(mut operations) => {
            let total = operations.len();
            operations.truncate(MAX_TOLD);
            Error::StaleLines { operations, total, current: Box::new(before.item.clone()) }
        }
    })?;
    let line = operations.iter().map(|operation| operation.start_line).min();
    Ok(Meant { edit, level: None, line, places: operations.len() })
}

/// An edit does not fit the text that it was made of: the engine is broken.
pub(super) fn of_another_text(mismatch: interline_edit::EditMismatch) -> Error {
    Error::Internal(mismatch.to_string())
}
