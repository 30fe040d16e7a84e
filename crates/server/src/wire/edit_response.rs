//! Responses of the editing routes.

use interline_items::{EditMode, EditResult, EditUnit, EditWarning};
use serde::Serialize;
use utoipa::ToSchema;

use super::ItemResponse;
use super::enumerations::{MatchType, WarningCode};

/// What an edit did, and the item afterwards.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Edited)]
pub(crate) struct EditResponse<'a> {
    /// Always true; refusals are errors.
    success: bool,
    /// There, and true, where nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<bool>,
    /// The loosest level at which a passage was found, or `merged`: the change that a refusal had offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<MatchType>, nullable = false)]
    match_type: Option<&'static str>,
    /// The line of the first place; of an insertion, where the first character of the new text is.
    #[schema(value_type = Option<i64>, minimum = 1)]
    line: Option<usize>,
    /// How many places were changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, minimum = 0, nullable = false)]
    replacements: Option<usize>,
    /// How many operations on lines were applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, minimum = 0, nullable = false)]
    operations_applied: Option<usize>,
    /// The change alone, as a unified diff.
    diff: &'a str,
    /// There, and true, where the diff is too long to be whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    diff_truncated: Option<bool>,
    /// What was done as asked, and probably was not meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Option<Vec<EditWarningResponse>>, nullable = false)]
    warnings: Vec<EditWarningResponse<'a>>,
    #[serde(flatten)]
    item: ItemResponse<'a>,
}

/// What an edit did as it was asked to, and probably was not meant to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EditWarning)]
pub(crate) struct EditWarningResponse<'a> {
    #[schema(value_type = WarningCode)]
    code: &'a str,
    /// The line.
    #[schema(value_type = i64, minimum = 1)]
    line: usize,
    message: &'a str,
    /// The lines as they should be, where that is clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text: Option<&'a str>,
}

impl<'a> From<&'a EditWarning> for EditWarningResponse<'a> {
    fn from(warning: &'a EditWarning) -> EditWarningResponse<'a> {
        let EditWarning { code, line, message, text } = warning;
        EditWarningResponse { code, line: *line, message, text: text.as_deref() }
    }
}

impl EditWarningResponse<'_> {
    /// Leaves out the lines of the content.
    pub(crate) fn drop_text(&mut self) {
        self.text = None;
    }
}

impl<'a> EditResponse<'a> {
    pub(crate) fn new(edited: &'a EditResult, mode: EditMode, item: ItemResponse<'a>) -> EditResponse<'a> {
        let (replacements, operations_applied) = edit_counts(edited);
        EditResponse {
            success: true,
            dry_run: dry_run_flag(mode),
            match_type: edited.match_type.map(interline_items::MatchType::name),
            line: edited.line,
            replacements,
            operations_applied,
            diff: &edited.diff.text,
            diff_truncated: edited.diff.truncated.then_some(true),
            warnings: edited.warnings.iter().map(EditWarningResponse::from).collect(),
            item,
        }
    }

    /// The response of an edit that was made before, for a repeated request.
    pub(crate) fn without_diff(edited: &'a EditResult, item: ItemResponse<'a>) -> EditResponse<'a> {
        let mut response = EditResponse::new(edited, EditMode::Write, item);
        // Nothing of the content outlives the item.
        response.warnings.iter_mut().for_each(EditWarningResponse::drop_text);
        EditResponse { diff: "", diff_truncated: Some(true), ..response }
    }

    /// The length of its text, in bytes, about.
    pub(crate) fn bytes(&self) -> usize {
        self.diff.len() + self.item.content.map_or(0, str::len)
    }
}

/// The number of replaced places and of applied operations; an edit has one of them.
pub(crate) fn edit_counts(edited: &EditResult) -> (Option<usize>, Option<usize>) {
    match edited.unit {
        EditUnit::Places => (Some(edited.count), None),
        EditUnit::Operations => (None, Some(edited.count)),
    }
}

/// The field `dry_run` of answers: there, and true, where nothing was written.
pub(crate) fn dry_run_flag(mode: EditMode) -> Option<bool> {
    match mode {
        EditMode::Write => None,
        EditMode::DryRun => Some(true),
    }
}
