//! `/users`

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::{OrganizationId, Rank, RemoveUser, UserDraft, UserId};

use super::answer::{self, Answer};
use super::app::App;
use super::body::Json;
use super::identify::Caller;
use super::once::Keyless;
use super::path::Id;
use super::query::{Query, switch};
use crate::wire::{CreateUserRequest, CreatedUser, UserList, UserResponse};

/// Create a user
///
/// For admins. The answer has the secret of the user's first token, which is not shown again.
#[utoipa::path(post, path = "/users", tag = "users", operation_id = "create_user", request_body = CreateUserRequest,
    responses((status = 201, body = CreatedUser)))]
pub(super) async fn create(State(app): State<App>, caller: Keyless, Json(new): Json<CreateUserRequest>) -> Answer {
    let rank = if new.admin { Rank::Admin } else { Rank::Member };
    let draft = UserDraft {
        name: new.name,
        email: new.email,
        rank,
        organization: new.organization_id.map(OrganizationId::from_uuid),
    };
    let (user, _, secret) = app.interline.create_user(&caller.0, draft).await?;
    let created = CreatedUser { user: UserResponse::from(&user), token: secret.as_str().to_owned() };
    answer::json(StatusCode::CREATED, &created)
}

/// List users
///
/// For admins.
#[utoipa::path(get, path = "/users", tag = "users", operation_id = "list_users", responses((status = 200, body = UserList)))]
pub(super) async fn list(State(app): State<App>, caller: Caller) -> Answer {
    let users = app.interline.users(&caller.0).await?;
    answer::json(StatusCode::OK, &UserList { users: users.iter().map(UserResponse::from).collect() })
}

/// The caller as a user
#[utoipa::path(get, path = "/users/me", tag = "users", operation_id = "get_me", responses((status = 200, body = UserResponse)))]
pub(super) async fn me(State(app): State<App>, caller: Caller) -> Answer {
    answer::json(StatusCode::OK, &UserResponse::from(&app.interline.me(&caller.0).await?))
}

/// Remove a user
///
/// For admins. Its tokens are refused from now on; its name stays in histories. A user that still has items is removed
/// only with `purge=true`, and the items with it.
#[utoipa::path(delete, path = "/users/{id}", tag = "users", operation_id = "delete_user",
    params(("id" = uuid::Uuid, Path), ("purge" = Option<bool>, Query, description = "Whether its items are removed too")),
    responses((status = 204, description = "Removed")))]
pub(super) async fn delete(State(app): State<App>, caller: Keyless, id: Id, mut query: Query) -> Answer {
    let items = match query.one("purge", switch) {
        Some(true) => RemoveUser::Purge,
        Some(false) | None => RemoveUser::IfEmpty,
    };
    query.finish()?;
    app.interline.remove_user(&caller.0, UserId::from_uuid(id.0), items).await?;
    Ok(answer::empty(StatusCode::NO_CONTENT))
}
