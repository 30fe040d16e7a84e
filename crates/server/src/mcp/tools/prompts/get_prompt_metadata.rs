//! Tool `get_prompt_metadata`: reads a prompt without its template.

use interline_items::{Error, ReadContent};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::{PromptResult, prompt_ref};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "get_prompt_metadata",
        title: "Read metadata",
        description: "Title, description, arguments, tags and prompt_length of a prompt, without the template. Look \
            here before you read a long one.",
        effect: Effect::Reads,
    };
    Tool::new(info, get_prompt_metadata)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetPromptMetadataArgs {
    name: String,
}

async fn get_prompt_metadata(call: CallContext, args: GetPromptMetadataArgs) -> Result<PromptResult, Error> {
    let prompt = prompt_ref(&call, &args.name)?;
    let read = call.interline.read(&call.caller, &prompt, ReadContent::Omit).await?;
    Ok(PromptResult::from_item(&read.item))
}
