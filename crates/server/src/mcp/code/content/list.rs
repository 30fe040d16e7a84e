//! `list_content`

use interline_items::{CodeFiles, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::file::{EntityType, FileTold, scope};
use crate::mcp::arguments::OrganizationArgument;
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(in super::super) fn tool() -> Tool {
    let about = About {
        name: "list_content",
        title: "List files",
        description: "The paths and sizes of files, e.g. entity_type app_file, app_id and path_prefix \"pages/\".",
        effect: Effect::Reads,
    };
    Tool::new(about, list_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    entity_type: EntityType,
    app_id: Option<String>,
    organization_id: Option<OrganizationArgument>,
    path_prefix: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct FilesTold {
    files: Vec<FileTold>,
    count: u64,
    /// There are more than are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

async fn list_content(call: Call, arguments: Arguments) -> Result<FilesTold, Error> {
    let Arguments { entity_type, app_id, organization_id, path_prefix } = arguments;
    let wanted = CodeFiles { scope: scope(entity_type, app_id.as_deref(), organization_id), path_prefix };
    let page = call.interline.list_files(&call.caller, &wanted).await?;
    let files: Vec<FileTold> = page.files.iter().map(|item| FileTold::of(&call, item)).collect();
    let truncated = ((files.len() as u64) < page.total).then_some(true);
    Ok(FilesTold { files, count: page.total, truncated })
}
