//! Which items a route is about.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use interline_items::fields::{FieldError, PromptName};
use interline_items::{Error, ItemRef, Kind, ReadItem};

use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::error::ApiError;
use crate::http::identify::Caller;
use crate::http::path::Id;
use crate::http::query::{Query, switch, word};
use crate::http::wire::{ItemBody, collection_of};

/// `/notes`, `/bookmarks`, `/prompts`: the items of a kind; `/content`: all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Collection {
    /// Of one kind.
    Of(Kind),
    /// Of all kinds.
    Content,
}

/// The kinds by their names.
pub(super) const KINDS: &[(&str, Kind)] =
    &[("note", Kind::Note), ("bookmark", Kind::Bookmark), ("prompt", Kind::Prompt)];

impl Collection {
    /// Every collection.
    pub(in crate::http) const ALL: [Collection; 4] =
        [Collection::Of(Kind::Note), Collection::Of(Kind::Bookmark), Collection::Of(Kind::Prompt), Collection::Content];

    /// The kind of its items, if they are of one.
    pub(in crate::http) fn kind(self) -> Option<Kind> {
        match self {
            Collection::Of(kind) => Some(kind),
            Collection::Content => None,
        }
    }

    /// Its name in paths.
    pub(in crate::http) fn name(self) -> &'static str {
        match self {
            Collection::Of(kind) => collection_of(kind),
            Collection::Content => "content",
        }
    }

    /// The item of an id, of the kind of this collection and of the kind that the request names, if it does.
    pub(super) fn item(self, id: &Id, named: Option<Kind>) -> Result<ItemRef, Error> {
        match (self.kind(), named) {
            (Some(own), Some(named)) if own != named => {
                Err(Error::NotFound { kind: Some(named), wanted: id.item().to_string() })
            }
            (own, named) => Ok(ItemRef::Id(id.item(), own.or(named))),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Collection {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Collection, ApiError> {
        let found = parts.extensions.get::<Collection>().copied();
        found.ok_or_else(|| Error::Internal("a route without a collection".to_owned()).into())
    }
}

/// The prompt of a name.
pub(super) fn by_name(name: PromptName) -> ItemRef {
    ItemRef::PromptName(name)
}

/// A kind that the query names.
pub(super) fn named_kind(query: &mut Query) -> Option<Kind> {
    query.one("type", word(KINDS))
}

/// A kind that the body names.
pub(super) fn kind_of_body(name: Option<&str>) -> Result<Option<Kind>, Error> {
    let parse =
        |name| word(KINDS)(name).map_err(|message| Error::ValidationFailed(vec![FieldError::new("type", message)]));
    name.map(parse).transpose()
}

/// Whether an answer has the content in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Echo {
    /// The content.
    Content,
    /// Its preview.
    Preview,
}

impl Echo {
    /// What the query asks for; `default` unless it says.
    pub(super) fn asked(query: &mut Query, default: Echo) -> Echo {
        match query.one("include_content", switch) {
            Some(true) => Echo::Content,
            Some(false) => Echo::Preview,
            None => default,
        }
    }
}

/// The answer with an item as it is after a change that does not touch the content.
pub(super) async fn answer_with(app: &App, caller: &Caller, item: interline_items::Item, echo: Echo) -> Answer {
    use axum::http::StatusCode;
    match echo {
        Echo::Preview => answer::item(StatusCode::OK, &ItemBody::without_content(&item), item.stamp),
        Echo::Content => {
            let which = ItemRef::Id(item.id, Some(item.kind));
            let read = app.interline.read(&caller.0, &which, interline_items::ReadContent::Whole).await?;
            let ReadItem { item, part } = &read;
            let content = part.as_ref().map(|part| &*part.text);
            answer::item(StatusCode::OK, &ItemBody::with_content(item, content), item.stamp)
        }
    }
}
