//! `/changes`: change sets, the inbox of what agents did, keeping it and taking it back.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::{Author, ChangeSetFilter, ChangeSetId, FindChangeSets, ItemId, ReviewState, TokenId, UserId};
use jiff::Timestamp;
use utoipa_axum::routes;
use uuid::Uuid;

use super::rules::{RouteRules, Routes};
use crate::http::extract::body::{JsonBody, OptionalJsonBody};
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::path::IdPath;
use crate::http::extract::query::{QueryParams, boolean, number};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{
    ChangeSetDetailsResponse, ChangeSetList, ChangeSetResponse, KeepChangeSetsRequest, KeepChangesRequest,
    KeptChangeSets, ReviewStateName, UndoChangesRequest, UndoneChangesResponse, item_ids, read_change_set_cursor,
};

/// The routes of `/changes`.
pub(super) fn routes() -> Routes {
    Routes::new()
        .route(routes!(list), RouteRules::read())
        .route(routes!(read), RouteRules::read())
        .route(routes!(keep_several), RouteRules::write().without_idempotency_key())
        .route(routes!(keep), RouteRules::write().without_idempotency_key())
        .route(routes!(undo), RouteRules::write().without_idempotency_key())
}

/// List change sets
///
/// What each client did in one go, newest first: who, through which door, why, which items, and what people have decided about
/// it. `state=unreviewed` is the inbox: what agents did and nobody has looked at.
#[utoipa::path(get, path = "/changes", tag = "changes", operation_id = "list_changes",
    params(
        ("item" = Option<Uuid>, Query, description = "Only sets that changed this item"),
        ("user" = Option<Uuid>, Query, description = "Only sets of this user"),
        ("token" = Option<Uuid>, Query, description = "Only sets that were made with this token"),
        ("client" = Option<String>, Query, description = "Only sets of clients with this name"),
        ("agent" = Option<bool>, Query, description = "Only sets of agents, or only those of people"),
        ("state" = Option<ReviewStateName>, Query, description = "Only sets in this state"),
        ("since" = Option<String>, Query, description = "Only sets that were begun at this time or later"),
        ("before" = Option<String>, Query, description = "Only sets that were begun before this time"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100, description = "How many at the most; 50 unless given"),
        ("cursor" = Option<String>, Query, description = "Where the page begins: `next_cursor` of the one before")),
    responses((status = 200, body = ChangeSetList)))]
async fn list(State(state): State<AppState>, caller: AuthenticatedCaller, mut query: QueryParams) -> HandlerResult {
    let filter = ChangeSetFilter {
        item: query.one("item", uuid).map(ItemId::from_uuid),
        user: query.one("user", uuid).map(UserId::from_uuid),
        token: query.one("token", uuid).map(TokenId::from_uuid),
        client: query.one("client", |text| Ok(text.to_owned())),
        author: query.one("agent", boolean).map(|agent| if agent { Author::Agent } else { Author::Person }),
        state: query.one("state", review_state),
        since: query.one("since", time),
        before: query.one("before", time),
    };
    let limit = query.one("limit", number(1, 100)).and_then(|limit| usize::try_from(limit).ok()).unwrap_or(50);
    let after = query.one("cursor", |text| {
        read_change_set_cursor(text).ok_or_else(|| "must be the `next_cursor` of a page".to_owned())
    });
    query.finish()?;
    let page = state.interline.change_sets(&caller.0, FindChangeSets { filter, after, limit }).await?;
    response::json(StatusCode::OK, &ChangeSetList::new(&page, limit))
}

/// Read a change set
///
/// With the net change of each item, from before its first version in the set to after its last. Where versions of others lie
/// between and cannot be taken out, the item has several diffs in `parts`. The ids of hunks are for undo.
#[utoipa::path(get, path = "/changes/{id}", tag = "changes", operation_id = "get_change_set",
    params(("id" = Uuid, Path), ("item" = Option<Uuid>, Query, description = "Only what was done to this item")),
    responses((status = 200, body = ChangeSetDetailsResponse)))]
async fn read(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    id: IdPath,
    mut query: QueryParams,
) -> HandlerResult {
    let item = query.one("item", uuid).map(ItemId::from_uuid);
    query.finish()?;
    let details = state.interline.change_set(&caller.0, ChangeSetId::from_uuid(id.0), item).await?;
    response::json(StatusCode::OK, &ChangeSetDetailsResponse::from(&details))
}

/// Keep the changes of a set
///
/// For people whose token has the scope `review`: they have seen what was done, to all items or to some. To keep something
/// twice changes nothing.
#[utoipa::path(post, path = "/changes/{id}/keep", tag = "changes", operation_id = "keep_changes",
    request_body = Option<KeepChangesRequest>, params(("id" = Uuid, Path)),
    responses((status = 200, body = ChangeSetResponse)))]
async fn keep(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    id: IdPath,
    OptionalJsonBody(request): OptionalJsonBody<KeepChangesRequest>,
) -> HandlerResult {
    let items = request.items.map(item_ids);
    let kept = state.interline.keep_changes(&caller.0, ChangeSetId::from_uuid(id.0), items.as_deref()).await?;
    response::json(StatusCode::OK, &ChangeSetResponse::from(&kept))
}

/// Keep several change sets
///
/// As for one, each by itself. If one of them does not exist, none is kept.
#[utoipa::path(post, path = "/changes/keep", tag = "changes", operation_id = "keep_change_sets",
    request_body = KeepChangeSetsRequest, responses((status = 200, body = KeptChangeSets),
        (status = 404, description = "There is no such thing for the caller")))]
async fn keep_several(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(request): JsonBody<KeepChangeSetsRequest>,
) -> HandlerResult {
    let ids: Vec<ChangeSetId> = request.ids.into_iter().map(ChangeSetId::from_uuid).collect();
    let kept = state.interline.keep_change_sets(&caller.0, &ids).await?;
    response::json(StatusCode::OK, &KeptChangeSets { items: kept.iter().map(ChangeSetResponse::from).collect() })
}

/// Take the changes of a set back
///
/// All of them, those of some items, or some hunks; over what came later, which stays. Items that the set made go to the trash,
/// those that it deleted come back. Where that would harm what others did since, nothing is taken back and `conflicts` says
/// where; with `skip_conflicts` the rest is. The undo is a change set itself, which can be taken back.
///
/// Of more than 100 items, 100 at a time are one transaction; an interrupted undo goes on when it is asked for again.
#[utoipa::path(post, path = "/changes/{id}/undo", tag = "changes", operation_id = "undo_changes",
    request_body = Option<UndoChangesRequest>, params(("id" = Uuid, Path)),
    responses((status = 200, body = UndoneChangesResponse)))]
async fn undo(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    id: IdPath,
    OptionalJsonBody(request): OptionalJsonBody<UndoChangesRequest>,
) -> HandlerResult {
    let undone = state.interline.undo_changes(&caller.0, ChangeSetId::from_uuid(id.0), request.into_undo()).await?;
    response::json(StatusCode::OK, &UndoneChangesResponse::new(undone.set.as_ref(), &undone.skipped))
}

pub(super) fn uuid(text: &str) -> Result<Uuid, String> {
    Uuid::try_parse(text).map_err(|_| "must be a UUID".to_owned())
}

fn time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| "must be a time as RFC 3339, such as 2030-01-31T12:00:00Z".to_owned())
}

fn review_state(text: &str) -> Result<ReviewState, String> {
    ReviewState::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = ReviewState::ALL.iter().map(|state| state.name()).collect();
        format!("must be one of {}", names.join(", "))
    })
}
