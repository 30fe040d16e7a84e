//! `update_prompt_metadata`

use interline_items::{Changed, Error, ExpectedVersion, ItemChanges};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::{PromptTold, which};
use crate::mcp::arguments::{invalid, renamed};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::wire::tag_changes;

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
}

async fn update_prompt_metadata(call: Call, arguments: Arguments) -> Result<PromptTold, Error> {
    if arguments.is_empty() {
        let message = "at least one of new_name, title, description, tags, add_tags and remove_tags is required";
        return Err(invalid("new_name", message));
    }
    let which = which(&call, &arguments.name)?;
    let after = call.interline.update(&call.caller, &which, ExpectedVersion::Any, arguments.changes()?).await;
    Ok(PromptTold::of(&after.map_err(|error| renamed(error, "name", "new_name"))?.item))
}

impl Arguments {
    fn is_empty(&self) -> bool {
        let Arguments { name: _, new_name, title, description, tags, add_tags, remove_tags } = self;
        let texts = [new_name, title, description];
        let lists = [tags, add_tags, remove_tags];
        texts.iter().all(|text| text.is_none()) && lists.iter().all(|list| list.is_none())
    }

    fn changes(self) -> Result<ItemChanges, Error> {
        let set = |given: Option<String>| given.map_or(Changed::Keep, Changed::Set);
        Ok(ItemChanges {
            name: set(self.new_name),
            title: set(self.title),
            description: set(self.description),
            tags: tag_changes(self.tags, self.add_tags, self.remove_tags)?,
            ..ItemChanges::default()
        })
    }
}
