//! `list_organizations`

use interline_items::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "list_organizations",
        title: "List organizations",
        description: "The organizations you can name by organization_id: your own, or all for admins.",
        effect: Effect::Reads,
    };
    Tool::new(about, list_organizations)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

#[derive(Serialize, JsonSchema)]
struct OrganizationsTold {
    organizations: Vec<OrganizationTold>,
}

#[derive(Serialize, JsonSchema)]
struct OrganizationTold {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
}

async fn list_organizations(call: Call, _: Arguments) -> Result<OrganizationsTold, Error> {
    let organizations = call.interline.organizations(&call.caller).await?.into_iter();
    let told = organizations.map(|one| OrganizationTold { id: one.id.to_string(), name: one.name, domain: one.domain });
    Ok(OrganizationsTold { organizations: told.collect() })
}
