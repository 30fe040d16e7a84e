//! `get_content`

use interline_items::{Error, ReadContent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::file::{EntityType, FileName, GivenFile};
use crate::mcp::arguments::OrganizationArgument;
use crate::mcp::reading::Shown;
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(in super::super) fn tool() -> Tool {
    let about = About {
        name: "get_content",
        title: "Read a whole file",
        description: "Read a whole file, raw. Sparingly: for parts use read_content_lines.",
        effect: Effect::Reads,
    };
    Tool::new(about, get_content)
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
struct ContentTold {
    #[serde(flatten)]
    file: FileName,
    version: u64,
    content_length: u64,
    total_lines: u64,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

async fn get_content(call: Call, arguments: Arguments) -> Result<ContentTold, Error> {
    let Arguments { entity_type, path, app_id, organization_id } = arguments;
    let file = GivenFile { entity_type, path, app_id, organization_id }.reference();
    let read = call.interline.read_file(&call.caller, &file, ReadContent::Whole).await?;
    let shown = Shown::of(&read).ok_or_else(|| Error::Internal("a file without content".to_owned()))?;
    Ok(ContentTold {
        file: FileName::of(&call, &read.item),
        version: read.item.stamp.version,
        content_length: read.item.content.as_ref().map_or(0, |content| content.characters),
        total_lines: shown.total_lines,
        content: shown.text.to_owned(),
        truncated: shown.truncated(),
        next: shown.next("").map(|next| format!("read_content_lines: {next}")),
    })
}
