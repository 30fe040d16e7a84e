//! Resolving an edit request against a content: the splices that it stands for, or the reason why there are none.

use std::cell::Cell;

use interline_edit::{
    Edit, Insert, InsertError, InsertPosition, Level, LineOperation, NoMatch, PatchError, Replace, ReplaceError,
    ReplaceWarning, Replacement, insert, patch_lines, replace,
};

use crate::fields::FieldError;
use crate::{ContentRule, Error, NeedsText, PassageField, Snapshot};

use super::match_type::{EditWarning, MatchType};
use super::merge_offer::{MergeOffer, OfferedChange};
use super::request::{EditRequest, InsertAt, LinePatch, PassageChange, TextChange};

/// How many warnings an edit has.
const MAX_WARNINGS: usize = 20;

/// How many operations an error lists, so that it stays short.
const MAX_LISTED: usize = 200;

/// The edit that a request stands for in a text.
#[derive(Default)]
pub(super) struct ResolvedEdit {
    /// The change.
    pub(super) edit: Edit,
    /// How passages were found, the loosest of all.
    pub(super) match_type: Option<MatchType>,
    /// 1-based line of the first place.
    pub(super) line: Option<usize>,
    /// How many places change.
    pub(super) places: usize,
    /// What it does as asked, and probably is not meant to do.
    pub(super) warnings: Vec<EditWarning>,
}

/// Resolves the passages of a request, which share its matching options.
struct PassageResolver<'r> {
    request: &'r EditRequest,
    before: &'r Snapshot,
    bounds: SizeBounds,
    /// The id of the change that the request asks for, until that is made.
    asked_for: Cell<Option<&'r str>>,
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
        return Ok(ResolvedEdit::default());
    };
    let asked_for = Cell::new(request.merged.as_deref());
    let resolver = PassageResolver { request, before, bounds, asked_for };
    let text = |needs| before.content.as_deref().ok_or(Error::ContentEmpty(needs));
    let resolved = match change {
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
    }?;
    match resolver.asked_for.get() {
        // What was offered is not offered any more: the passage is there now, or the request is another one.
        Some(_) => Err(resolver.stale_offer()),
        None => Ok(resolved),
    }
}

impl PassageResolver<'_> {
    fn replacement(&self, text: &str, change: &PassageChange) -> Result<ResolvedEdit, Error> {
        let PassageChange { old_str, new_str, expected_matches } = change;
        let change =
            self.with_options(&Replace { expected_matches: *expected_matches, ..Replace::new(old_str, new_str) });
        match replace(text, &change) {
            Ok(replaced) => match self.lost_indentation(&replaced) {
                Some(warning) => self.refuse_lost_indentation(text, &change, &warning),
                None => Ok(resolved(replaced)),
            },
            Err(ReplaceError::NoMatch(none)) => self.recover(text, &change, none),
            Err(ReplaceError::MultipleMatches(_)) if self.asked_for.get().is_some() => Err(self.stale_offer()),
            Err(error) => Err(self.refused(error, PassageField::OLD_STR)),
        }
    }

    fn passage(&self, text: &str, change: &Replace<'_>, field: PassageField) -> Result<ResolvedEdit, Error> {
        replace(text, &self.with_options(change)).map(resolved).map_err(|error| self.refused(error, field))
    }

    /// A replacement with the options of the request.
    fn with_options<'c>(&self, change: &Replace<'c>) -> Replace<'c> {
        Replace {
            loosest: self.request.loosest,
            line_endings: self.request.line_endings,
            max_result_bytes: self.bounds.intermediate,
            ..*change
        }
    }

    fn refused(&self, error: ReplaceError, field: PassageField) -> Error {
        match error {
            ReplaceError::EmptyOldStr => Error::field(field.name, "must not be empty"),
            ReplaceError::ZeroExpectedMatches => Error::field("expected_matches", "must be at least 1"),
            ReplaceError::NoMatch(none) => Error::NoMatch { field, none, merged: None },
            ReplaceError::MultipleMatches(many) => Error::MultipleMatches { field, many },
            ReplaceError::ResultTooLarge { .. } => self.too_large(),
        }
    }

    /// Makes the change that is offered in place of a passage that was not found, if it is asked for.
    fn recover(&self, text: &str, change: &Replace<'_>, none: Box<NoMatch>) -> Result<ResolvedEdit, Error> {
        let offered = none.merged.as_ref().map(|merged| OfferedChange {
            edit: merged.edit.clone(),
            line: merged.first_line,
            end_line: merged.last_line,
        });
        match self.offer(text, change, offered)? {
            Offer::Taken(resolved) => Ok(resolved),
            Offer::Made(merged) => Err(Error::NoMatch { field: PassageField::OLD_STR, none, merged }),
        }
    }

    /// The warning that lines of code lost their indentation. Where the caller asked for an exact match they are written as
    /// given, as they are in other texts.
    fn lost_indentation(&self, replaced: &Replacement) -> Option<ReplaceWarning> {
        let is_code = matches!(self.before.item.kind.rules().content, ContentRule::Code(_));
        let is_lost = |warning: &&ReplaceWarning| matches!(warning, ReplaceWarning::LostIndentation { .. });
        let lost = replaced.warnings.iter().find(is_lost).filter(|_| is_code && self.request.loosest > Level::Exact);
        lost.cloned()
    }

    /// Makes the change with the indentation that its lines lack, if it is asked for.
    fn refuse_lost_indentation(
        &self,
        text: &str,
        change: &Replace<'_>,
        warning: &ReplaceWarning,
    ) -> Result<ResolvedEdit, Error> {
        let reindented = warning.reindented(change.new_str).filter(|_| change.expected_matches == 1);
        let replaced = reindented.and_then(|new_str| replace(text, &Replace { new_str: &new_str, ..*change }).ok());
        let offered = replaced.map(|replaced| OfferedChange {
            edit: replaced.edit,
            line: replaced.line,
            end_line: replaced.line,
        });
        match self.offer(text, change, offered)? {
            Offer::Taken(resolved) => Ok(resolved),
            Offer::Made(merged) => Err(Error::LostIndentation { line: EditWarning::new(warning).line, merged }),
        }
    }

    /// Makes an offer, or the offered change where the request asks for it.
    fn offer(&self, text: &str, change: &Replace<'_>, offered: Option<OfferedChange>) -> Result<Offer, Error> {
        let offer = offered.as_ref().map(|offered| offered.to_offer(self.before, text, change.old_str, change.new_str));
        let offer: Option<MergeOffer> = offer.transpose()?.filter(MergeOffer::can_be_seen);
        match (self.asked_for.get(), offered, offer) {
            // A request has one id: a second change that it would need one for is not offered.
            (None, ..) if self.request.merged.is_some() => Ok(Offer::Made(None)),
            (None, _, offer) => Ok(Offer::Made(offer.map(Box::new))),
            (Some(id), Some(offered), Some(offer)) if id == offer.id => {
                self.asked_for.set(None);
                Ok(Offer::Taken(ResolvedEdit {
                    edit: offered.edit,
                    match_type: Some(MatchType::Merged),
                    line: Some(offered.line),
                    places: 1,
                    warnings: Vec::new(),
                }))
            }
            (Some(_), ..) => Err(self.stale_offer()),
        }
    }

    fn stale_offer(&self) -> Error {
        Error::StaleOffer { current: Box::new(self.before.item.clone()) }
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
            InsertError::NoMatch(none) => Error::NoMatch { field, none, merged: None },
            InsertError::MultipleMatches(many) => Error::MultipleMatches { field, many },
            InsertError::ResultTooLarge { .. } => self.too_large(),
        })?;
        Ok(ResolvedEdit {
            edit: inserted.edit,
            match_type: inserted.level.map(MatchType::At),
            line: Some(inserted.line),
            places: 1,
            warnings: Vec::new(),
        })
    }

    /// The error for an intermediate text that was not built, because it would take too much memory.
    fn too_large(&self) -> Error {
        Error::TooLarge { limit: self.bounds.limit as u64, actual: self.bounds.intermediate as u64 }
    }

    fn several(&self, text: &str, edits: &[PassageChange]) -> Result<ResolvedEdit, Error> {
        let mut all = ResolvedEdit::default();
        let mut text = text.to_owned();
        for (index, change) in edits.iter().enumerate() {
            let next = self.replacement(&text, change).map_err(|error| at_edit(index, edits.len(), error))?;
            text = next.edit.apply(&text).map_err(engine_mismatch)?;
            all.edit = all.edit.then(&next.edit).map_err(engine_mismatch)?;
            all.match_type = all.match_type.max(next.match_type);
            all.line = all.line.or(next.line);
            all.places += next.places;
            all.warnings.extend(next.warnings);
            all.warnings.truncate(MAX_WARNINGS);
        }
        Ok(all)
    }
}

/// What became of an offer.
enum Offer {
    /// It was asked for: the change is made.
    Taken(ResolvedEdit),
    /// The refusal has it, if there is one.
    Made(Option<Box<MergeOffer>>),
}

fn resolved(replaced: Replacement) -> ResolvedEdit {
    ResolvedEdit {
        edit: replaced.edit,
        match_type: Some(MatchType::At(replaced.level)),
        line: Some(replaced.line),
        places: replaced.ranges.len(),
        warnings: replaced.warnings.iter().take(MAX_WARNINGS).map(EditWarning::new).collect(),
    }
}

/// The error of one of several edits: it names the edit by its index.
pub(super) fn at_edit(index: usize, total: usize, error: Error) -> Error {
    let error = match error {
        Error::ValidationFailed(errors) => {
            let named = |error: FieldError| FieldError::new(format!("edits[{index}].{}", error.field), error.message);
            Error::ValidationFailed(errors.into_iter().map(named).collect())
        }
        error => error,
    };
    Error::AtEdit { index, total, error: Box::new(error) }
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
    Ok(ResolvedEdit { edit, line, places: operations.len(), ..ResolvedEdit::default() })
}

/// The error of an edit that does not fit the text that it was made for: the edit engine is broken.
pub(super) fn engine_mismatch(mismatch: interline_edit::EditMismatch) -> Error {
    Error::Internal(mismatch.to_string())
}
