//! `DELETE /notes/{id}`: deleting an item, into the trash or for good.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::extract::item_target::ConditionalTarget;
use crate::http::extract::query::boolean;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::ItemConditionRequest;

/// Delete an item
///
/// It goes into the trash, from where `restore` brings it back, until the trash is emptied. With `permanent=true` it is
/// removed at once with its history, whether it is in the trash or not.
#[utoipa::path(delete, path = "/{id}", operation_id = "delete",
    request_body = Option<ItemConditionRequest>,
    params(("id" = uuid::Uuid, Path),
        ("permanent" = Option<bool>, Query, description = "Whether it is removed for good")),
    responses((status = 204, description = "Deleted")))]
pub(super) async fn delete(State(state): State<AppState>, conditional: ConditionalTarget) -> HandlerResult {
    let ConditionalTarget { mut target, expected } = conditional;
    let permanent = target.query.one("permanent", boolean).unwrap_or(false);
    target.query.finish()?;
    if permanent {
        state.interline.purge(&target.caller.0, &target.item, expected).await?;
    } else {
        state.interline.delete(&target.caller.0, &target.item, expected).await?;
    }
    Ok(response::empty(StatusCode::NO_CONTENT))
}
