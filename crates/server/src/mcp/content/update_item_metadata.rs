//! `update_item_metadata`

use interline_items::{ArchiveState, Error, ExpectedVersion, ItemChanges, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::{ItemTold, which};
use crate::mcp::arguments::{ContentKind, Id, invalid};
use crate::mcp::metadata::{Clearable, GivenMetadata, set};
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "update_item_metadata",
        title: "Update metadata",
        description: "Change title, description, tags, url (bookmarks) or archived; what is left out stays. To add or \
            remove single tags use add_tags/remove_tags: tags replaces the whole list. The content is not touched: \
            edit_content.",
        effect: Effect::Settles,
    };
    Tool::new(about, update_item_metadata)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: Id,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    title: Option<String>,
    description: Option<String>,
    tags: Option<Vec<String>>,
    add_tags: Option<Vec<String>>,
    remove_tags: Option<Vec<String>>,
    url: Option<String>,
    archived: Option<bool>,
    /// Fields to empty
    clear: Option<Vec<Clearable>>,
}

#[derive(Serialize, JsonSchema)]
struct UpdateTold {
    #[serde(flatten)]
    item: ItemTold,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<&'static str>,
}

async fn update_item_metadata(call: Call, arguments: Arguments) -> Result<UpdateTold, Error> {
    let Arguments { id, kind, title, description, tags, add_tags, remove_tags, url, archived, clear } = arguments;
    let metadata = GivenMetadata { title, description, tags, add_tags, remove_tags, clear };
    if metadata.is_empty() && url.is_none() && archived.is_none() {
        let message = "at least one of title, description, tags, add_tags, remove_tags, url, archived and clear is \
                       required";
        return Err(invalid("title", message));
    }
    let (which, kind) = which(&call, id, kind).await?;
    let is_ignored = url.is_some() && kind != Kind::Bookmark;
    let changes = ItemChanges {
        url: set(url.filter(|_| !is_ignored)),
        archive_state: archived.map(|archived| if archived { ArchiveState::Archived } else { ArchiveState::Active }),
        ..metadata.changes()?
    };
    let after = call.interline.update(&call.caller, &which, ExpectedVersion::Any, changes).await?;
    let warnings = if is_ignored { vec!["url was ignored: only bookmarks have one"] } else { Vec::new() };
    Ok(UpdateTold { item: ItemTold::of(&after.item), warnings })
}
