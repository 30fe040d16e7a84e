//! `edit_content`

use interline_items::{EditMode, EditRequest, Error, PassageChange, TextChange};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::which;
use super::written::{EditTold, expected};
use crate::mcp::arguments::{ContentKind, Id, Number, invalid};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::wire::Object;

pub(super) fn tool() -> Tool {
    let about = About {
        name: "edit_content",
        title: "Edit a passage",
        description: "Replace old_str by new_str in the content; the default way to edit. old_str must occur exactly \
            once: add a neighbouring line if it does not, or set expected_matches to change all places. Insert: repeat \
            the anchor in new_str, e.g. old_str \"## B\", new_str \"new\\n\\n## B\". Delete: new_str \"\". Several \
            passages: edits, in order, all or none.",
        effect: Effect::Changes,
    };
    Tool::new(about, edit_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: Id,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    #[serde(alias = "old_string")]
    old_str: Option<String>,
    #[serde(alias = "new_string")]
    new_str: Option<String>,
    expected_matches: Option<Number>,
    /// Instead of old_str and new_str
    #[schemars(with = "Option<Vec<OneEdit>>")]
    edits: Option<Vec<Object<OneEdit>>>,
    expected_version: Option<Number>,
    /// Only show what would change
    dry_run: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OneEdit {
    #[serde(alias = "old_string")]
    old_str: String,
    #[serde(alias = "new_string")]
    new_str: String,
    expected_matches: Option<Number>,
}

async fn edit_content(call: Call, arguments: Arguments) -> Result<EditTold, Error> {
    let Arguments { id, kind, old_str, new_str, expected_matches, edits, expected_version, dry_run } = arguments;
    let change = match (old_str, new_str, edits) {
        (Some(old_str), Some(new_str), None) => {
            TextChange::Replace(PassageChange { old_str, new_str, expected_matches: places(expected_matches) })
        }
        (None, None, Some(edits)) if expected_matches.is_none() => {
            TextChange::Several(edits.into_iter().map(|Object(edit)| edit.into()).collect())
        }
        (None, None, Some(_)) => return Err(invalid("expected_matches", "belongs into each of `edits`")),
        (_, _, Some(_)) => {
            return Err(invalid("edits", "cannot be combined with old_str and new_str; give one of them"));
        }
        (Some(_), None, None) => return Err(invalid("new_str", "is required; \"\" deletes the passage")),
        (None, _, None) => return Err(invalid("old_str", "is required, or `edits`")),
    };
    let mode = if dry_run == Some(true) { EditMode::DryRun } else { EditMode::Write };
    let (which, _) = which(&call, id, kind).await?;
    let request = EditRequest { expected: expected(expected_version), mode, ..EditRequest::new(change) };
    EditTold::of(&call.interline.edit(&call.caller, &which, request).await?, mode)
}

fn places(expected: Option<Number>) -> usize {
    expected.map_or(1, Number::count)
}

impl From<OneEdit> for PassageChange {
    fn from(edit: OneEdit) -> PassageChange {
        let OneEdit { old_str, new_str, expected_matches } = edit;
        PassageChange { old_str, new_str, expected_matches: places(expected_matches) }
    }
}
