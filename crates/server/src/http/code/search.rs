//! `POST /code/search`

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::http::identify::Caller;
use crate::wire::code::{SearchCodeRequest, SearchCodeResponse};

/// Search through files of code
///
/// The lines on which matches start, with those around them. `total_matches` is the true total. What was written before is
/// found. Go on with `read` around a line and `patch`.
#[utoipa::path(post, path = "/code/search", tag = "code", operation_id = "search_code", request_body = SearchCodeRequest,
    responses((status = 200, body = SearchCodeResponse)))]
pub(super) async fn search(State(app): State<App>, caller: Caller, Json(wanted): Json<SearchCodeRequest>) -> Answer {
    let found = app.interline.search_code(&caller.0, wanted.into_search()?).await?;
    answer::json(StatusCode::OK, &SearchCodeResponse::new(found, &caller.0))
}
