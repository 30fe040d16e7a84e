//! `create_prompt`

use interline_items::{Error, ItemDraft, Kind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::{GivenArgument, PromptTold, arguments};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::wire::Object;

pub(super) fn tool() -> Tool {
    let about = About {
        name: "create_prompt",
        title: "Create a prompt",
        description: "Make a new prompt. Every variable of the template needs an argument, and every argument must be \
            used. E.g. content \"Review this {{ language }} code\", arguments [{\"name\": \"language\", \"required\": \
            true}]. A name that is there already is refused.",
        effect: Effect::Adds,
    };
    Tool::new(about, create_prompt)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Lower-case words joined by hyphens, e.g. code-review
    name: String,
    title: Option<String>,
    description: Option<String>,
    /// Jinja2 template
    content: String,
    #[schemars(with = "Option<Vec<GivenArgument>>")]
    arguments: Option<Vec<Object<GivenArgument>>>,
    tags: Option<Vec<String>>,
}

async fn create_prompt(call: Call, given: Arguments) -> Result<PromptTold, Error> {
    let Arguments { name, title, description, content, arguments: list, tags } = given;
    let draft = ItemDraft {
        name: Some(name),
        title,
        description,
        content: Some(content),
        arguments: list.map(arguments),
        tags: tags.unwrap_or_default(),
        ..ItemDraft::default()
    };
    let created = call.interline.create(&call.caller, Kind::Prompt, draft).await?;
    Ok(PromptTold::of(&created.item))
}
