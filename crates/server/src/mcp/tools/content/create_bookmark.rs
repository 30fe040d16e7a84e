//! Tool `create_bookmark`: creates a bookmark.

use interline_items::{Error, ItemDraft, Kind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::ItemResult;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "create_bookmark",
        title: "Create a bookmark",
        description: "Save a web address, with text about it or from it. A url that is there already is refused with \
            the id of its bookmark.",
        effect: Effect::Adds,
    };
    Tool::new(info, create_bookmark)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateBookmarkArgs {
    /// http or https
    url: String,
    title: Option<String>,
    description: Option<String>,
    content: Option<String>,
    tags: Option<Vec<String>>,
}

async fn create_bookmark(call: CallContext, args: CreateBookmarkArgs) -> Result<ItemResult, Error> {
    let CreateBookmarkArgs { url, title, description, content, tags } = args;
    let tags = tags.unwrap_or_default();
    let draft = ItemDraft { url: Some(url), title, description, content, tags, ..ItemDraft::default() };
    let created = call.interline.create(&call.caller, Kind::Bookmark, draft).await?;
    Ok(ItemResult::from_item(&created.item))
}
