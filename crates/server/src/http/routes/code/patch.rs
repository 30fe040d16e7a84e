//! `POST /code/patch`: editing a file of code.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::code::{PatchFileRequest, PatchFileResponse, with_code_field_names};

/// Edit a file
///
/// The passage must be there once, or `expected_matches` times; line endings are matched and kept as the file has them.
/// Python is checked before it is stored: an edit that breaks it is `invalid_code`, and the file stays as it was. What
/// cannot be matched is told with `match_locations` or the nearest passages.
#[utoipa::path(post, path = "/code/patch", tag = "code", operation_id = "patch_code", request_body = PatchFileRequest,
    responses((status = 200, body = PatchFileResponse),
        (status = 404, description = "There is no such thing for the caller")))]
pub(super) async fn patch(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(body): JsonBody<PatchFileRequest>,
) -> HandlerResult {
    let (file, request) = body.into_request()?;
    let mode = request.mode;
    let edited = state.interline.patch_file(&caller.0, &file, request).await.map_err(with_code_field_names)?;
    response::json(StatusCode::OK, &PatchFileResponse::new(&edited, mode, &caller.0))
}
