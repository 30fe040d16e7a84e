//! `patch_content`

use interline_items::{EditRequest, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::file::{EntityType, FileName, GivenFile};
use crate::mcp::arguments::{Number, OrganizationArgument, invalid};
use crate::mcp::passages::{GivenPassages, OneEdit};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::mcp::written::{EditTold, expected, mode};
use crate::wire::Object;
use crate::wire::code::with_code_field_names;

pub(in super::super) fn tool() -> Tool {
    let about = About {
        name: "patch_content",
        title: "Change a passage of a file",
        description: "Replace old_string by new_string in a file; the default way to change code. old_string must occur \
            exactly once: add a neighbouring line if it does not (match_locations shows the places), or set \
            expected_matches to change all. Insert: repeat the anchor in new_string. Delete: new_string \"\". Several \
            passages: edits, in order, all or none; only the result must be valid.",
        effect: Effect::Changes,
    };
    Tool::new(about, patch_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    entity_type: EntityType,
    path: String,
    app_id: Option<String>,
    organization_id: Option<OrganizationArgument>,
    #[serde(alias = "old_str")]
    old_string: Option<String>,
    #[serde(alias = "new_str")]
    new_string: Option<String>,
    expected_matches: Option<Number>,
    /// Instead of old_string and new_string
    #[schemars(with = "Option<Vec<OneStringEdit>>")]
    edits: Option<Vec<Object<OneEdit>>>,
    expected_version: Option<Number>,
    /// Only show what would change
    dry_run: Option<bool>,
}

// One of several edits in the words of this server; both are taken by both. (A doc comment would be told to models.)
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "it describes `OneEdit` to models")]
struct OneStringEdit {
    old_string: String,
    new_string: String,
    expected_matches: Option<Number>,
}

#[derive(Serialize, JsonSchema)]
struct PatchTold {
    success: bool,
    #[serde(flatten)]
    file: FileName,
    #[serde(flatten)]
    edit: EditTold,
    lines_changed: usize,
}

async fn patch_content(call: Call, arguments: Arguments) -> Result<PatchTold, Error> {
    let Arguments { entity_type, path, app_id, organization_id, old_string, new_string, .. } = arguments;
    let Arguments { expected_matches, edits, expected_version, dry_run, .. } = arguments;
    let passages = GivenPassages { old_str: old_string, new_str: new_string, expected_matches, edits };
    let change = passages.change().map_err(with_code_field_names)?;
    let change = change.ok_or_else(|| invalid("old_string", "is required, or `edits`"))?;
    let mode = mode(dry_run);
    let request = EditRequest { expected: expected(expected_version), mode, ..EditRequest::new(change) };
    let file = GivenFile { entity_type, path, app_id, organization_id }.reference();
    let edited = call.interline.patch_file(&call.caller, &file, request).await.map_err(with_code_field_names)?;
    Ok(PatchTold {
        success: true,
        file: FileName::of(&call, &edited.after.item),
        edit: EditTold::of(&edited, mode)?,
        lines_changed: edited.lines_changed,
    })
}
