//! `POST /code/patch`

use interline_items::Error;

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::http::identify::Caller;
use crate::wire::code::{PatchFileRequest, PatchFileResponse};

/// Edit a file
///
/// The passage must be there once, or `expected_matches` times; line endings are matched and kept as the file has them.
/// Python is checked before it is stored: an edit that breaks it is `invalid_code`, and the file stays as it was. What
/// cannot be matched is told with `match_locations` or the nearest passages.
#[utoipa::path(post, path = "/code/patch", tag = "code", operation_id = "patch_code", request_body = PatchFileRequest,
    responses((status = 200, body = PatchFileResponse)))]
pub(super) async fn patch(State(app): State<App>, caller: Caller, Json(wanted): Json<PatchFileRequest>) -> Answer {
    let (file, request) = wanted.into_request()?;
    let mode = request.mode;
    let edited = app.interline.patch_file(&caller.0, &file, request).await.map_err(Error::in_words_of_code)?;
    answer::json(StatusCode::OK, &PatchFileResponse::new(&edited, mode, &caller.0))
}
