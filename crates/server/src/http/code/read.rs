//! `POST /code/read`

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::http::identify::Caller;
use crate::wire::code::{FileLines, ReadFileLinesRequest};

/// Read lines of a file
///
/// Numbered, for navigation: edits name passages, not lines. A first line past the end is `invalid_lines`; a last one past
/// the end is the last there is.
#[utoipa::path(post, path = "/code/read", tag = "code", operation_id = "read_code", request_body = ReadFileLinesRequest,
    responses((status = 200, body = FileLines)))]
pub(super) async fn read(State(app): State<App>, caller: Caller, Json(wanted): Json<ReadFileLinesRequest>) -> Answer {
    let (file, lines) = wanted.into_query()?;
    let read = app.interline.read_file(&caller.0, &file, lines).await?;
    answer::json(StatusCode::OK, &FileLines::new(&read, &caller.0))
}
