//! `POST /code/read`: reading lines of a file of code.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::code::{FileLines, ReadFileLinesRequest};

/// Read lines of a file
///
/// Numbered, for navigation: edits name passages, not lines. A first line past the end is `invalid_lines`; a last one past
/// the end is the last there is.
#[utoipa::path(post, path = "/code/read", tag = "code", operation_id = "read_code", request_body = ReadFileLinesRequest,
    responses((status = 200, body = FileLines),
        (status = 404, description = "There is no such thing for the caller")))]
pub(super) async fn read(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(body): JsonBody<ReadFileLinesRequest>,
) -> HandlerResult {
    let (file, lines) = body.into_query()?;
    let read = state.interline.read_file(&caller.0, &file, lines).await?;
    response::json(StatusCode::OK, &FileLines::new(&read, &caller.0))
}
