//! `update_prompt_metadata`

use interline_items::{Error, ExpectedVersion, ItemChanges};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::{PromptTold, which};
use crate::mcp::arguments::{invalid, renamed};
use crate::mcp::metadata::{Clearable, GivenMetadata, set};
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "update_prompt_metadata",
        title: "Update metadata",
        description: "Change name (new_name), title, description or tags; what is left out stays. To add or remove \
            single tags use add_tags/remove_tags: tags replaces the whole list. Template and arguments are not \
            touched: edit_prompt_template.",
        effect: Effect::Settles,
    };
    Tool::new(about, update_prompt_metadata)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
    new_name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    tags: Option<Vec<String>>,
    add_tags: Option<Vec<String>>,
    remove_tags: Option<Vec<String>>,
    /// Fields to empty
    clear: Option<Vec<Clearable>>,
}

async fn update_prompt_metadata(call: Call, arguments: Arguments) -> Result<PromptTold, Error> {
    let Arguments { name, new_name, title, description, tags, add_tags, remove_tags, clear } = arguments;
    let metadata = GivenMetadata { title, description, tags, add_tags, remove_tags, clear };
    if metadata.is_empty() && new_name.is_none() {
        let message = "at least one of new_name, title, description, tags, add_tags, remove_tags and clear is required";
        return Err(invalid("new_name", message));
    }
    let which = which(&call, &name)?;
    let changes = ItemChanges { name: set(new_name), ..metadata.changes()? };
    let after = call.interline.update(&call.caller, &which, ExpectedVersion::Any, changes).await;
    Ok(PromptTold::of(&after.map_err(|error| renamed(error, "name", "new_name"))?.item))
}
