//! `PATCH /notes/{id}/str-replace`, `PATCH …/content`, `POST …/insert`, `…/delete-content`, `…/edits`

use axum::extract::State;

use super::target::{Echo, Target};
use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::wire::{
    DeleteContentRequest, EditRequestBody, EditResponse, EditsRequest, InsertRequest, ItemResponse,
    PatchContentRequest, StrReplaceRequest, edit_request,
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
pub(super) async fn str_replace(State(app): State<App>, target: Target, Json(body): Json<StrReplaceRequest>) -> Answer {
    carry_out(&app, target, body).await
}

/// Replace a passage of a prompt by its name
///
/// As by its id.
#[utoipa::path(patch, path = "/name/{name}/str-replace", operation_id = "str_replace_by_name", request_body = StrReplaceRequest,
    params(("name" = String, Path)), responses((status = 200, body = EditResponse)))]
pub(super) async fn str_replace_by_name(
    State(app): State<App>,
    target: Target,
    Json(body): Json<StrReplaceRequest>,
) -> Answer {
    carry_out(&app, target, body).await
}

/// Replace lines
///
/// Several ranges at once, by the numbers of the text as it was read. With `expect`, or `expected_version`, lines that
/// moved meanwhile are a `conflict` instead of a mistake.
#[utoipa::path(patch, path = "/{id}/content", operation_id = "patch_content", request_body = PatchContentRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = EditResponse)))]
pub(super) async fn patch_content(
    State(app): State<App>,
    target: Target,
    Json(body): Json<PatchContentRequest>,
) -> Answer {
    carry_out(&app, target, body).await
}

/// Insert a text
///
/// Beside a passage that is there once, or as whole lines at the start or end. Appending needs no reading.
#[utoipa::path(post, path = "/{id}/insert", operation_id = "insert", request_body = InsertRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = EditResponse)))]
pub(super) async fn insert(State(app): State<App>, target: Target, Json(body): Json<InsertRequest>) -> Answer {
    carry_out(&app, target, body).await
}

/// Delete a passage
///
/// As replacing it with nothing.
#[utoipa::path(post, path = "/{id}/delete-content", operation_id = "delete_content", request_body = DeleteContentRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = EditResponse)))]
pub(super) async fn delete_content(
    State(app): State<App>,
    target: Target,
    Json(body): Json<DeleteContentRequest>,
) -> Answer {
    carry_out(&app, target, body).await
}

/// Replace several passages
///
/// In order, each on the result of the one before, saved once as one version. The first failure refuses all; its
/// `edit_index` says which it was.
#[utoipa::path(post, path = "/{id}/edits", operation_id = "edits", request_body = EditsRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = EditResponse)))]
pub(super) async fn edits(State(app): State<App>, target: Target, Json(body): Json<EditsRequest>) -> Answer {
    carry_out(&app, target, body).await
}

async fn carry_out(app: &App, mut target: Target, mut body: impl EditRequestBody) -> Answer {
    let options = body.options();
    target.narrow(options.kind.as_deref())?;
    let echo = target.echo(Echo::Content)?;
    let expected = target.expected(options.expected_version)?;
    let request = edit_request(body, options, expected)?;
    let mode = request.mode;
    let edited = app.interline.edit(&target.caller.0, &target.which, request).await?;
    let after = &edited.after;
    let item = match echo {
        Echo::Content => ItemResponse::with_content(&after.item, after.content.as_deref()),
        Echo::Preview => ItemResponse::without_content(&after.item),
    };
    let item = item.with_owner(&after.item, &target.caller.0);
    answer::edited(&EditResponse::new(&edited, mode, item), after.item.stamp)
}
