//! Tool `update_item_metadata`: changes title, description, tags or url; archives, deletes and restores.

use interline_items::{Error, ExpectedVersion, ItemChanges, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::{ItemResult, resolve_item};
use crate::mcp::protocol::arguments::{ContentKind, Flag, ItemIdArg};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::metadata_args::{ClearableField, MetadataArgs, set_or_keep};
use crate::wire::invalid_field;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "update_item_metadata",
        title: "Update metadata",
        description: "Change title, description, tags or url (bookmarks), archive, delete or restore; what is left out \
            stays. To add or remove single tags use add_tags/remove_tags: tags replaces the whole list. The content is \
            not touched: edit_content.",
        effect: Effect::ChangesIdempotently,
    };
    Tool::new(info, update_item_metadata)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateItemMetadataArgs {
    id: ItemIdArg,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    title: Option<String>,
    description: Option<String>,
    tags: Option<Vec<String>>,
    add_tags: Option<Vec<String>>,
    remove_tags: Option<Vec<String>>,
    url: Option<String>,
    archived: Option<Flag>,
    /// true: to the trash, false: back
    deleted: Option<Flag>,
    /// Fields to empty
    clear: Option<Vec<ClearableField>>,
}

#[derive(Serialize, JsonSchema)]
struct UpdateItemMetadataResult {
    #[serde(flatten)]
    item: ItemResult,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<&'static str>,
}

async fn update_item_metadata(
    call: CallContext,
    args: UpdateItemMetadataArgs,
) -> Result<UpdateItemMetadataResult, Error> {
    let UpdateItemMetadataArgs { id, kind, title, description, tags, add_tags, remove_tags, url, .. } = args;
    let UpdateItemMetadataArgs { archived, deleted, clear, .. } = args;
    let metadata = MetadataArgs { title, description, tags, add_tags, remove_tags, clear, archived, deleted };
    if metadata.is_empty() && url.is_none() {
        let message = "at least one of title, description, tags, add_tags, remove_tags, url, archived, deleted and \
                       clear is required";
        return Err(invalid_field("title", message));
    }
    let (item_ref, kind) = resolve_item(&call, id, kind).await?;
    let is_ignored = url.is_some() && kind != Kind::Bookmark;
    let changes = ItemChanges { url: set_or_keep(url.filter(|_| !is_ignored)), ..metadata.into_changes()? };
    let after = call.interline.update_metadata(&call.caller, &item_ref, ExpectedVersion::Any, changes).await?;
    let warnings = if is_ignored { vec!["url was ignored: only bookmarks have one"] } else { Vec::new() };
    Ok(UpdateItemMetadataResult { item: ItemResult::from_item(&after), warnings })
}
