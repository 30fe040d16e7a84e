//! `DELETE /notes/{id}`

use axum::extract::State;
use axum::http::StatusCode;

use super::target::Conditional;
use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::query::switch;
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
pub(super) async fn delete(State(app): State<App>, conditional: Conditional) -> Answer {
    let Conditional { mut target, expected } = conditional;
    let permanent = target.query.one("permanent", switch).unwrap_or(false);
    target.query.finish()?;
    if permanent {
        app.interline.purge(&target.caller.0, &target.which, expected).await?;
    } else {
        app.interline.delete(&target.caller.0, &target.which, expected).await?;
    }
    Ok(answer::empty(StatusCode::NO_CONTENT))
}
