//! Tool `get_content`: reads a whole file of code.

use interline_items::{Error, ReadContent};
use schemars::JsonSchema;
use serde::Serialize;

use super::file::{FileArgs, FileIdentity};
use crate::mcp::protocol::excerpt::ContentExcerpt;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::wire::content_length;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "get_content",
        title: "Read a whole file",
        description: "Read a whole file, raw. Sparingly: for parts use read_content_lines.",
        effect: Effect::Reads,
    };
    Tool::new(info, get_content)
}

#[derive(Serialize, JsonSchema)]
struct GetContentResult {
    #[serde(flatten)]
    file: FileIdentity,
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

async fn get_content(call: CallContext, args: FileArgs) -> Result<GetContentResult, Error> {
    let file = args.into_file_ref();
    let read = call.interline.read_file(&call.caller, &file, ReadContent::Whole).await?;
    let excerpt =
        ContentExcerpt::from_read(&read).ok_or_else(|| Error::Internal("a file without content".to_owned()))?;
    Ok(GetContentResult {
        file: FileIdentity::from_item(&call, &read.item),
        version: read.item.stamp.version,
        content_length: content_length(&read.item).unwrap_or(0),
        total_lines: excerpt.total_lines,
        content: excerpt.text.to_owned(),
        truncated: excerpt.truncated(),
        next: excerpt.how_to_read_on("").map(|next| format!("read_content_lines: {next}")),
    })
}
