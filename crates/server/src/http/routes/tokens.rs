//! `/tokens`: creating, listing, renaming and deleting tokens.

use std::collections::BTreeSet;

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::fields::FieldError;
use interline_items::{Author, Error, Kind, Scope, SpaceId, TokenDraft, TokenId, UserId, Writes};
use jiff::Timestamp;
use utoipa_axum::routes;

use super::rules::{RouteRules, Routes};
use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::path::IdPath;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{CreateTokenRequest, CreatedToken, RenameTokenRequest, TokenList, TokenResponse};

/// The routes of `/tokens`.
pub(super) fn routes() -> Routes {
    Routes::new()
        .route(routes!(list), RouteRules::read())
        .route(routes!(create), RouteRules::write().without_idempotency_key())
        .route(routes!(rename), RouteRules::write().without_idempotency_key())
        .route(routes!(delete), RouteRules::write().without_idempotency_key())
}

/// Create a token
///
/// It allows no more than the token of the request. The answer has its secret, which is not shown again.
#[utoipa::path(post, path = "/tokens", tag = "tokens", operation_id = "create_token", request_body = CreateTokenRequest,
    responses((status = 201, body = CreatedToken),
        (status = 404, description = "There is no such thing for the caller")))]
async fn create(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(new): JsonBody<CreateTokenRequest>,
) -> HandlerResult {
    let (token, secret) = state.interline.create_token(&caller.0, token_draft(new)?).await?;
    let created = CreatedToken { about: TokenResponse::from(&token), token: secret.as_str().to_owned() };
    response::json(StatusCode::CREATED, &created)
}

/// List tokens
///
/// The caller's own, without their secrets.
#[utoipa::path(get, path = "/tokens", tag = "tokens", operation_id = "list_tokens", responses((status = 200, body = TokenList)))]
async fn list(State(state): State<AppState>, caller: AuthenticatedCaller) -> HandlerResult {
    let tokens = state.interline.tokens(&caller.0).await?;
    response::json(StatusCode::OK, &TokenList { tokens: tokens.iter().map(TokenResponse::from).collect() })
}

/// Rename a token
///
/// One of the caller's own, also in the histories that name it. What it allows stays.
#[utoipa::path(patch, path = "/tokens/{id}", tag = "tokens", operation_id = "rename_token", request_body = RenameTokenRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = TokenResponse)))]
async fn rename(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    id: IdPath,
    JsonBody(request): JsonBody<RenameTokenRequest>,
) -> HandlerResult {
    let token = state.interline.rename_token(&caller.0, TokenId::from_uuid(id.0), &request.name).await?;
    response::json(StatusCode::OK, &TokenResponse::from(&token))
}

/// Delete a token
///
/// One of the caller's own, be it that of the request. It is refused from now on.
#[utoipa::path(delete, path = "/tokens/{id}", tag = "tokens", operation_id = "delete_token",
    params(("id" = uuid::Uuid, Path)), responses((status = 204, description = "Deleted")))]
async fn delete(State(state): State<AppState>, caller: AuthenticatedCaller, id: IdPath) -> HandlerResult {
    state.interline.delete_token(&caller.0, TokenId::from_uuid(id.0)).await?;
    Ok(response::empty(StatusCode::NO_CONTENT))
}

fn token_draft(new: CreateTokenRequest) -> Result<TokenDraft, Error> {
    let mut problems = Vec::new();
    let scopes = new.scopes.map(|names| parse_names("scopes", &names, Scope::from_name, &mut problems));
    let kinds = new.kinds.map(|names| parse_names("kinds", &names, Kind::from_name, &mut problems));
    let expires_at =
        new.expires_at.and_then(|text| text.parse::<Timestamp>().map_err(|_| problems.push(invalid_time())).ok());
    let writes = new.writes.map_or(Some(Writes::Apply), |name| Writes::from_name(&name));
    if writes.is_none() {
        problems.push(FieldError::new("writes", "must be `apply` or `propose`"));
    }
    if !problems.is_empty() {
        return Err(Error::ValidationFailed(problems));
    }
    Ok(TokenDraft {
        name: new.name,
        scopes,
        kinds,
        spaces: new.spaces.map(|spaces| spaces.into_iter().map(SpaceId::from_uuid).collect()),
        expires_at,
        user: new.user_id.map(UserId::from_uuid),
        author: if new.agent { Author::Agent } else { Author::Person },
        writes: writes.unwrap_or(Writes::Apply),
    })
}

fn invalid_time() -> FieldError {
    FieldError::new("expires_at", "must be a time as RFC 3339, such as 2030-01-31T12:00:00Z")
}

/// Parses names of scopes or kinds; unknown names are added to `problems`.
fn parse_names<T: Ord>(
    field: &str,
    names: &[String],
    parse: impl Fn(&str) -> Option<T>,
    problems: &mut Vec<FieldError>,
) -> BTreeSet<T> {
    let mut parsed = BTreeSet::new();
    for (index, name) in names.iter().enumerate() {
        match parse(name) {
            Some(one) => {
                parsed.insert(one);
            }
            None => problems.push(FieldError::new(format!("{field}[{index}]"), "is not known here")),
        }
    }
    parsed
}
