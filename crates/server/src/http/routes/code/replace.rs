//! `POST /code/replace`: writing a whole file of code.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::ReplacedFile;

use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::code::{ReplaceFileRequest, ReplaceFileResponse};

/// Write a whole file
///
/// Makes it, or gives the one at its path another content; Python is checked before it is stored. On the path of a deleted
/// file it makes a new one. With `expected_version` and `on_stale: "merge"`, what others changed since that version is kept.
#[utoipa::path(post, path = "/code/replace", tag = "code", operation_id = "replace_code", request_body = ReplaceFileRequest,
    responses((status = 200, body = ReplaceFileResponse), (status = 201, description = "Made", body = ReplaceFileResponse),
        (status = 404, description = "There is no such thing for the caller")))]
pub(super) async fn replace(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(body): JsonBody<ReplaceFileRequest>,
) -> HandlerResult {
    let replaced = state.interline.replace_file(&caller.0, body.into_request()?).await?;
    let status = match replaced {
        ReplacedFile::Created(_) => StatusCode::CREATED,
        ReplacedFile::Updated(_) => StatusCode::OK,
    };
    response::json(status, &ReplaceFileResponse::new(&replaced, &caller.0))
}
