//! Tool `update_prompt_metadata`: changes name, title, description or tags of a prompt; archives, deletes and restores it.

use interline_items::{Error, ExpectedVersion, ItemChanges};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::{PromptResult, parse_name, prompt_ref};
use crate::mcp::protocol::arguments::{Flag, rename_field};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::metadata_args::{ClearableField, MetadataArgs, set_or_keep};
use crate::wire::invalid_field;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "update_prompt_metadata",
        title: "Update metadata",
        description: "Change name (new_name), title, description or tags, archive, delete or restore; what is left \
            out stays. To add or remove single tags use add_tags/remove_tags: tags replaces the whole list. Template \
            and arguments are not touched: edit_prompt_template.",
        effect: Effect::ChangesIdempotently,
    };
    Tool::new(info, update_prompt_metadata)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdatePromptMetadataArgs {
    name: String,
    new_name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    tags: Option<Vec<String>>,
    add_tags: Option<Vec<String>>,
    remove_tags: Option<Vec<String>>,
    archived: Option<Flag>,
    /// true: to the trash, false: back
    deleted: Option<Flag>,
    /// Fields to empty
    clear: Option<Vec<ClearableField>>,
}

async fn update_prompt_metadata(call: CallContext, args: UpdatePromptMetadataArgs) -> Result<PromptResult, Error> {
    let UpdatePromptMetadataArgs { name, new_name, title, description, tags, add_tags, remove_tags, .. } = args;
    let UpdatePromptMetadataArgs { archived, deleted, clear, .. } = args;
    let metadata = MetadataArgs { title, description, tags, add_tags, remove_tags, clear, archived, deleted };
    if metadata.is_empty() && new_name.is_none() {
        let message = "at least one of new_name, title, description, tags, add_tags, remove_tags, archived, deleted \
                       and clear is required";
        return Err(invalid_field("new_name", message));
    }
    let prompt = match deleted {
        Some(Flag(false)) => call.interline.prompt_or_deleted(&call.caller, parse_name(&call, &name)?).await?,
        Some(Flag(true)) | None => prompt_ref(&call, &name)?,
    };
    let changes = ItemChanges { name: set_or_keep(new_name), ..metadata.into_changes()? };
    let after = call.interline.update_metadata(&call.caller, &prompt, ExpectedVersion::Any, changes).await;
    Ok(PromptResult::from_item(&after.map_err(|error| rename_field(error, "name", "new_name"))?))
}
