//! Tool `create_prompt`: creates a prompt with its template and arguments.

use interline_items::{Error, ItemDraft, Kind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::{PromptArgumentArgs, PromptResult, into_arguments};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::wire::Object;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "create_prompt",
        title: "Create a prompt",
        description: "Make a new prompt. Every variable of the template needs an argument, and every argument must be \
            used. E.g. content \"Review this {{ language }} code\", arguments [{\"name\": \"language\", \"required\": \
            true}]. A name that is there already is refused.",
        effect: Effect::Adds,
    };
    Tool::new(info, create_prompt)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreatePromptArgs {
    /// Lower-case words joined by hyphens, e.g. code-review
    name: String,
    title: Option<String>,
    description: Option<String>,
    /// Jinja2 template
    content: String,
    #[schemars(with = "Option<Vec<PromptArgumentArgs>>")]
    arguments: Option<Vec<Object<PromptArgumentArgs>>>,
    tags: Option<Vec<String>>,
}

async fn create_prompt(call: CallContext, args: CreatePromptArgs) -> Result<PromptResult, Error> {
    let CreatePromptArgs { name, title, description, content, arguments, tags } = args;
    let draft = ItemDraft {
        name: Some(name),
        title,
        description,
        content: Some(content),
        arguments: arguments.map(into_arguments),
        tags: tags.unwrap_or_default(),
        ..ItemDraft::default()
    };
    let created = call.interline.create(&call.caller, Kind::Prompt, draft).await?;
    Ok(PromptResult::from_item(&created.item))
}
