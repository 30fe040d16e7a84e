//! `PATCH /notes/{id}`, `PATCH /prompts/name/{name}`

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use interline_items::{Error, ItemRef, Kind};

use super::collection::{Collection, Echo, by_name, kind_of_body, named_kind};
use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::http::condition;
use crate::http::identify::Caller;
use crate::http::path::{Id, Named};
use crate::http::query::Query;
use crate::http::wire::{ItemBody, ItemPatch};

/// Change fields or the whole content
///
/// What is left out stays; `null` clears what may be empty. `add_tags` and `remove_tags` change some tags and leave the
/// others alone. To change a part of the content, use the editing routes: they cannot lose the rest of it.
#[utoipa::path(patch, path = "/{id}", operation_id = "update", request_body = ItemPatch,
    params(("id" = uuid::Uuid, Path),
        ("include_content" = Option<bool>, Query, description = "Whether the answer has the content in it; true unless given"),
        ("If-Match" = Option<String>, Header, description = "Only if the item is at the version of this `ETag`")),
    responses((status = 200, body = ItemBody)))]
pub(super) async fn update(
    State(app): State<App>,
    caller: Caller,
    collection: Collection,
    id: Id,
    mut query: Query,
    headers: HeaderMap,
    Json(patch): Json<ItemPatch>,
) -> Answer {
    let in_query = named_kind(&mut query);
    let in_body = kind_of_body(patch.kind.as_deref())?;
    let which = collection.item(&id, in_query.or(in_body))?;
    carry_out(&app, &caller, which, query, &headers, patch).await
}

/// Change a prompt by its name
///
/// As by its id. A new `name` may be given.
#[utoipa::path(patch, path = "/name/{name}", operation_id = "update_by_name", request_body = ItemPatch,
    params(("name" = String, Path),
        ("include_content" = Option<bool>, Query, description = "Whether the answer has the content in it; true unless given"),
        ("If-Match" = Option<String>, Header, description = "Only if the prompt is at the version of this `ETag`")),
    responses((status = 200, body = ItemBody)))]
pub(super) async fn update_by_name(
    State(app): State<App>,
    caller: Caller,
    name: Named,
    query: Query,
    headers: HeaderMap,
    Json(patch): Json<ItemPatch>,
) -> Answer {
    match kind_of_body(patch.kind.as_deref())? {
        None | Some(Kind::Prompt) => {}
        kind => return Err(Error::NotFound { kind, wanted: name.0.as_str().to_owned() }.into()),
    }
    carry_out(&app, &caller, by_name(name.0), query, &headers, patch).await
}

async fn carry_out(
    app: &App,
    caller: &Caller,
    which: ItemRef,
    mut query: Query,
    headers: &HeaderMap,
    patch: ItemPatch,
) -> Answer {
    let echo = Echo::asked(&mut query, Echo::Content);
    query.finish()?;
    let expected = condition::expected(headers, patch.expected_version)?;
    let updated = app.interline.update(&caller.0, &which, expected, patch.into_changes()?).await?;
    let body = match echo {
        Echo::Content => ItemBody::with_content(&updated.item, updated.content.as_deref()),
        Echo::Preview => ItemBody::without_content(&updated.item),
    };
    answer::item(StatusCode::OK, &body, updated.item.stamp)
}
