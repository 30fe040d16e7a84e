//! `PATCH /notes/{id}`, `PATCH /prompts/name/{name}`

use axum::extract::State;
use axum::http::StatusCode;

use super::target::{Echo, Target};
use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::wire::{ItemResponse, UpdateItemRequest};

/// Change fields or the whole content
///
/// What is left out stays; `null` clears what may be empty. `add_tags` and `remove_tags` change some tags and leave the
/// others alone. To change a part of the content, use the editing routes: they cannot lose the rest of it.
#[utoipa::path(patch, path = "/{id}", operation_id = "update", request_body = UpdateItemRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn update(State(app): State<App>, target: Target, Json(patch): Json<UpdateItemRequest>) -> Answer {
    carry_out(&app, target, patch).await
}

/// Change a prompt by its name
///
/// As by its id. A new `name` may be given.
#[utoipa::path(patch, path = "/name/{name}", operation_id = "update_by_name", request_body = UpdateItemRequest,
    params(("name" = String, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn update_by_name(
    State(app): State<App>,
    target: Target,
    Json(patch): Json<UpdateItemRequest>,
) -> Answer {
    carry_out(&app, target, patch).await
}

async fn carry_out(app: &App, mut target: Target, patch: UpdateItemRequest) -> Answer {
    target.narrow(patch.kind.as_deref())?;
    let echo = target.echo(Echo::Content)?;
    let expected = target.expected(patch.expected_version)?;
    let updated = app.interline.update(&target.caller.0, &target.which, expected, patch.into_changes()?).await?;
    let body = match echo {
        Echo::Content => ItemResponse::with_content(&updated.item, updated.content.as_deref()),
        Echo::Preview => ItemResponse::without_content(&updated.item),
    };
    answer::item(StatusCode::OK, &body.with_owner(&updated.item, &target.caller.0), updated.item.stamp)
}
