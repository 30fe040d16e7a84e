//! Tool `edit_content`: replaces passages of a note's or bookmark's content.

use interline_items::{EditRequest, Error};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::{ContentEditResult, resolve_item};
use crate::mcp::protocol::arguments::{ContentKind, Flag, ItemIdArg, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::edit_args::{PassageArgs, PassageEditArgs};
use crate::mcp::tools::edit_result::{edit_mode, require_version};
use crate::wire::{Object, invalid_field};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "edit_content",
        title: "Edit a passage",
        description: "Replace old_str by new_str in the content; the default way to edit. old_str must occur exactly \
            once: add a neighbouring line if it does not, or set expected_matches to change all places. Insert: repeat \
            the anchor in new_str, e.g. old_str \"## B\", new_str \"new\\n\\n## B\". Delete: new_str \"\". Several \
            passages: edits, in order, all or none.",
        effect: Effect::Changes,
    };
    Tool::new(info, edit_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditContentArgs {
    id: ItemIdArg,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    #[serde(alias = "old_string")]
    old_str: Option<String>,
    #[serde(alias = "new_string")]
    new_str: Option<String>,
    expected_matches: Option<PositiveInt>,
    /// Instead of old_str and new_str
    #[schemars(with = "Option<Vec<PassageEditArgs>>")]
    edits: Option<Vec<Object<PassageEditArgs>>>,
    expected_version: Option<PositiveInt>,
    /// Only show what would change
    dry_run: Option<Flag>,
    /// Id that a refusal offered
    merged: Option<String>,
}

async fn edit_content(call: CallContext, args: EditContentArgs) -> Result<ContentEditResult, Error> {
    let EditContentArgs { id, kind, old_str, new_str, expected_matches, edits, .. } = args;
    let EditContentArgs { expected_version, dry_run, merged, .. } = args;
    let change = PassageArgs { old_str, new_str, expected_matches, edits }.into_change()?;
    let change = change.ok_or_else(|| invalid_field("old_str", "is required, or `edits`"))?;
    let mode = edit_mode(dry_run);
    let (item_ref, _) = resolve_item(&call, id, kind).await?;
    let request = EditRequest { expected: require_version(expected_version), mode, merged, ..EditRequest::new(change) };
    ContentEditResult::from_edit(&call.interline.edit(&call.caller, &item_ref, request).await?, mode)
}
