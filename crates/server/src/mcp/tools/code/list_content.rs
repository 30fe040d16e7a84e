//! Tool `list_content`: lists files of code by path.

use interline_items::{CodeFiles, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::{EntityType, FileResult, code_scope};
use crate::mcp::protocol::arguments::OrganizationIdArg;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "list_content",
        title: "List files",
        description: "The paths and sizes of files, e.g. entity_type app_file, app_id and path_prefix \"pages/\".",
        effect: Effect::Reads,
    };
    Tool::new(info, list_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListContentArgs {
    entity_type: EntityType,
    app_id: Option<String>,
    organization_id: Option<OrganizationIdArg>,
    path_prefix: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ListContentResult {
    files: Vec<FileResult>,
    count: u64,
    /// There are more than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

async fn list_content(call: CallContext, args: ListContentArgs) -> Result<ListContentResult, Error> {
    let ListContentArgs { entity_type, app_id, organization_id, path_prefix } = args;
    let query = CodeFiles { scope: code_scope(entity_type, app_id.as_deref(), organization_id), path_prefix };
    let page = call.interline.list_files(&call.caller, &query).await?;
    let files: Vec<FileResult> = page.files.iter().map(|item| FileResult::from_item(&call, item)).collect();
    let truncated = ((files.len() as u64) < page.total).then_some(true);
    Ok(ListContentResult { files, count: page.total, truncated })
}
