//! `POST /notes/{id}/restore`, `/archive`, `/unarchive`

use axum::extract::State;

use super::collection::{Collection, Echo, answer_with, named_kind};
use crate::http::answer::Answer;
use crate::http::app::App;
use crate::http::identify::Caller;
use crate::http::path::Id;
use crate::http::query::Query;

/// Take an item from the trash
///
/// Into the state that it had. One that is not in the trash stays as it is. `duplicate` if its url or name was taken
/// meanwhile.
#[utoipa::path(post, path = "/{id}/restore", operation_id = "restore", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = crate::http::wire::ItemBody)))]
pub(super) async fn restore(
    State(app): State<App>,
    caller: Caller,
    collection: Collection,
    id: Id,
    mut query: Query,
) -> Answer {
    let named = named_kind(&mut query);
    let echo = Echo::asked(&mut query, Echo::Content);
    query.finish()?;
    let item = app.interline.restore(&caller.0, &collection.item(&id, named)?).await?;
    answer_with(&app, &caller, item, echo).await
}

/// Archive an item
///
/// It leaves the lists, and can still be read and edited. One that is archived stays as it is.
#[utoipa::path(post, path = "/{id}/archive", operation_id = "archive", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = crate::http::wire::ItemBody)))]
pub(super) async fn archive(
    State(app): State<App>,
    caller: Caller,
    collection: Collection,
    id: Id,
    mut query: Query,
) -> Answer {
    let named = named_kind(&mut query);
    let echo = Echo::asked(&mut query, Echo::Content);
    query.finish()?;
    let item = app.interline.archive(&caller.0, &collection.item(&id, named)?).await?;
    answer_with(&app, &caller, item, echo).await
}

/// Take an item from the archive
///
/// One that is active stays as it is.
#[utoipa::path(post, path = "/{id}/unarchive", operation_id = "unarchive", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = crate::http::wire::ItemBody)))]
pub(super) async fn unarchive(
    State(app): State<App>,
    caller: Caller,
    collection: Collection,
    id: Id,
    mut query: Query,
) -> Answer {
    let named = named_kind(&mut query);
    let echo = Echo::asked(&mut query, Echo::Content);
    query.finish()?;
    let item = app.interline.unarchive(&caller.0, &collection.item(&id, named)?).await?;
    answer_with(&app, &caller, item, echo).await
}
