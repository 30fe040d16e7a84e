//! `GET /notes/{id}/history`, `…/{version}`, `…/{version}/diff`, `POST …/{version}/restore`: the versions of an item.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::HistoryQuery;

use super::read::{ReadParameters, body_of_read, content_from_query};
use crate::http::extract::item_target::{ConditionalTarget, Echo, ItemTarget};
use crate::http::extract::path::VersionPath;
use crate::http::extract::query::number;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{HistoryList, ItemConditionRequest, ItemResponse, VersionDiffResponse};

/// List the history of an item
///
/// Every change, newest first: what was done, by whom, through which door. Deleted items have one too.
#[utoipa::path(get, path = "/{id}/history", operation_id = "list_history",
    params(("id" = uuid::Uuid, Path),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100, description = "How many at the most; 50 unless given"),
        ("offset" = Option<i64>, Query, minimum = 0, maximum = 1_000_000, description = "How many newer ones to leave out")),
    responses((status = 200, body = HistoryList)))]
pub(super) async fn list(State(state): State<AppState>, mut target: ItemTarget) -> HandlerResult {
    let limit = target.query.one("limit", number(1, 100)).unwrap_or(50);
    let offset = target.query.one("offset", number(0, 1_000_000)).unwrap_or(0);
    target.query.finish()?;
    let query = HistoryQuery { offset, limit: usize::try_from(limit).unwrap_or(50) };
    let page = state.interline.history(&target.caller.0, &target.item, query).await?;
    response::json(StatusCode::OK, &HistoryList::new(&page, query))
}

/// Read a version of an item
///
/// The item as it was, with its content, lines of it, or a preview.
#[utoipa::path(get, path = "/{id}/history/{version}", operation_id = "read_version",
    params(("id" = uuid::Uuid, Path), ("version" = i64, Path, minimum = 1), ReadParameters),
    responses((status = 200, body = ItemResponse)))]
pub(super) async fn read(State(state): State<AppState>, mut target: ItemTarget, version: VersionPath) -> HandlerResult {
    let (content, extent) = content_from_query(&mut target.query)?;
    let read = state.interline.read_version(&target.caller.0, &target.item, version.0, content).await?;
    let body = body_of_read(&read, content, extent).with_owner(&read.item, &target.caller.0);
    response::json(StatusCode::OK, &body)
}

/// Compare two versions of an item
///
/// The change that leads to a version from the one before it, or from `against`.
#[utoipa::path(get, path = "/{id}/history/{version}/diff", operation_id = "compare_versions",
    params(("id" = uuid::Uuid, Path), ("version" = i64, Path, minimum = 1),
        ("against" = Option<i64>, Query, minimum = 0, description = "The version that the diff leads from; 0 is nothing")),
    responses((status = 200, body = VersionDiffResponse)))]
pub(super) async fn compare(
    State(state): State<AppState>,
    mut target: ItemTarget,
    version: VersionPath,
) -> HandlerResult {
    let against = target.query.one("against", number(0, u64::MAX));
    target.query.finish()?;
    let diff = state.interline.compare_versions(&target.caller.0, &target.item, version.0, against).await?;
    response::json(StatusCode::OK, &VersionDiffResponse::from(&diff))
}

/// Go back to a version of an item
///
/// Its fields and content become a new version, which history calls a `restore`; nothing is lost. Going back to the newest
/// version changes nothing. `duplicate` if the url, name or path of then is taken now.
#[utoipa::path(post, path = "/{id}/history/{version}/restore", operation_id = "restore_version",
    request_body = Option<ItemConditionRequest>,
    params(("id" = uuid::Uuid, Path), ("version" = i64, Path, minimum = 1)), responses((status = 200, body = ItemResponse)))]
pub(super) async fn restore(
    State(state): State<AppState>,
    version: VersionPath,
    conditional: ConditionalTarget,
) -> HandlerResult {
    let ConditionalTarget { mut target, expected } = conditional;
    let echo = target.finish_with_echo(Echo::Content)?;
    let after = state.interline.restore_version(&target.caller.0, &target.item, version.0, expected).await?;
    let body = echo.item_body(&after).with_owner(&after.item, &target.caller.0);
    response::item(StatusCode::OK, &body, after.item.stamp)
}
