//! Tool `list_apps`: lists the apps that exist for the caller.

use interline_items::Error;
use schemars::JsonSchema;
use serde::Serialize;

use super::app::AppResult;
use crate::mcp::protocol::arguments::NoArgs;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "list_apps",
        title: "List apps",
        description: "The apps with their ids and slugs.",
        effect: Effect::Reads,
    };
    Tool::new(info, list_apps)
}

#[derive(Serialize, JsonSchema)]
struct ListAppsResult {
    apps: Vec<AppResult>,
}

async fn list_apps(call: CallContext, _: NoArgs) -> Result<ListAppsResult, Error> {
    let apps = call.interline.apps(&call.caller).await?;
    Ok(ListAppsResult { apps: apps.iter().map(AppResult::from).collect() })
}
