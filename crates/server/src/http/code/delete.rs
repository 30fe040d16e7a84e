//! `POST /code/delete`

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::http::identify::Caller;
use crate::wire::code::{DeleteFileRequest, DeleteFileResponse};

/// Delete a file
///
/// It goes into the trash and its path is free; `/content/{id}/restore` brings it back while the path is.
#[utoipa::path(post, path = "/code/delete", tag = "code", operation_id = "delete_code", request_body = DeleteFileRequest,
    responses((status = 200, body = DeleteFileResponse)))]
pub(super) async fn delete(State(app): State<App>, caller: Caller, Json(wanted): Json<DeleteFileRequest>) -> Answer {
    let (file, expected) = wanted.into_request()?;
    let deleted = app.interline.delete_file(&caller.0, &file, expected).await?;
    answer::json(StatusCode::OK, &DeleteFileResponse::new(&deleted, &caller.0))
}
