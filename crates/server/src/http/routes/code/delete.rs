//! `POST /code/delete`: deleting a file of code.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::code::{DeleteFileRequest, DeleteFileResponse};

/// Delete a file
///
/// It goes into the trash and its path is free; `/content/{id}/restore` brings it back while the path is.
#[utoipa::path(post, path = "/code/delete", tag = "code", operation_id = "delete_code", request_body = DeleteFileRequest,
    responses((status = 200, body = DeleteFileResponse),
        (status = 404, description = "There is no such thing for the caller")))]
pub(super) async fn delete(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(body): JsonBody<DeleteFileRequest>,
) -> HandlerResult {
    let (file, expected) = body.into_request()?;
    let deleted = state.interline.delete_file(&caller.0, &file, expected).await?;
    response::json(StatusCode::OK, &DeleteFileResponse::new(&deleted, &caller.0))
}
