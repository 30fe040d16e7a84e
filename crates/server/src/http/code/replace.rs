//! `POST /code/replace`

use interline_items::ReplacedFile;

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::http::identify::Caller;
use crate::wire::code::{ReplaceFileBody, ReplacedBody};

/// Write a whole file
///
/// Makes it, or gives the one at its path another content; Python is checked before it is stored. On the path of a deleted
/// file it makes a new one.
#[utoipa::path(post, path = "/code/replace", tag = "code", operation_id = "replace_code", request_body = ReplaceFileBody,
    responses((status = 200, body = ReplacedBody), (status = 201, description = "Made", body = ReplacedBody)))]
pub(super) async fn replace(State(app): State<App>, caller: Caller, Json(wanted): Json<ReplaceFileBody>) -> Answer {
    let replaced = app.interline.replace_file(&caller.0, wanted.into_request()?).await?;
    let status = match replaced {
        ReplacedFile::Created(_) => StatusCode::CREATED,
        ReplacedFile::Updated(_) => StatusCode::OK,
    };
    answer::json(status, &ReplacedBody::of(&replaced, &caller.0))
}
