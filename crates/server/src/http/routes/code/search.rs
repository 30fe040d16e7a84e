//! `POST /code/search`: searching through files of code.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::code::{SearchCodeRequest, SearchCodeResponse};

/// Search through files of code
///
/// The lines on which matches start, with those around them. `total_matches` is the true total. What was written before is
/// found. Go on with `read` around a line and `patch`.
#[utoipa::path(post, path = "/code/search", tag = "code", operation_id = "search_code", request_body = SearchCodeRequest,
    responses((status = 200, body = SearchCodeResponse),
        (status = 404, description = "There is no such thing for the caller")))]
pub(super) async fn search(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(body): JsonBody<SearchCodeRequest>,
) -> HandlerResult {
    let found = state.interline.search_code(&caller.0, body.into_search()?).await?;
    response::json(StatusCode::OK, &SearchCodeResponse::new(found, &caller.0))
}
