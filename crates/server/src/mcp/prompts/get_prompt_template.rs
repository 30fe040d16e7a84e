//! `get_prompt_template`

use interline_items::{Error, LineRange, ReadContent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::prompt::{ArgumentTold, name_of, which};
use crate::mcp::arguments::Number;
use crate::mcp::reading::{ContentTold, line_range};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::mcp::written::length;

pub(super) fn tool() -> Tool {
    let about = About {
        name: "get_prompt_template",
        title: "Read a template",
        description: "Read the template of a prompt, raw, or lines of it, with its arguments: what you need before \
            edit_prompt_template. To see it filled in use render_prompt; for metadata alone get_prompt_metadata.",
        effect: Effect::Reads,
    };
    Tool::new(about, get_prompt_template)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
    start_line: Option<Number>,
    end_line: Option<Number>,
}

#[derive(Serialize, JsonSchema)]
struct TemplateTold {
    id: String,
    name: String,
    version: u64,
    arguments: Vec<ArgumentTold>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_length: Option<u64>,
    #[serde(flatten)]
    content: ContentTold,
}

async fn get_prompt_template(call: Call, arguments: Arguments) -> Result<TemplateTold, Error> {
    let wanted = match line_range(arguments.start_line, arguments.end_line) {
        LineRange { start: None, end: None } => ReadContent::Whole,
        range => ReadContent::Lines(range),
    };
    let which = which(&call, &arguments.name)?;
    let read = call.interline.read(&call.caller, &which, wanted).await?;
    let item = &read.item;
    Ok(TemplateTold {
        id: item.id.to_string(),
        name: name_of(item),
        version: item.stamp.version,
        arguments: ArgumentTold::all(item),
        prompt_length: length(item),
        content: ContentTold::of(&read, wanted, ""),
    })
}
