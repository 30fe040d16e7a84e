//! `POST /code/get`

use interline_items::ReadContent;

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::http::identify::Caller;
use crate::wire::code::{FileResponse, GetFileRequest};

/// Read a file
///
/// Its raw content, of a long one the lines of the first 100,000 characters: to change a part of it, search, read lines and patch.
#[utoipa::path(post, path = "/code/get", tag = "code", operation_id = "get_code", request_body = GetFileRequest,
    responses((status = 200, body = FileResponse)))]
pub(super) async fn get(State(app): State<App>, caller: Caller, Json(wanted): Json<GetFileRequest>) -> Answer {
    let read = app.interline.read_file(&caller.0, &wanted.into_file()?, ReadContent::Whole).await?;
    answer::json(StatusCode::OK, &FileResponse::with_content(&read, &caller.0))
}
