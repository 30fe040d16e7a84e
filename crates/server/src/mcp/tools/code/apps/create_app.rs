//! Tool `create_app`: creates an app with a small scaffold.

use interline_items::{AppDraft, Error};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::app::{AppDetailsResult, navigation_text};
use crate::mcp::protocol::arguments::OrganizationIdArg;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::wire::Object;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "create_app",
        title: "Create an app",
        description: "Make an app with a small scaffold (_layout.tsx, pages/index.tsx). The slug is made from the name \
            unless given.",
        effect: Effect::Adds,
    };
    Tool::new(info, create_app)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateAppArgs {
    name: String,
    slug: Option<String>,
    description: Option<String>,
    organization_id: Option<OrganizationIdArg>,
    #[schemars(with = "Option<Map<String, Value>>")]
    navigation: Option<Object<Map<String, Value>>>,
}

async fn create_app(call: CallContext, args: CreateAppArgs) -> Result<AppDetailsResult, Error> {
    let CreateAppArgs { name, slug, description, organization_id, navigation } = args;
    let organization = organization_id.map(|id| id.0);
    let draft = AppDraft { name, slug, description, organization, navigation: navigation.map(navigation_text) };
    AppDetailsResult::from_app(&call.interline.create_app(&call.caller, draft).await?)
}
