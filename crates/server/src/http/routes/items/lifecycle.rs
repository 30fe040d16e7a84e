//! `POST /notes/{id}/restore`, `/archive`, `/unarchive`, `/track-usage`: restoring, archiving and the time of the last use.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::{Caller, Error, ExpectedVersion, Interline, Item, ItemRef, ReadContent};

use crate::http::extract::item_target::{ConditionalTarget, Echo};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{Extent, ItemConditionRequest, ItemResponse};

/// Take an item from the trash
///
/// Into the state that it had: what was archived when it was deleted is archived again. One that is not in the trash stays
/// as it is. `duplicate` if its url or name was taken
/// meanwhile.
#[utoipa::path(post, path = "/{id}/restore", operation_id = "restore",
    request_body = Option<ItemConditionRequest>, params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn restore(State(state): State<AppState>, conditional: ConditionalTarget) -> HandlerResult {
    change_state(&state, conditional, Interline::restore).await
}

/// Archive an item
///
/// It leaves the lists, and can still be read and edited. One that is archived stays as it is.
#[utoipa::path(post, path = "/{id}/archive", operation_id = "archive",
    request_body = Option<ItemConditionRequest>, params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn archive(State(state): State<AppState>, conditional: ConditionalTarget) -> HandlerResult {
    change_state(&state, conditional, Interline::archive).await
}

/// Take an item from the archive
///
/// One that is active stays as it is.
#[utoipa::path(post, path = "/{id}/unarchive", operation_id = "unarchive",
    request_body = Option<ItemConditionRequest>, params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn unarchive(State(state): State<AppState>, conditional: ConditionalTarget) -> HandlerResult {
    change_state(&state, conditional, Interline::unarchive).await
}

/// Remember that an item was used
///
/// Sets `last_used_at`; that is no change of the item, and makes no version.
#[utoipa::path(post, path = "/{id}/track-usage", operation_id = "track_usage",
    request_body = Option<ItemConditionRequest>, params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn track_usage(State(state): State<AppState>, conditional: ConditionalTarget) -> HandlerResult {
    change_state(&state, conditional, Interline::track_usage).await
}

/// Makes a change that does not touch the content, and answers with the item; the content is read after the change, if the
/// client asks for it.
async fn change_state(
    state: &AppState,
    conditional: ConditionalTarget,
    change: impl AsyncFn(&Interline, &Caller, &ItemRef, ExpectedVersion) -> Result<Item, Error>,
) -> HandlerResult {
    let ConditionalTarget { mut target, expected } = conditional;
    let echo = target.finish_with_echo(Echo::Content)?;
    let item = change(&state.interline, &target.caller.0, &target.item, expected).await?;
    let read = match echo {
        Echo::Preview => None,
        Echo::Content => {
            let changed = ItemRef::Id(item.id, Some(item.kind));
            // The change is made: a content that cannot be read must not look as if the change had failed.
            state.interline.read(&target.caller.0, &changed, ReadContent::Whole).await.ok()
        }
    };
    let (body, item) = match &read {
        Some(read) => (ItemResponse::from_read(read, Extent::Whole), &read.item),
        None => (ItemResponse::without_content(&item), &item),
    };
    response::item(StatusCode::OK, &body.with_owner(item, &target.caller.0), item.stamp)
}
