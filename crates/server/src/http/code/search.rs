//! `POST /code/search`

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::http::identify::Caller;
use crate::wire::code::{FoundCode, SearchCode};

/// Search through files of code
///
/// The lines on which matches start, with those around them. `total_matches` is the true total. What was written before is
/// found. Go on with `read` around a line and `patch`.
#[utoipa::path(post, path = "/code/search", tag = "code", operation_id = "search_code", request_body = SearchCode,
    responses((status = 200, body = FoundCode)))]
pub(super) async fn search(State(app): State<App>, caller: Caller, Json(wanted): Json<SearchCode>) -> Answer {
    let found = app.interline.search_code(&caller.0, wanted.into_search()?).await?;
    answer::json(StatusCode::OK, &FoundCode::of(found, &caller.0))
}
