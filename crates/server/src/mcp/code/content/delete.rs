//! `delete_content`

use interline_items::{Error, ExpectedVersion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::file::{EntityType, FileName, GivenFile};
use crate::mcp::arguments::OrganizationArgument;
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(in super::super) fn tool() -> Tool {
    let about = About {
        name: "delete_content",
        title: "Delete a file",
        description: "Put a file into the trash, from where people can restore it.",
        effect: Effect::Settles,
    };
    Tool::new(about, delete_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    entity_type: EntityType,
    path: String,
    app_id: Option<String>,
    organization_id: Option<OrganizationArgument>,
}

#[derive(Serialize, JsonSchema)]
struct DeletedTold {
    success: bool,
    #[serde(flatten)]
    file: FileName,
    id: String,
}

async fn delete_content(call: Call, arguments: Arguments) -> Result<DeletedTold, Error> {
    let Arguments { entity_type, path, app_id, organization_id } = arguments;
    let file = GivenFile { entity_type, path, app_id, organization_id }.reference();
    let item = call.interline.delete_file(&call.caller, &file, ExpectedVersion::Any).await?;
    Ok(DeletedTold { success: true, file: FileName::of(&call, &item), id: item.id.to_string() })
}
