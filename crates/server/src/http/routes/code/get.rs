//! `POST /code/get`: reading a whole file of code.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::ReadContent;

use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::code::{FileResponse, GetFileRequest};

/// Read a file
///
/// Its raw content, of a long one the lines of the first 100,000 characters: to change a part of it, search, read lines and patch.
#[utoipa::path(post, path = "/code/get", tag = "code", operation_id = "get_code", request_body = GetFileRequest,
    responses((status = 200, body = FileResponse),
        (status = 404, description = "There is no such thing for the caller")))]
pub(super) async fn get(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(body): JsonBody<GetFileRequest>,
) -> HandlerResult {
    let read = state.interline.read_file(&caller.0, &body.into_file()?, ReadContent::Whole).await?;
    response::json(StatusCode::OK, &FileResponse::with_content(&read, &caller.0))
}
