//! Tool `list_organizations`: lists the organizations that the caller can name.

use interline_items::Error;
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::protocol::arguments::NoArgs;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "list_organizations",
        title: "List organizations",
        description: "The organizations you can name by organization_id: your own, or all for admins.",
        effect: Effect::Reads,
    };
    Tool::new(info, list_organizations)
}

#[derive(Serialize, JsonSchema)]
struct ListOrganizationsResult {
    organizations: Vec<OrganizationResult>,
}

#[derive(Serialize, JsonSchema)]
struct OrganizationResult {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
}

async fn list_organizations(call: CallContext, _: NoArgs) -> Result<ListOrganizationsResult, Error> {
    let organizations = call.interline.organizations(&call.caller).await?.into_iter();
    let organizations =
        organizations.map(|one| OrganizationResult { id: one.id.to_string(), name: one.name, domain: one.domain });
    Ok(ListOrganizationsResult { organizations: organizations.collect() })
}
