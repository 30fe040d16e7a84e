//! `/spaces`

use axum::extract::State;
use axum::http::StatusCode;

use super::answer::{self, Answer};
use super::app::App;
use super::identify::Caller;
use crate::wire::{SpaceList, SpaceResponse};

/// List spaces
///
/// Those that exist for the caller, their own first.
#[utoipa::path(get, path = "/spaces", tag = "users", operation_id = "list_spaces", responses((status = 200, body = SpaceList)))]
pub(super) async fn list(State(app): State<App>, caller: Caller) -> Answer {
    let spaces = app.interline.spaces(&caller.0)?;
    answer::json(StatusCode::OK, &SpaceList { spaces: spaces.iter().map(SpaceResponse::from).collect() })
}
