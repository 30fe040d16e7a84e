//! The result of tools that edit a content: the changed lines, never the whole content.

use interline_items::{ChangedPassage, EditMode, EditResult, EditWarning, Error, ExpectedVersion, MatchType};
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::protocol::arguments::{Flag, PositiveInt};
use crate::wire::{self, dry_run_flag, edit_counts};

/// What an edit did; each tool adds the length of the text afterwards.
#[derive(Serialize, JsonSchema)]
pub(super) struct EditToolResult {
    #[serde(rename = "type")]
    kind: &'static str,
    id: String,
    version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    match_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacements: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operations_applied: Option<usize>,
    changes: Vec<ChangedLinesResult>,
    /// There are more changes than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    warnings: Vec<EditWarningResult>,
}

// What was done as asked, and probably was not meant. (A doc comment would be sent to models.)
#[derive(Serialize, JsonSchema)]
struct EditWarningResult {
    code: &'static str,
    line: usize,
    message: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ChangedLinesResult {
    start_line: usize,
    end_line: usize,
    text: String,
}

impl EditToolResult {
    pub(super) fn from_edit(edited: &EditResult, mode: EditMode) -> Result<EditToolResult, Error> {
        let item = &edited.after.item;
        let changes = edited.changes()?;
        let (replacements, operations_applied) = edit_counts(edited);
        Ok(EditToolResult {
            kind: item.kind.name(),
            id: item.id.to_string(),
            version: item.stamp.version,
            dry_run: dry_run_flag(mode),
            match_type: edited.match_type.map(MatchType::name),
            line: edited.line,
            replacements,
            operations_applied,
            changes: changes.passages.into_iter().map(ChangedLinesResult::from).collect(),
            truncated: changes.truncated.then_some(true),
            warnings: edited.warnings.iter().map(EditWarningResult::from).collect(),
        })
    }
}

impl From<&EditWarning> for EditWarningResult {
    fn from(warning: &EditWarning) -> EditWarningResult {
        let EditWarning { code, line, message, text } = warning;
        EditWarningResult { code, line: *line, message, text: text.clone() }
    }
}

impl From<ChangedPassage> for ChangedLinesResult {
    fn from(passage: ChangedPassage) -> ChangedLinesResult {
        let ChangedPassage { start_line, end_line, text } = passage;
        ChangedLinesResult { start_line, end_line, text }
    }
}

/// The version that an item must be at for a change, from the argument `expected_version`.
pub(super) fn require_version(version: Option<PositiveInt>) -> ExpectedVersion {
    wire::require_version(version.map(|version| version.0))
}

/// Whether an edit is written, from the argument `dry_run`.
pub(super) fn edit_mode(dry_run: Option<Flag>) -> EditMode {
    if dry_run == Some(Flag(true)) { EditMode::DryRun } else { EditMode::Write }
}
