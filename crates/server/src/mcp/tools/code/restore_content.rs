//! Tool `restore_content`: makes an earlier version of a file of code the newest one, or takes a file from the trash.

use interline_items::Error;
use schemars::JsonSchema;
use serde::Deserialize;

use super::file::{EntityType, FileArgs, FileResult};
use crate::mcp::protocol::arguments::{OrganizationIdArg, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "restore_content",
        title: "Bring a file back",
        description: "With version (see content_history): make a file what it was then, as a new version. Without it: \
            bring back the file that was deleted last at path.",
        effect: Effect::ChangesIdempotently,
    };
    Tool::new(info, restore_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RestoreContentArgs {
    entity_type: EntityType,
    path: String,
    app_id: Option<String>,
    organization_id: Option<OrganizationIdArg>,
    version: Option<PositiveInt>,
}

async fn restore_content(call: CallContext, args: RestoreContentArgs) -> Result<FileResult, Error> {
    let RestoreContentArgs { entity_type, path, app_id, organization_id, version } = args;
    let file = FileArgs { entity_type, path, app_id, organization_id }.into_file_ref();
    let item = call.interline.restore_file(&call.caller, &file, version.map(|version| version.0)).await?;
    Ok(FileResult::from_item(&call, &item))
}
