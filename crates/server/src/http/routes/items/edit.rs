//! `PATCH /notes/{id}/str-replace`, `PATCH …/content`, `POST …/insert`, `…/delete-content`, `…/edits`: editing the content of an item.

use axum::extract::State;

use crate::http::extract::body::JsonBody;
use crate::http::extract::item_target::{Echo, ItemTarget};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{
    DeleteContentRequest, EditRequestBody, EditResponse, EditsRequest, InsertRequest, PatchContentRequest,
    StrReplaceRequest, edit_request,
};

/// Replace a passage
///
/// The primary edit. `old_str` must be in the content exactly once (or `expected_matches` times); small slips in blanks,
/// indentation and typography are forgiven level by level, and `match_type` says which level found it. To check first
/// how often a text is there without reading the item, use `search` or `dry_run`. If it is there several times, the
/// error shows each place: make `old_str` unique with a line before or after it. If it is not there, the error shows the
/// passages most like it.
#[utoipa::path(patch, path = "/{id}/str-replace", operation_id = "str_replace", request_body = StrReplaceRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = EditResponse)))]
pub(super) async fn str_replace(
    State(state): State<AppState>,
    target: ItemTarget,
    JsonBody(body): JsonBody<StrReplaceRequest>,
) -> HandlerResult {
    edit_target(&state, target, body).await
}

/// Replace a passage of a prompt by its name
///
/// As by its id.
#[utoipa::path(patch, path = "/name/{name}/str-replace", operation_id = "str_replace_by_name", request_body = StrReplaceRequest,
    params(("name" = String, Path)), responses((status = 200, body = EditResponse)))]
pub(super) async fn str_replace_by_name(
    State(state): State<AppState>,
    target: ItemTarget,
    JsonBody(body): JsonBody<StrReplaceRequest>,
) -> HandlerResult {
    edit_target(&state, target, body).await
}

/// Replace lines
///
/// Several ranges at once, by the numbers of the text as it was read. With `expect`, or `expected_version`, lines that
/// moved meanwhile are a `conflict` instead of a mistake.
#[utoipa::path(patch, path = "/{id}/content", operation_id = "patch_content", request_body = PatchContentRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = EditResponse)))]
pub(super) async fn patch_content(
    State(state): State<AppState>,
    target: ItemTarget,
    JsonBody(body): JsonBody<PatchContentRequest>,
) -> HandlerResult {
    edit_target(&state, target, body).await
}

/// Insert a text
///
/// Beside a passage that is there once, or as whole lines at the start or end. Appending needs no reading.
#[utoipa::path(post, path = "/{id}/insert", operation_id = "insert", request_body = InsertRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = EditResponse)))]
pub(super) async fn insert(
    State(state): State<AppState>,
    target: ItemTarget,
    JsonBody(body): JsonBody<InsertRequest>,
) -> HandlerResult {
    edit_target(&state, target, body).await
}

/// Delete a passage
///
/// As replacing it with nothing.
#[utoipa::path(post, path = "/{id}/delete-content", operation_id = "delete_content", request_body = DeleteContentRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = EditResponse)))]
pub(super) async fn delete_content(
    State(state): State<AppState>,
    target: ItemTarget,
    JsonBody(body): JsonBody<DeleteContentRequest>,
) -> HandlerResult {
    edit_target(&state, target, body).await
}

/// Replace several passages
///
/// In order, each on the result of the one before, saved once as one version. The first failure refuses all; its
/// `edit_index` says which it was.
#[utoipa::path(post, path = "/{id}/edits", operation_id = "edits", request_body = EditsRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = EditResponse)))]
pub(super) async fn edits(
    State(state): State<AppState>,
    target: ItemTarget,
    JsonBody(body): JsonBody<EditsRequest>,
) -> HandlerResult {
    edit_target(&state, target, body).await
}

async fn edit_target(state: &AppState, mut target: ItemTarget, mut body: impl EditRequestBody) -> HandlerResult {
    let options = body.options();
    target.require_kind(options.kind.as_deref())?;
    let echo = target.finish_with_echo(Echo::Content)?;
    let expected = target.expected_version(options.expected_version)?;
    let request = edit_request(body, options, expected)?;
    let mode = request.mode;
    let edited = state.interline.edit(&target.caller.0, &target.item, request).await?;
    let after = &edited.after;
    let item = echo.item_body(after).with_owner(&after.item, &target.caller.0);
    response::edited(&EditResponse::new(&edited, mode, item), after.item.stamp)
}
