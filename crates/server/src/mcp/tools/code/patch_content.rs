//! Tool `patch_content`: replaces passages of a file of code.

use interline_items::{EditRequest, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::{EntityType, FileArgs, FileIdentity};
use crate::mcp::protocol::arguments::{Flag, OrganizationIdArg, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::edit_args::{PassageArgs, PassageEditArgs};
use crate::mcp::tools::edit_result::{EditToolResult, edit_mode, require_version};
use crate::wire::code::with_code_field_names;
use crate::wire::{Object, invalid_field};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "patch_content",
        title: "Change a passage of a file",
        description: "Replace old_string by new_string in a file; the default way to change code. old_string must occur \
            exactly once: add a neighbouring line if it does not (match_locations shows the places), or set \
            expected_matches to change all. Insert: repeat the anchor in new_string. Delete: new_string \"\". Several \
            passages: edits, in order, all or none; only the result must be valid.",
        effect: Effect::Changes,
    };
    Tool::new(info, patch_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PatchContentArgs {
    entity_type: EntityType,
    path: String,
    app_id: Option<String>,
    organization_id: Option<OrganizationIdArg>,
    #[serde(alias = "old_str")]
    old_string: Option<String>,
    #[serde(alias = "new_str")]
    new_string: Option<String>,
    expected_matches: Option<PositiveInt>,
    /// Instead of old_string and new_string
    #[schemars(with = "Option<Vec<CodePassageEditSchema>>")]
    edits: Option<Vec<Object<PassageEditArgs>>>,
    expected_version: Option<PositiveInt>,
    /// Only show what would change
    dry_run: Option<Flag>,
    /// Id that a refusal offered
    merged: Option<String>,
}

// The schema of one of several edits, with the names that this server uses; every server accepts both spellings. (A doc
// comment would be sent to models.)
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "it describes `PassageEditArgs` to models")]
struct CodePassageEditSchema {
    old_string: String,
    new_string: String,
    expected_matches: Option<PositiveInt>,
}

#[derive(Serialize, JsonSchema)]
struct PatchContentResult {
    success: bool,
    #[serde(flatten)]
    file: FileIdentity,
    #[serde(flatten)]
    edit: EditToolResult,
    lines_changed: usize,
}

async fn patch_content(call: CallContext, args: PatchContentArgs) -> Result<PatchContentResult, Error> {
    let PatchContentArgs { entity_type, path, app_id, organization_id, old_string, new_string, .. } = args;
    let PatchContentArgs { expected_matches, edits, expected_version, dry_run, merged, .. } = args;
    let passages = PassageArgs { old_str: old_string, new_str: new_string, expected_matches, edits };
    let change = passages.into_change().map_err(with_code_field_names)?;
    let change = change.ok_or_else(|| invalid_field("old_string", "is required, or `edits`"))?;
    let mode = edit_mode(dry_run);
    let request = EditRequest { expected: require_version(expected_version), mode, merged, ..EditRequest::new(change) };
    let file = FileArgs { entity_type, path, app_id, organization_id }.into_file_ref();
    let edited = call.interline.patch_file(&call.caller, &file, request).await.map_err(with_code_field_names)?;
    Ok(PatchContentResult {
        success: true,
        file: FileIdentity::from_item(&call, &edited.after.item),
        edit: EditToolResult::from_edit(&edited, mode)?,
        lines_changed: edited.lines_changed,
    })
}
