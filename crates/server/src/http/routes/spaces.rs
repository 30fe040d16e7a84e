//! `/spaces`: the spaces that a caller may see.

use axum::extract::State;
use axum::http::StatusCode;
use utoipa_axum::routes;

use super::rules::{RouteRules, Routes};
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{SpaceList, SpaceResponse};

/// The routes of `/spaces`.
pub(super) fn routes() -> Routes {
    Routes::new().route(routes!(list), RouteRules::read())
}

/// List spaces
///
/// Those that exist for the caller, their own first.
#[utoipa::path(get, path = "/spaces", tag = "users", operation_id = "list_spaces", responses((status = 200, body = SpaceList)))]
async fn list(State(state): State<AppState>, caller: AuthenticatedCaller) -> HandlerResult {
    let spaces = state.interline.spaces(&caller.0)?;
    response::json(StatusCode::OK, &SpaceList { spaces: spaces.iter().map(SpaceResponse::from).collect() })
}
