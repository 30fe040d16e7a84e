//! `POST /code/list`

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::http::identify::Caller;
use crate::wire::code::{FileList, ListFilesRequest};

/// List files of code
///
/// In the order of their paths, at most 1,000; `count` is how many there are. Of workflows, those of the organization
/// and the global ones.
#[utoipa::path(post, path = "/code/list", tag = "code", operation_id = "list_code", request_body = ListFilesRequest,
    responses((status = 200, body = FileList)))]
pub(super) async fn list(State(app): State<App>, caller: Caller, Json(wanted): Json<ListFilesRequest>) -> Answer {
    let page = app.interline.list_files(&caller.0, &wanted.into_query()?).await?;
    answer::json(StatusCode::OK, &FileList::for_caller(&page, &caller.0))
}
