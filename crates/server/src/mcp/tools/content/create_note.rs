//! Tool `create_note`: creates a note.

use interline_items::{Error, ItemDraft, Kind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::ItemResult;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "create_note",
        title: "Create a note",
        description: "Make a new note. To add to one that exists, find it with search_items and use edit_content.",
        effect: Effect::Adds,
    };
    Tool::new(info, create_note)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateNoteArgs {
    title: String,
    description: Option<String>,
    content: Option<String>,
    tags: Option<Vec<String>>,
}

async fn create_note(call: CallContext, args: CreateNoteArgs) -> Result<ItemResult, Error> {
    let CreateNoteArgs { title, description, content, tags } = args;
    let tags = tags.unwrap_or_default();
    let draft = ItemDraft { title: Some(title), description, content, tags, ..ItemDraft::default() };
    let created = call.interline.create(&call.caller, Kind::Note, draft).await?;
    Ok(ItemResult::from_item(&created.item))
}
