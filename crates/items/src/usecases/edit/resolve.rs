//! Resolving an edit request against a content: the splices that it stands for, or the reason why there are none.

use interline_edit::{
    Edit, Insert, InsertError, InsertPosition, Level, LineOperation, PatchError, Replace, ReplaceError, insert,
    patch_lines, replace,
};

use crate::fields::FieldError;
use crate::{Error, NeedsText, PassageField, Snapshot};

use super::request::{EditRequest, InsertAt, LinePatch, PassageChange, TextChange};

/// How many operations an error lists, so that it stays short.
const MAX_LISTED: usize = 200;

/// The edit that a request stands for in a text.
pub(super) struct ResolvedEdit {
    /// The change.
    pub(super) edit: Edit,
    /// The loosest level at which a passage was matched.
    pub(super) level: Option<Level>,
    /// 1-based line of the first place.
    pub(super) line: Option<usize>,
    /// How many places change.
    pub(super) places: usize,
}

/// Resolves the passages of a request, which share its matching options.
struct PassageResolver<'r> {
    request: &'r EditRequest,
    bounds: SizeBounds,
}

/// How many bytes a text may have.
#[derive(Clone, Copy)]
pub(super) struct SizeBounds {
    /// The result.
    pub(super) limit: usize,
    /// An intermediate text: the result of one of several edits need not be a content.
    pub(super) intermediate: usize,
}

/// Resolves a request against the content of an item. Only inserting whole lines works without a content.
pub(super) fn resolve(request: &EditRequest, before: &Snapshot, bounds: SizeBounds) -> Result<ResolvedEdit, Error> {
    let Some(change) = &request.change else {
        return Ok(ResolvedEdit { edit: Edit::default(), level: None, line: None, places: 0 });
    };
    let resolver = PassageResolver { request, bounds };
    let text = |needs| before.content.as_deref().ok_or(Error::ContentEmpty(needs));
    match change {
        TextChange::Replace(change) => resolver.replacement(text(NeedsText::Replace)?, change),
        TextChange::Delete { content_to_delete, expected_matches } => {
            let text = text(NeedsText::Delete)?;
            let change = Replace { expected_matches: *expected_matches, ..Replace::new(content_to_delete, "") };
            resolver.passage(text, &change, PassageField::CONTENT_TO_DELETE)
        }
        TextChange::Insert { at: at @ (InsertAt::Start | InsertAt::End), new_str } => {
            resolver.insertion(before.content.as_deref().unwrap_or_default(), at, new_str)
        }
        TextChange::Insert { at, new_str } => resolver.insertion(text(NeedsText::Insert)?, at, new_str),
        TextChange::Patch(operations) => resolve_patch(text(NeedsText::Patch)?, operations, before),
        TextChange::Several(edits) => resolver.several(text(NeedsText::Replace)?, edits),
    }
}

impl PassageResolver<'_> {
    fn replacement(&self, text: &str, change: &PassageChange) -> Result<ResolvedEdit, Error> {
        let PassageChange { old_str, new_str, expected_matches } = change;
        let request = Replace { expected_matches: *expected_matches, ..Replace::new(old_str, new_str) };
        self.passage(text, &request, PassageField::OLD_STR)
    }

    fn passage(&self, text: &str, change: &Replace<'_>, field: PassageField) -> Result<ResolvedEdit, Error> {
        let change = Replace {
            loosest: self.request.loosest,
            line_endings: self.request.line_endings,
            max_result_bytes: self.bounds.intermediate,
            ..*change
        };
        let replaced = replace(text, &change).map_err(|error| match error {
            ReplaceError::EmptyOldStr => Error::field(field.name, "must not be empty"),
            ReplaceError::ZeroExpectedMatches => Error::field("expected_matches", "must be at least 1"),
            ReplaceError::NoMatch(none) => Error::NoMatch { field, none },
            ReplaceError::MultipleMatches(many) => Error::MultipleMatches { field, many },
            ReplaceError::ResultTooLarge { .. } => self.too_large(),
        })?;
        Ok(ResolvedEdit {
            edit: replaced.edit,
            level: Some(replaced.level),
            line: Some(replaced.line),
            places: replaced.ranges.len(),
        })
    }

    fn insertion(&self, text: &str, at: &InsertAt, new_str: &str) -> Result<ResolvedEdit, Error> {
        let (place, field) = match at {
            InsertAt::After(anchor) => (InsertPosition::After(anchor), PassageField::AFTER_STR),
            InsertAt::Before(anchor) => (InsertPosition::Before(anchor), PassageField::BEFORE_STR),
            // No passage is matched there, so no error names one.
            InsertAt::Start => (InsertPosition::Start, PassageField::BEFORE_STR),
            InsertAt::End => (InsertPosition::End, PassageField::AFTER_STR),
        };
        let request = Insert {
            loosest: self.request.loosest,
            line_endings: self.request.line_endings,
            max_result_bytes: self.bounds.intermediate,
            ..Insert::new(place, new_str)
        };
        let inserted = insert(text, &request).map_err(|error| match error {
            InsertError::EmptyAnchor => Error::field(field.name, "must not be empty"),
            InsertError::EmptyNewStr => Error::field("new_str", "must not be empty"),
            InsertError::NoMatch(none) => Error::NoMatch { field, none },
            InsertError::MultipleMatches(many) => Error::MultipleMatches { field, many },
            InsertError::ResultTooLarge { .. } => self.too_large(),
        })?;
        Ok(ResolvedEdit { edit: inserted.edit, level: inserted.level, line: Some(inserted.line), places: 1 })
    }

    /// The error for an intermediate text that was not built, because it would take too much memory.
    fn too_large(&self) -> Error {
        Error::TooLarge { limit: self.bounds.limit as u64, actual: self.bounds.intermediate as u64 }
    }

    fn several(&self, text: &str, edits: &[PassageChange]) -> Result<ResolvedEdit, Error> {
        let mut all = ResolvedEdit { edit: Edit::default(), level: None, line: None, places: 0 };
        let mut text = text.to_owned();
        for (index, change) in edits.iter().enumerate() {
            let next = self.replacement(&text, change).map_err(|error| at_edit(index, error))?;
            text = next.edit.apply(&text).map_err(engine_mismatch)?;
            all.edit = all.edit.then(&next.edit).map_err(engine_mismatch)?;
            all.level = all.level.max(next.level);
            all.line = all.line.or(next.line);
            all.places += next.places;
        }
        Ok(all)
    }
}

/// The error of one of several edits: it names the edit by its index.
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

fn resolve_patch(text: &str, operations: &[LinePatch], before: &Snapshot) -> Result<ResolvedEdit, Error> {
    let operations: Vec<LineOperation<'_>> = operations.iter().map(line_operation).collect();
    let edit = patch_lines(text, &operations).map_err(|error| match error {
        PatchError::NoOperations => Error::InvalidOperations { operations: Vec::new(), total: 0 },
        PatchError::Invalid(mut operations) => {
            let total = operations.len();
            operations.truncate(MAX_LISTED);
            Error::InvalidOperations { operations, total }
        }
        PatchError::Stale(mut operations) => {
            let total = operations.len();
            operations.truncate(MAX_LISTED);
            Error::StaleLines { operations, total, current: Box::new(before.item.clone()) }
        }
    })?;
    let line = operations.iter().map(|operation| operation.start_line).min();
    Ok(ResolvedEdit { edit, level: None, line, places: operations.len() })
}

/// The error of an edit that does not fit the text that it was made for: the edit engine is broken.
pub(super) fn engine_mismatch(mismatch: interline_edit::EditMismatch) -> Error {
    Error::Internal(mismatch.to_string())
}
