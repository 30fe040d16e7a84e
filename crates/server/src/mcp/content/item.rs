//! Which item a tool is about, and what it tells of one.

use interline_items::fields::{Description, Tag, Title, Url};
use interline_items::{EditMode, EditResult, Error, Item, ItemRef, Kind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::mcp::arguments::{ContentKind, Id};
use crate::mcp::tool::Call;
use crate::mcp::written::{EditTold, length};
use crate::wire::Time;

/// The item of an id, and what it is. Without `kind` that is found out; prompts and code have servers of their own.
pub(super) async fn which(call: &Call, id: Id, kind: Option<ContentKind>) -> Result<(ItemRef, Kind), Error> {
    let of = |kind| (ItemRef::Id(id.0, Some(kind)), kind);
    if let Some(kind) = kind {
        return Ok(of(kind.into()));
    }
    match call.interline.state(&call.caller, &ItemRef::Id(id.0, None)).await?.kind {
        kind @ (Kind::Note | Kind::Bookmark) => Ok(of(kind)),
        kind @ (Kind::Prompt | Kind::AppFile | Kind::Workflow | Kind::Module) => {
            Err(Error::NotFound { kind: None, requested: id.0.to_string(), actual: Some(kind) })
        }
    }
}

/// An item without its content.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ItemTold {
    #[serde(rename = "type")]
    kind: &'static str,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    version: u64,
    #[schemars(with = "String")]
    created_at: Time,
    #[schemars(with = "String")]
    updated_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    archived_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    deleted_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_length: Option<u64>,
}

impl ItemTold {
    pub(super) fn of(item: &Item) -> ItemTold {
        let fields = &item.fields;
        ItemTold {
            kind: item.kind.name(),
            id: item.id.to_string(),
            title: fields.title.as_ref().map(Title::as_str).map(str::to_owned),
            description: fields.description.as_ref().map(Description::as_str).map(str::to_owned),
            tags: fields.tags.as_slice().iter().map(Tag::as_str).map(str::to_owned).collect(),
            url: fields.url.as_ref().map(Url::as_str).map(str::to_owned),
            version: item.stamp.version,
            created_at: Time(item.created_at),
            updated_at: Time(item.updated_at),
            archived_at: item.archived_at.map(Time),
            deleted_at: item.deleted_at.map(Time),
            content_length: length(item),
        }
    }
}

/// What an edit of an item's content did.
#[derive(Serialize, JsonSchema)]
pub(super) struct ContentEditTold {
    #[serde(flatten)]
    edit: EditTold,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_length: Option<u64>,
}

impl ContentEditTold {
    pub(super) fn of(edited: &EditResult, mode: EditMode) -> Result<ContentEditTold, Error> {
        Ok(ContentEditTold { edit: EditTold::of(edited, mode)?, content_length: length(&edited.after.item) })
    }
}
