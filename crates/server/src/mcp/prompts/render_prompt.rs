//! `render_prompt`

use std::collections::BTreeMap;

use interline_items::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::prompt::which;
use crate::mcp::reading::beginning;
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::wire::Object;

pub(super) fn tool() -> Tool {
    let about = About {
        name: "render_prompt",
        title: "Render a prompt",
        description: "Fill a template in with values for its arguments, e.g. arguments {\"language\": \"Rust\"}. All \
            required ones are needed, and no others are taken.",
        // That a prompt was used is a side note.
        effect: Effect::Reads,
    };
    Tool::new(about, render_prompt)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
    #[schemars(with = "Option<BTreeMap<String, Value>>")]
    arguments: Option<Object<BTreeMap<String, Value>>>,
}

#[derive(Serialize, JsonSchema)]
struct RenderedTold {
    rendered: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How to get the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

async fn render_prompt(call: Call, arguments: Arguments) -> Result<RenderedTold, Error> {
    let which = which(&call, &arguments.name)?;
    let values = arguments.arguments.map(|Object(values)| values).unwrap_or_default();
    let rendered = call.interline.render(&call.caller, &which, values).await?;
    let (shown, truncated) = beginning(&rendered);
    let whole = || format!("this is the beginning of {} characters; prompts/get gives all", rendered.chars().count());
    Ok(RenderedTold { rendered: shown.to_owned(), truncated, next: truncated.map(|_| whole()) })
}
