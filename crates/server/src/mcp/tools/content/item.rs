//! The item that a content tool works on, and the results that show one.

use interline_items::fields::{Description, Tag, Title, Url};
use interline_items::{EditMode, EditResult, Error, Item, ItemRef, Kind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::protocol::arguments::{ContentKind, ItemIdArg};
use crate::mcp::protocol::tool::CallContext;
use crate::mcp::tools::edit_result::EditToolResult;
use crate::wire::{Time, content_length};

/// The note or bookmark of an id, and its kind. Without `kind` the store is asked; prompts and code have servers of their
/// own, so that their ids are not found here.
pub(super) async fn resolve_item(
    call: &CallContext,
    id: ItemIdArg,
    kind: Option<ContentKind>,
) -> Result<(ItemRef, Kind), Error> {
    let with_kind = |kind| (ItemRef::Id(id.0, Some(kind)), kind);
    if let Some(kind) = kind {
        return Ok(with_kind(kind.into()));
    }
    match call.interline.state(&call.caller, &ItemRef::Id(id.0, None)).await?.kind {
        kind @ (Kind::Note | Kind::Bookmark) => Ok(with_kind(kind)),
        kind @ (Kind::Prompt | Kind::AppFile | Kind::Workflow | Kind::Module) => {
            Err(Error::NotFound { kind: None, requested: id.0.to_string(), actual: Some(kind) })
        }
    }
}

/// An item without its content. A search leaves `created_at` out, and `tags` where there are none.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ItemResult {
    #[serde(rename = "type")]
    kind: &'static str,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Time>,
    updated_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_length: Option<u64>,
}

impl ItemResult {
    pub(super) fn from_item(item: &Item) -> ItemResult {
        let fields = &item.fields;
        ItemResult {
            kind: item.kind.name(),
            id: item.id.to_string(),
            title: fields.title.as_ref().map(Title::as_str).map(str::to_owned),
            description: fields.description.as_ref().map(Description::as_str).map(str::to_owned),
            tags: Some(fields.tags.as_slice().iter().map(Tag::as_str).map(str::to_owned).collect()),
            url: fields.url.as_ref().map(Url::as_str).map(str::to_owned),
            version: item.stamp.version,
            created_at: Some(Time(item.created_at)),
            updated_at: Time(item.updated_at),
            archived_at: item.archived_at.map(Time),
            deleted_at: item.deleted_at.map(Time),
            content_length: content_length(item),
        }
    }

    /// An item of a search.
    pub(super) fn brief(item: &Item) -> ItemResult {
        ItemResult { created_at: None, ..ItemResult::brief_with_creation(item) }
    }

    /// An item of a search that is sorted by the time of creation.
    pub(super) fn brief_with_creation(item: &Item) -> ItemResult {
        let whole = ItemResult::from_item(item);
        ItemResult { tags: whole.tags.filter(|tags| !tags.is_empty()), ..whole }
    }
}

/// What an edit of an item's content did.
#[derive(Serialize, JsonSchema)]
pub(super) struct ContentEditResult {
    #[serde(flatten)]
    edit: EditToolResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_length: Option<u64>,
}

impl ContentEditResult {
    pub(super) fn from_edit(edited: &EditResult, mode: EditMode) -> Result<ContentEditResult, Error> {
        Ok(ContentEditResult {
            edit: EditToolResult::from_edit(edited, mode)?,
            content_length: content_length(&edited.after.item),
        })
    }
}
