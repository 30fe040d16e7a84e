//! The collection of items that a route belongs to: `/notes`, `/bookmarks`, `/prompts` or `/content`.

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use interline_items::{Error, Kind};

use crate::http::error::ApiError;
use crate::wire::collection_of;

/// `/notes`, `/bookmarks`, `/prompts`: the items of a kind; `/content`: all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Collection {
    /// The items of one kind.
    OfKind(Kind),
    /// The items of all kinds.
    Content,
}

/// The kinds by their names.
pub(in crate::http) const KINDS: &[(&str, Kind)] = &[
    ("note", Kind::Note),
    ("bookmark", Kind::Bookmark),
    ("prompt", Kind::Prompt),
    ("app_file", Kind::AppFile),
    ("workflow", Kind::Workflow),
    ("module", Kind::Module),
];

impl Collection {
    /// Every collection.
    pub(in crate::http) const ALL: [Collection; 4] = [
        Collection::OfKind(Kind::Note),
        Collection::OfKind(Kind::Bookmark),
        Collection::OfKind(Kind::Prompt),
        Collection::Content,
    ];

    /// The kind of its items, if they are of one.
    pub(in crate::http) fn kind(self) -> Option<Kind> {
        match self {
            Collection::OfKind(kind) => Some(kind),
            Collection::Content => None,
        }
    }

    /// Its name in paths.
    pub(in crate::http) fn name(self) -> &'static str {
        match self {
            Collection::OfKind(kind) => collection_of(kind),
            Collection::Content => "content",
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Collection {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Collection, ApiError> {
        let path = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
        let first = path.split('/').nth(1);
        let collection = Collection::ALL.into_iter().find(|collection| first == Some(collection.name()));
        collection.ok_or_else(|| Error::Internal("a route without a collection".to_owned()).into())
    }
}
