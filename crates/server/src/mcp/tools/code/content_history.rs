//! Tool `content_history`: lists the versions of a file of code, or shows the diff of one.

use interline_items::Error;
use schemars::JsonSchema;
use serde::Deserialize;

use super::file::{EntityType, FileArgs};
use crate::mcp::protocol::arguments::{BoundedInt, NonNegativeInt, OrganizationIdArg, PositiveInt};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::history::{HistoryArgs, HistoryResult};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "content_history",
        title: "History of a file",
        description: "Versions of a file, newest first, also of a deleted one: what changed, when, by whom. With \
            version: the diff that led to it from the version before, or from against. restore_content goes back.",
        effect: Effect::Reads,
    };
    Tool::new(info, content_history)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ContentHistoryArgs {
    entity_type: EntityType,
    path: String,
    app_id: Option<String>,
    organization_id: Option<OrganizationIdArg>,
    version: Option<PositiveInt>,
    against: Option<NonNegativeInt>,
    /// Default 20
    limit: Option<BoundedInt<1, 100>>,
}

async fn content_history(call: CallContext, args: ContentHistoryArgs) -> Result<HistoryResult, Error> {
    let ContentHistoryArgs { entity_type, path, app_id, organization_id, version, against, limit } = args;
    let file = FileArgs { entity_type, path, app_id, organization_id }.into_file_ref();
    let item_ref = call.interline.file_or_deleted(&call.caller, &file).await?;
    HistoryResult::read(&call, &item_ref, HistoryArgs { version, against, limit }).await
}
