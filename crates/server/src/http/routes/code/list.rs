//! `POST /code/list`: listing files of code.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::code::{FileList, ListFilesRequest};

/// List files of code
///
/// In the order of their paths, at most 1,000; `count` is how many there are. Of workflows, those of the organization
/// and the global ones.
#[utoipa::path(post, path = "/code/list", tag = "code", operation_id = "list_code", request_body = ListFilesRequest,
    responses((status = 200, body = FileList),
        (status = 404, description = "There is no such thing for the caller")))]
pub(super) async fn list(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(body): JsonBody<ListFilesRequest>,
) -> HandlerResult {
    let page = state.interline.list_files(&caller.0, &body.into_query()?).await?;
    response::json(StatusCode::OK, &FileList::for_caller(&page, &caller.0))
}
