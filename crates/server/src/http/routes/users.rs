//! `/users`: creating, listing and removing users.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::{OrganizationId, Rank, RemoveUser, UserDraft, UserId};
use utoipa_axum::routes;

use super::rules::{RouteRules, Routes};
use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::path::IdPath;
use crate::http::extract::query::{QueryParams, boolean};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{CreateUserRequest, CreatedUser, Me, UserList, UserResponse};

/// The routes of `/users`.
pub(super) fn routes() -> Routes {
    Routes::new()
        .route(routes!(list), RouteRules::read())
        .route(routes!(me), RouteRules::read())
        .route(routes!(create), RouteRules::write().without_idempotency_key())
        .route(routes!(delete), RouteRules::write().without_idempotency_key())
}

/// Create a user
///
/// For admins. The answer has the secret of the user's first token, which is not shown again.
#[utoipa::path(post, path = "/users", tag = "users", operation_id = "create_user", request_body = CreateUserRequest,
    responses((status = 201, body = CreatedUser)))]
async fn create(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(new): JsonBody<CreateUserRequest>,
) -> HandlerResult {
    let rank = if new.admin { Rank::Admin } else { Rank::Member };
    let draft = UserDraft {
        name: new.name,
        email: new.email,
        rank,
        organization: new.organization_id.map(OrganizationId::from_uuid),
    };
    let (user, _, secret) = state.interline.create_user(&caller.0, draft).await?;
    let created = CreatedUser { user: UserResponse::from(&user), token: secret.as_str().to_owned() };
    response::json(StatusCode::CREATED, &created)
}

/// List users
///
/// For admins.
#[utoipa::path(get, path = "/users", tag = "users", operation_id = "list_users", responses((status = 200, body = UserList)))]
async fn list(State(state): State<AppState>, caller: AuthenticatedCaller) -> HandlerResult {
    let users = state.interline.users(&caller.0).await?;
    response::json(StatusCode::OK, &UserList { users: users.iter().map(UserResponse::from).collect() })
}

/// The caller as a user
#[utoipa::path(get, path = "/users/me", tag = "users", operation_id = "get_me", responses((status = 200, body = Me)))]
async fn me(State(state): State<AppState>, caller: AuthenticatedCaller) -> HandlerResult {
    let user = UserResponse::from(&state.interline.me(&caller.0).await?);
    let unreviewed = state.interline.unreviewed_change_sets(&caller.0).await?;
    response::json(StatusCode::OK, &Me { user, unreviewed })
}

/// Remove a user
///
/// For admins. Its tokens are refused from now on; its name stays in histories. A user that still has items is removed
/// only with `purge=true`, and the items with it.
#[utoipa::path(delete, path = "/users/{id}", tag = "users", operation_id = "delete_user",
    params(("id" = uuid::Uuid, Path), ("purge" = Option<bool>, Query, description = "Whether its items are removed too")),
    responses((status = 204, description = "Removed")))]
async fn delete(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    id: IdPath,
    mut query: QueryParams,
) -> HandlerResult {
    let items = match query.one("purge", boolean) {
        Some(true) => RemoveUser::Purge,
        Some(false) | None => RemoveUser::IfEmpty,
    };
    query.finish()?;
    state.interline.remove_user(&caller.0, UserId::from_uuid(id.0), items).await?;
    Ok(response::empty(StatusCode::NO_CONTENT))
}
