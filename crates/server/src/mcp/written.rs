//! What a tool tells of a change of content: the changed lines, never the whole.

use interline_items::{
    ChangedPassage, EditMode, EditResult, EditUnit, Error, Expectation, ExpectedVersion, Item, Level,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::arguments::Number;

/// What an edit did; each tool adds the length that it made.
#[derive(Serialize, JsonSchema)]
pub(super) struct EditTold {
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
    changes: Vec<ChangeTold>,
    /// There are more changes than are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct ChangeTold {
    start_line: usize,
    end_line: usize,
    text: String,
}

impl EditTold {
    pub(super) fn of(edited: &EditResult, mode: EditMode) -> Result<EditTold, Error> {
        let item = &edited.after.item;
        let changes = edited.changes()?;
        let (replacements, operations_applied) = match edited.unit {
            EditUnit::Places => (Some(edited.count), None),
            EditUnit::Operations => (None, Some(edited.count)),
        };
        Ok(EditTold {
            kind: item.kind.name(),
            id: item.id.to_string(),
            version: item.stamp.version,
            dry_run: match mode {
                EditMode::Write => None,
                EditMode::DryRun => Some(true),
            },
            match_type: edited.match_type.map(Level::name),
            line: edited.line,
            replacements,
            operations_applied,
            changes: changes.passages.into_iter().map(ChangeTold::of).collect(),
            truncated: changes.truncated.then_some(true),
        })
    }
}

impl ChangeTold {
    fn of(passage: ChangedPassage) -> ChangeTold {
        let ChangedPassage { start_line, end_line, text } = passage;
        ChangeTold { start_line, end_line, text }
    }
}

/// How many characters the content of an item has.
pub(super) fn length(item: &Item) -> Option<u64> {
    item.content.as_ref().map(|content| content.characters)
}

/// The version that a change is meant for.
pub(super) fn expected(version: Option<Number>) -> ExpectedVersion {
    version.map_or(ExpectedVersion::Any, |version| ExpectedVersion::Exactly(version.0, Expectation::ExpectedVersion))
}

/// Whether an edit is written.
pub(super) fn mode(dry_run: Option<bool>) -> EditMode {
    if dry_run == Some(true) { EditMode::DryRun } else { EditMode::Write }
}
