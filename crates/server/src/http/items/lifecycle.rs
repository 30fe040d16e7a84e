//! `POST /notes/{id}/restore`, `/archive`, `/unarchive`, `/track-usage`

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::{Item, ItemRef, ReadContent};

use super::target::{Conditional, Echo, Target};
use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::wire::{Extent, ItemConditionRequest, ItemResponse};

/// Take an item from the trash
///
/// Into the state that it had. One that is not in the trash stays as it is. `duplicate` if its url or name was taken
/// meanwhile.
#[utoipa::path(post, path = "/{id}/restore", operation_id = "restore",
    request_body = Option<ItemConditionRequest>, params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn restore(State(app): State<App>, conditional: Conditional) -> Answer {
    let Conditional { mut target, expected } = conditional;
    let echo = target.echo(Echo::Content)?;
    let item = app.interline.restore(&target.caller.0, &target.which, expected).await?;
    answer_with(&app, &target, item, echo).await
}

/// Archive an item
///
/// It leaves the lists, and can still be read and edited. One that is archived stays as it is.
#[utoipa::path(post, path = "/{id}/archive", operation_id = "archive",
    request_body = Option<ItemConditionRequest>, params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn archive(State(app): State<App>, conditional: Conditional) -> Answer {
    let Conditional { mut target, expected } = conditional;
    let echo = target.echo(Echo::Content)?;
    let item = app.interline.archive(&target.caller.0, &target.which, expected).await?;
    answer_with(&app, &target, item, echo).await
}

/// Take an item from the archive
///
/// One that is active stays as it is.
#[utoipa::path(post, path = "/{id}/unarchive", operation_id = "unarchive",
    request_body = Option<ItemConditionRequest>, params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn unarchive(State(app): State<App>, conditional: Conditional) -> Answer {
    let Conditional { mut target, expected } = conditional;
    let echo = target.echo(Echo::Content)?;
    let item = app.interline.unarchive(&target.caller.0, &target.which, expected).await?;
    answer_with(&app, &target, item, echo).await
}

/// Remember that an item was used
///
/// Sets `last_used_at`; that is no change of the item, and makes no version.
#[utoipa::path(post, path = "/{id}/track-usage", operation_id = "track_usage",
    request_body = Option<ItemConditionRequest>, params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn track_usage(State(app): State<App>, conditional: Conditional) -> Answer {
    let Conditional { mut target, expected } = conditional;
    let echo = target.echo(Echo::Content)?;
    let item = app.interline.track_usage(&target.caller.0, &target.which, expected).await?;
    answer_with(&app, &target, item, echo).await
}

/// The item after a change that does not touch the content, which is read now if it is wanted.
async fn answer_with(app: &App, target: &Target, item: Item, echo: Echo) -> Answer {
    let read = match echo {
        Echo::Preview => None,
        Echo::Content => {
            let which = ItemRef::Id(item.id, Some(item.kind));
            // The change is made: that it cannot be shown whole must not look as if it had failed.
            app.interline.read(&target.caller.0, &which, ReadContent::Whole).await.ok()
        }
    };
    let (body, item) = match &read {
        Some(read) => (ItemResponse::from_read(read, Extent::Whole), &read.item),
        None => (ItemResponse::without_content(&item), &item),
    };
    answer::item(StatusCode::OK, &body.with_owner(item, &target.caller.0), item.stamp)
}
