//! Tool `render_prompt`: renders a template with values for its arguments.

use std::collections::BTreeMap;

use interline_items::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::prompt::prompt_ref;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::wire::{Object, Truncation};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "render_prompt",
        title: "Render a prompt",
        description: "Fill a template in with values for its arguments, e.g. arguments {\"language\": \"Rust\"}. All \
            required ones are needed, and no others are taken.",
        // That a prompt was used is a side note.
        effect: Effect::Reads,
    };
    Tool::new(info, render_prompt)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RenderPromptArgs {
    name: String,
    #[schemars(with = "Option<BTreeMap<String, Value>>")]
    arguments: Option<Object<BTreeMap<String, Value>>>,
}

#[derive(Serialize, JsonSchema)]
struct RenderPromptResult {
    rendered: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How to get the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

async fn render_prompt(call: CallContext, args: RenderPromptArgs) -> Result<RenderPromptResult, Error> {
    let prompt = prompt_ref(&call, &args.name)?;
    let values = args.arguments.map(|Object(values)| values).unwrap_or_default();
    let rendered = call.interline.render(&call.caller, &prompt, values).await?;
    let truncation = Truncation::new(&rendered);
    let how_to_get_the_rest =
        || format!("this is the beginning of {} characters; prompts/get gives all", rendered.chars().count());
    Ok(RenderPromptResult {
        rendered: truncation.text(&rendered).to_owned(),
        truncated: truncation.truncated(),
        next: truncation.truncated().map(|_| how_to_get_the_rest()),
    })
}
