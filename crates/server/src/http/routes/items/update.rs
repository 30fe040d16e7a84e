//! `PATCH /notes/{id}`, `PATCH /prompts/name/{name}`: changing fields or the whole content.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::Updated;

use crate::http::extract::body::JsonBody;
use crate::http::extract::item_target::{Echo, ItemTarget};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{ItemResponse, UpdateItemRequest, on_stale};

/// Change fields or the whole content
///
/// What is left out stays; `null` clears what may be empty. `add_tags` and `remove_tags` change some tags and leave the
/// others alone. To change a part of the content, use the editing routes: they cannot lose the rest of it.
///
/// A whole `content` is written for a version: send it as `expected_version` or `If-Match`. With `on_stale: "merge"` what
/// others changed since is kept: lines are merged, and the answer has `merged_from`. Where both changed the same lines, or the
/// same field, it is a `conflict` with the places in `conflicts` and the fields in `fields`, and nothing is stored.
#[utoipa::path(patch, path = "/{id}", operation_id = "update", request_body = UpdateItemRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn update(
    State(state): State<AppState>,
    target: ItemTarget,
    JsonBody(patch): JsonBody<UpdateItemRequest>,
) -> HandlerResult {
    update_target(&state, target, patch).await
}

/// Change a prompt by its name
///
/// As by its id. A new `name` may be given.
#[utoipa::path(patch, path = "/name/{name}", operation_id = "update_by_name", request_body = UpdateItemRequest,
    params(("name" = String, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn update_by_name(
    State(state): State<AppState>,
    target: ItemTarget,
    JsonBody(patch): JsonBody<UpdateItemRequest>,
) -> HandlerResult {
    update_target(&state, target, patch).await
}

async fn update_target(state: &AppState, mut target: ItemTarget, patch: UpdateItemRequest) -> HandlerResult {
    target.require_kind(patch.kind.as_deref())?;
    let echo = target.finish_with_echo(Echo::Content)?;
    let expected = target.expected_version(patch.expected_version)?;
    let on_stale = on_stale(patch.on_stale.as_deref())?;
    let (caller, changes) = (&target.caller.0, patch.into_changes()?);
    let updated = state.interline.update_or_merge(caller, &target.item, expected, on_stale, changes).await?;
    let Updated { after, merged_from } = &updated;
    let body = echo.item_body(after).with_owner(&after.item, caller).with_merge(*merged_from);
    response::item(StatusCode::OK, &body, after.item.stamp)
}
