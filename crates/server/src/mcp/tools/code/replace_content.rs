//! Tool `replace_content`: writes a whole file of code.

use interline_items::{Error, OnStale, ReplaceFile, ReplacedFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::{EntityType, FileArgs, FileIdentity};
use crate::mcp::protocol::arguments::{OnStaleArg, OrganizationIdArg, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::edit_result::require_version;
use crate::wire::MergedFromResponse;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "replace_content",
        title: "Write a whole file",
        description: "Write a whole file: a new one, one that patch_content cannot change, or a tiny one. \
            expected_version is the version you read, so that nobody's change is lost; on_stale \"merge\" \
            keeps what others changed since.",
        effect: Effect::ChangesIdempotently,
    };
    Tool::new(info, replace_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReplaceContentArgs {
    entity_type: EntityType,
    path: String,
    content: String,
    app_id: Option<String>,
    organization_id: Option<OrganizationIdArg>,
    expected_version: Option<PositiveInt>,
    on_stale: Option<OnStaleArg>,
}

#[derive(Serialize, JsonSchema)]
struct ReplaceContentResult {
    success: bool,
    #[serde(flatten)]
    file: FileIdentity,
    created: bool,
    id: String,
    version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged_from: Option<MergedFromResponse>,
}

async fn replace_content(call: CallContext, args: ReplaceContentArgs) -> Result<ReplaceContentResult, Error> {
    let ReplaceContentArgs { entity_type, path, content, app_id, organization_id, expected_version, on_stale } = args;
    let file = FileArgs { entity_type, path, app_id, organization_id }.into_file_ref();
    let expected = require_version(expected_version);
    let request = ReplaceFile { file, content, expected, on_stale: on_stale.map(OnStale::from) };
    let replaced = call.interline.replace_file(&call.caller, request).await?;
    let item = &replaced.file().item;
    let merged_from = match &replaced {
        ReplacedFile::Created(_) => None,
        ReplacedFile::Updated(updated) => updated.merged_from.map(MergedFromResponse::from),
    };
    Ok(ReplaceContentResult {
        success: true,
        file: FileIdentity::from_item(&call, item),
        created: matches!(replaced, ReplacedFile::Created(_)),
        id: item.id.to_string(),
        version: item.stamp.version,
        merged_from,
    })
}
