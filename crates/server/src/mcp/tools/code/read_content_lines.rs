//! Tool `read_content_lines`: reads numbered lines of a file of code.

use interline_items::{Error, LineRange, ReadContent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::{EntityType, FileArgs, FileIdentity};
use crate::mcp::protocol::arguments::{OrganizationIdArg, PositiveInt};
use crate::mcp::protocol::excerpt::ContentExcerpt;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::wire::code::numbered_lines;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "read_content_lines",
        title: "Read lines of a file",
        description: "Read lines, each as \"<n>: <line>\", e.g. start_line 40, end_line 80. The numbers are no \
            part of the file: leave them out of old_string.",
        effect: Effect::Reads,
    };
    Tool::new(info, read_content_lines)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadContentLinesArgs {
    entity_type: EntityType,
    path: String,
    app_id: Option<String>,
    organization_id: Option<OrganizationIdArg>,
    /// Default 1
    start_line: Option<PositiveInt>,
    /// Default start_line + 100
    end_line: Option<PositiveInt>,
}

#[derive(Serialize, JsonSchema)]
struct ReadContentLinesResult {
    #[serde(flatten)]
    file: FileIdentity,
    version: u64,
    start_line: u64,
    end_line: u64,
    total_lines: u64,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

async fn read_content_lines(call: CallContext, args: ReadContentLinesArgs) -> Result<ReadContentLinesResult, Error> {
    let ReadContentLinesArgs { entity_type, path, app_id, organization_id, start_line, end_line } = args;
    let lines = LineRange::for_code(start_line.map(|line| line.0), end_line.map(|line| line.0));
    let file = FileArgs { entity_type, path, app_id, organization_id }.into_file_ref();
    let read = call.interline.read_file(&call.caller, &file, ReadContent::Lines(lines)).await?;
    let excerpt =
        ContentExcerpt::from_read(&read).ok_or_else(|| Error::Internal("a file without content".to_owned()))?;
    Ok(ReadContentLinesResult {
        file: FileIdentity::from_item(&call, &read.item),
        version: read.item.stamp.version,
        start_line: excerpt.start_line,
        end_line: excerpt.end_line,
        total_lines: excerpt.total_lines,
        content: numbered_lines(excerpt.text, excerpt.start_line, excerpt.end_line),
        truncated: excerpt.truncated(),
        next: excerpt.how_to_read_on(""),
    })
}
