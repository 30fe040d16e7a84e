//! `get_prompt_metadata`

use interline_items::{Error, ReadContent};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::{PromptTold, which};
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "get_prompt_metadata",
        title: "Read metadata",
        description: "Title, description, arguments, tags and prompt_length of a prompt, without the template. Look \
            here before you read a long one.",
        effect: Effect::Reads,
    };
    Tool::new(about, get_prompt_metadata)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
}

async fn get_prompt_metadata(call: Call, arguments: Arguments) -> Result<PromptTold, Error> {
    let which = which(&call, &arguments.name)?;
    let read = call.interline.read(&call.caller, &which, ReadContent::Omit).await?;
    Ok(PromptTold::of(&read.item))
}
