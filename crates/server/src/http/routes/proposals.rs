//! `/proposals`: changes of items that wait for a person's decision.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::{
    FindProposals, ItemId, ProposalChoice, ProposalFilter, ProposalId, ProposalState, TokenId, UserId,
};
use utoipa_axum::routes;

use super::changes::uuid as parse_uuid;
use super::rules::{RouteRules, Routes};
use crate::http::extract::body::{JsonBody, OptionalJsonBody};
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::path::IdPath;
use crate::http::extract::query::{QueryParams, number};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{
    AcceptProposalRequest, DecideProposalsRequest, DecidedProposalList, ProposalAcceptanceResponse,
    ProposalDetailsResponse, ProposalList, ProposalResponse, ProposalStateName, RejectProposalRequest,
};

/// The routes of `/proposals`.
pub(super) fn routes() -> Routes {
    let write = || RouteRules::write().without_idempotency_key();
    Routes::new()
        .route(routes!(list), RouteRules::read())
        .route(routes!(read), RouteRules::read())
        .route(routes!(withdraw), write())
        .route(routes!(accept_several), write())
        .route(routes!(reject_several), write())
        .route(routes!(accept), write())
        .route(routes!(reject), write())
}

/// List proposals
///
/// Those of the token, and those that its user may decide about, newest first.
#[utoipa::path(get, path = "/proposals", tag = "proposals", operation_id = "list_proposals",
    params(
        ("state" = Option<ProposalStateName>, Query, description = "Only proposals in this state"),
        ("item" = Option<uuid::Uuid>, Query, description = "Only proposals for this item"),
        ("user" = Option<uuid::Uuid>, Query, description = "Only proposals of this user"),
        ("token" = Option<uuid::Uuid>, Query, description = "Only proposals that were made with this token"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100, description = "How many at the most; 50 unless given"),
        ("cursor" = Option<String>, Query, description = "Where the page begins: `next_cursor` of the one before")),
    responses((status = 200, body = ProposalList)))]
async fn list(State(state): State<AppState>, caller: AuthenticatedCaller, mut query: QueryParams) -> HandlerResult {
    let filter = ProposalFilter {
        state: query.one("state", proposal_state),
        item: query.one("item", parse_uuid).map(ItemId::from_uuid),
        user: query.one("user", parse_uuid).map(UserId::from_uuid),
        token: query.one("token", parse_uuid).map(TokenId::from_uuid),
    };
    let limit = query.one("limit", number(1, 100)).and_then(|limit| usize::try_from(limit).ok()).unwrap_or(50);
    let after =
        query.one("cursor", |text| parse_uuid(text).map_err(|_| "must be the `next_cursor` of a page".to_owned()));
    query.finish()?;
    let find = FindProposals { filter, after: after.map(ProposalId::from_uuid), limit };
    let page = state.interline.proposals(&caller.0, find).await?;
    response::json(StatusCode::OK, &ProposalList::new(&page, limit))
}

/// Read a proposal
///
/// With the change of the content from the version that it was made for, whose hunks can be accepted one by one, and the
/// requests that made it.
#[utoipa::path(get, path = "/proposals/{id}", tag = "proposals", operation_id = "get_proposal",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ProposalDetailsResponse)))]
async fn read(State(state): State<AppState>, caller: AuthenticatedCaller, id: IdPath) -> HandlerResult {
    let details = state.interline.proposal(&caller.0, ProposalId::from_uuid(id.0)).await?;
    response::json(StatusCode::OK, &ProposalDetailsResponse::from(&details))
}

/// Withdraw a proposal
///
/// For the token that made it, and for people who may decide about it. Nothing is applied.
#[utoipa::path(delete, path = "/proposals/{id}", tag = "proposals", operation_id = "withdraw_proposal",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ProposalResponse)))]
async fn withdraw(State(state): State<AppState>, caller: AuthenticatedCaller, id: IdPath) -> HandlerResult {
    let withdrawn = state.interline.withdraw_proposal(&caller.0, ProposalId::from_uuid(id.0)).await?;
    response::json(StatusCode::OK, &ProposalResponse::from(&withdrawn))
}

/// Accept a proposal
///
/// For people whose token has the scope `review`. Exactly the change that the proposal shows is carried onto what the item is
/// now, as a version of who made it; where others changed the same since, it is a conflict, nothing is applied, and the proposal
/// is stale. With `hunks` only those are applied and the rest stays pending; with `content` the reviewer's own text is.
#[utoipa::path(post, path = "/proposals/{id}/accept", tag = "proposals", operation_id = "accept_proposal",
    request_body = AcceptProposalRequest, params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = ProposalAcceptanceResponse)))]
async fn accept(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    id: IdPath,
    JsonBody(request): JsonBody<AcceptProposalRequest>,
) -> HandlerResult {
    let request = request.into_accept()?;
    let accepted = state.interline.accept_proposal(&caller.0, ProposalId::from_uuid(id.0), request).await?;
    response::json(StatusCode::OK, &ProposalAcceptanceResponse::from(&accepted))
}

/// Reject a proposal
///
/// For people whose token has the scope `review`. Nothing is applied; the token that made it is told the reason.
#[utoipa::path(post, path = "/proposals/{id}/reject", tag = "proposals", operation_id = "reject_proposal",
    request_body = Option<RejectProposalRequest>, params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = ProposalResponse)))]
async fn reject(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    id: IdPath,
    OptionalJsonBody(request): OptionalJsonBody<RejectProposalRequest>,
) -> HandlerResult {
    let (id, reason) = (ProposalId::from_uuid(id.0), caller.0.stated_reason());
    let rejected = state.interline.reject_proposal(&caller.0, id, request.revision, reason).await?;
    response::json(StatusCode::OK, &ProposalResponse::from(&rejected))
}

/// Accept several proposals
///
/// As for one, each by itself: the answer says of each what became of it.
#[utoipa::path(post, path = "/proposals/accept", tag = "proposals", operation_id = "accept_proposals",
    request_body = DecideProposalsRequest, responses((status = 200, body = DecidedProposalList)))]
async fn accept_several(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(request): JsonBody<DecideProposalsRequest>,
) -> HandlerResult {
    decide_several(&state, &caller, &request, &ProposalChoice::Accept).await
}

/// Reject several proposals
///
/// As for one, each by itself: the answer says of each what became of it.
#[utoipa::path(post, path = "/proposals/reject", tag = "proposals", operation_id = "reject_proposals",
    request_body = DecideProposalsRequest, responses((status = 200, body = DecidedProposalList)))]
async fn reject_several(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(request): JsonBody<DecideProposalsRequest>,
) -> HandlerResult {
    let choice = ProposalChoice::Reject(caller.0.stated_reason());
    decide_several(&state, &caller, &request, &choice).await
}

async fn decide_several(
    state: &AppState,
    caller: &AuthenticatedCaller,
    request: &DecideProposalsRequest,
    choice: &ProposalChoice,
) -> HandlerResult {
    let decided = state.interline.decide_proposals(&caller.0, &request.proposals(), choice).await?;
    response::json(StatusCode::OK, &DecidedProposalList::from(decided.as_slice()))
}

fn proposal_state(text: &str) -> Result<ProposalState, String> {
    ProposalState::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = ProposalState::ALL.iter().map(|state| state.name()).collect();
        format!("must be one of {}", names.join(", "))
    })
}
