//! `POST /notes/{id}/restore`, `/archive`, `/unarchive`

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use interline_items::{ExpectedVersion, ItemRef};

use super::collection::{Collection, Echo, answer_with, named_kind};
use crate::http::answer::Answer;
use crate::http::app::App;
use crate::http::condition;
use crate::http::error::ApiError;
use crate::http::identify::Caller;
use crate::http::path::Id;
use crate::http::query::Query;
use crate::http::wire::ItemBody;

/// What every request of these routes says.
pub(super) struct Turn {
    caller: Caller,
    which: ItemRef,
    expected: ExpectedVersion,
    echo: Echo,
}

impl<S: Send + Sync> FromRequestParts<S> for Turn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Turn, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let collection = Collection::from_request_parts(parts, state).await?;
        let id = Id::from_request_parts(parts, state).await?;
        let Ok(mut query) = Query::from_request_parts(parts, state).await;
        let named = named_kind(&mut query);
        let echo = Echo::asked(&mut query, Echo::Content);
        query.finish()?;
        let expected = condition::expected(&parts.headers, None)?;
        Ok(Turn { caller, which: collection.item(&id, named)?, expected, echo })
    }
}

/// Take an item from the trash
///
/// Into the state that it had. One that is not in the trash stays as it is. `duplicate` if its url or name was taken
/// meanwhile.
#[utoipa::path(post, path = "/{id}/restore", operation_id = "restore",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header)), responses((status = 200, body = ItemBody)))]
pub(super) async fn restore(State(app): State<App>, turn: Turn) -> Answer {
    let item = app.interline.restore(&turn.caller.0, &turn.which, turn.expected).await?;
    answer_with(&app, &turn.caller, item, turn.echo).await
}

/// Archive an item
///
/// It leaves the lists, and can still be read and edited. One that is archived stays as it is.
#[utoipa::path(post, path = "/{id}/archive", operation_id = "archive",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header)), responses((status = 200, body = ItemBody)))]
pub(super) async fn archive(State(app): State<App>, turn: Turn) -> Answer {
    let item = app.interline.archive(&turn.caller.0, &turn.which, turn.expected).await?;
    answer_with(&app, &turn.caller, item, turn.echo).await
}

/// Take an item from the archive
///
/// One that is active stays as it is.
#[utoipa::path(post, path = "/{id}/unarchive", operation_id = "unarchive",
    params(("id" = uuid::Uuid, Path), ("If-Match" = Option<String>, Header)), responses((status = 200, body = ItemBody)))]
pub(super) async fn unarchive(State(app): State<App>, turn: Turn) -> Answer {
    let item = app.interline.unarchive(&turn.caller.0, &turn.which, turn.expected).await?;
    answer_with(&app, &turn.caller, item, turn.echo).await
}
