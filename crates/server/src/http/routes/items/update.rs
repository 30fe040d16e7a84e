//! `PATCH /notes/{id}`, `PATCH /prompts/name/{name}`: changing fields or the whole content.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::extract::body::JsonBody;
use crate::http::extract::item_target::{Echo, ItemTarget};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{ItemResponse, UpdateItemRequest};

/// Change fields or the whole content
///
/// What is left out stays; `null` clears what may be empty. `add_tags` and `remove_tags` change some tags and leave the
/// others alone. To change a part of the content, use the editing routes: they cannot lose the rest of it.
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
    let updated = state.interline.update(&target.caller.0, &target.item, expected, patch.into_changes()?).await?;
    let body = echo.item_body(&updated).with_owner(&updated.item, &target.caller.0);
    response::item(StatusCode::OK, &body, updated.item.stamp)
}
