//! `DELETE /notes/{id}`

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

use super::collection::{Collection, named_kind};
use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::condition;
use crate::http::identify::Caller;
use crate::http::path::Id;
use crate::http::query::{Query, switch};

/// Delete an item
///
/// It goes into the trash, from where `restore` brings it back, until the trash is emptied. With `permanent=true` it is
/// removed at once with its history, whether it is in the trash or not.
#[utoipa::path(delete, path = "/{id}", operation_id = "delete",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header),
        ("permanent" = Option<bool>, Query, description = "Whether it is removed for good")),
    responses((status = 204, description = "Deleted")))]
pub(super) async fn delete(
    State(app): State<App>,
    caller: Caller,
    collection: Collection,
    id: Id,
    mut query: Query,
    headers: HeaderMap,
) -> Answer {
    let named = named_kind(&mut query);
    let permanent = query.one("permanent", switch).unwrap_or(false);
    query.finish()?;
    let expected = condition::expected(&headers, None)?;
    let which = collection.item(&id, named)?;
    if permanent {
        app.interline.purge(&caller.0, &which, expected).await?;
    } else {
        app.interline.delete(&caller.0, &which, expected).await?;
    }
    Ok(answer::empty(StatusCode::NO_CONTENT))
}
