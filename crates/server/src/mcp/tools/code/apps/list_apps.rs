//! Tool `list_apps`: lists the apps that exist for the caller.

use interline_items::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::AppResult;
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

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListAppsArgs {
    /// Default active
    view: Option<AppViewArg>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum AppViewArg {
    Active,
    Deleted,
}

#[derive(Serialize, JsonSchema)]
struct ListAppsResult {
    apps: Vec<AppResult>,
}

async fn list_apps(call: CallContext, args: ListAppsArgs) -> Result<ListAppsResult, Error> {
    let apps = match args.view.unwrap_or(AppViewArg::Active) {
        AppViewArg::Active => call.interline.apps(&call.caller).await?,
        AppViewArg::Deleted => call.interline.deleted_apps(&call.caller).await?,
    };
    Ok(ListAppsResult { apps: apps.iter().map(AppResult::from).collect() })
}
