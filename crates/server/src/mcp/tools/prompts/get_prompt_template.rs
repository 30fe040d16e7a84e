//! Tool `get_prompt_template`: reads the template of a prompt, or lines of it.

use interline_items::{Error, LineRange, ReadContent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::prompt::{PromptArgumentResult, prompt_name, prompt_ref};
use crate::mcp::protocol::arguments::PositiveInt;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::content_result::{ContentResult, line_range};
use crate::wire::content_length;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "get_prompt_template",
        title: "Read a template",
        description: "Read the template of a prompt, raw, or lines of it, with its arguments: what you need before \
            edit_prompt_template. To see it filled in use render_prompt; for metadata alone get_prompt_metadata.",
        effect: Effect::Reads,
    };
    Tool::new(info, get_prompt_template)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetPromptTemplateArgs {
    name: String,
    start_line: Option<PositiveInt>,
    end_line: Option<PositiveInt>,
}

#[derive(Serialize, JsonSchema)]
struct GetPromptTemplateResult {
    id: String,
    name: String,
    version: u64,
    arguments: Vec<PromptArgumentResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_length: Option<u64>,
    #[serde(flatten)]
    content: ContentResult,
}

async fn get_prompt_template(call: CallContext, args: GetPromptTemplateArgs) -> Result<GetPromptTemplateResult, Error> {
    let request = match line_range(args.start_line, args.end_line) {
        LineRange { start: None, end: None } => ReadContent::Whole,
        range => ReadContent::Lines(range),
    };
    let prompt = prompt_ref(&call, &args.name)?;
    let read = call.interline.read(&call.caller, &prompt, request).await?;
    let item = &read.item;
    Ok(GetPromptTemplateResult {
        id: item.id.to_string(),
        name: prompt_name(item),
        version: item.stamp.version,
        arguments: PromptArgumentResult::all(item),
        prompt_length: content_length(item),
        content: ContentResult::from_read(&read, request, ""),
    })
}
