//! `create_note` and `create_bookmark`

use interline_items::{Error, ItemDraft, Kind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::ItemTold;
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn note_tool() -> Tool {
    let about = About {
        name: "create_note",
        title: "Create a note",
        description: "Make a new note. To add to one that exists, find it with search_items and use edit_content.",
        effect: Effect::Adds,
    };
    Tool::new(about, create_note)
}

pub(super) fn bookmark_tool() -> Tool {
    let about = About {
        name: "create_bookmark",
        title: "Create a bookmark",
        description: "Save a web address, with text about it or from it. A url that is there already is refused with \
            the id of its bookmark.",
        effect: Effect::Adds,
    };
    Tool::new(about, create_bookmark)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoteArguments {
    title: String,
    description: Option<String>,
    content: Option<String>,
    tags: Option<Vec<String>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BookmarkArguments {
    /// http or https
    url: String,
    title: Option<String>,
    description: Option<String>,
    content: Option<String>,
    tags: Option<Vec<String>>,
}

async fn create_note(call: Call, arguments: NoteArguments) -> Result<ItemTold, Error> {
    let NoteArguments { title, description, content, tags } = arguments;
    let tags = tags.unwrap_or_default();
    create(call, Kind::Note, ItemDraft { title: Some(title), description, content, tags, ..ItemDraft::default() }).await
}

async fn create_bookmark(call: Call, arguments: BookmarkArguments) -> Result<ItemTold, Error> {
    let BookmarkArguments { url, title, description, content, tags } = arguments;
    let tags = tags.unwrap_or_default();
    let draft = ItemDraft { url: Some(url), title, description, content, tags, ..ItemDraft::default() };
    create(call, Kind::Bookmark, draft).await
}

async fn create(call: Call, kind: Kind, draft: ItemDraft) -> Result<ItemTold, Error> {
    let created = call.interline.create(&call.caller, kind, draft).await?;
    Ok(ItemTold::of(&created.item))
}
