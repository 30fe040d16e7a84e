//! `GET /notes/{id}/blame`: from which version each line of an item came.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::extract::item_target::ItemTarget;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::BlameResponse;

/// Say where each line of an item came from
///
/// Ranges of lines, each with the version that wrote them: who, with which client, why and when. Lines that a merge, an undo or
/// a restore brought back keep their first origin where the history tells it. Where old versions were forgotten, the oldest that
/// is kept is the origin of what it had. Archived and deleted items have it too; an item without content has no lines.
#[utoipa::path(get, path = "/{id}/blame", operation_id = "blame",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = BlameResponse)))]
pub(super) async fn blame(State(state): State<AppState>, target: ItemTarget) -> HandlerResult {
    target.query.finish()?;
    let blame = state.interline.blame(&target.caller.0, &target.item).await?;
    response::json(StatusCode::OK, &BlameResponse::from(&blame))
}
