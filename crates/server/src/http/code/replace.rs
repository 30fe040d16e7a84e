//! `POST /code/replace`

use interline_items::Replaced;

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::http::identify::Caller;
use crate::wire::code::{ReplaceFileRequest, ReplaceFileResponse};

/// Write a whole file
///
/// Makes it, or gives the one at its path another content; Python is checked before it is stored. On the path of a deleted
/// file it makes a new one.
#[utoipa::path(post, path = "/code/replace", tag = "code", operation_id = "replace_code", request_body = ReplaceFileRequest,
    responses((status = 200, body = ReplaceFileResponse), (status = 201, description = "Made", body = ReplaceFileResponse)))]
pub(super) async fn replace(State(app): State<App>, caller: Caller, Json(wanted): Json<ReplaceFileRequest>) -> Answer {
    let replaced = app.interline.replace_file(&caller.0, wanted.into_request()?).await?;
    let status = match replaced {
        Replaced::Created(_) => StatusCode::CREATED,
        Replaced::FieldChange(_) => StatusCode::OK,
    };
    answer::json(status, &ReplaceFileResponse::new(&replaced, &caller.0))
}
