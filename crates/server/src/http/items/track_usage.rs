//! `POST /notes/{id}/track-usage`

use axum::extract::State;

use super::collection::{Collection, Echo, answer_with, named_kind};
use crate::http::answer::Answer;
use crate::http::app::App;
use crate::http::identify::Caller;
use crate::http::path::Id;
use crate::http::query::Query;

/// Remember that an item was used
///
/// Sets `last_used_at`; that is no change of the item, and makes no version.
#[utoipa::path(post, path = "/{id}/track-usage", operation_id = "track_usage", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = crate::http::wire::ItemBody)))]
pub(super) async fn track_usage(
    State(app): State<App>,
    caller: Caller,
    collection: Collection,
    id: Id,
    mut query: Query,
) -> Answer {
    let named = named_kind(&mut query);
    let echo = Echo::asked(&mut query, Echo::Preview);
    query.finish()?;
    let item = app.interline.track_usage(&caller.0, &collection.item(&id, named)?).await?;
    answer_with(&app, &caller, item, echo).await
}
