//! `/tokens`

use std::collections::BTreeSet;

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::fields::FieldError;
use interline_items::{Error, Kind, Scope, SpaceId, TokenDraft, TokenId, UserId};
use jiff::Timestamp;

use super::answer::{self, Answer};
use super::app::App;
use super::body::Json;
use super::identify::Caller;
use super::once::Keyless;
use super::path::Id;
use crate::wire::{CreateTokenRequest, CreatedToken, TokenList, TokenResponse};

/// Create a token
///
/// It allows no more than the token of the request. The answer has its secret, which is not shown again.
#[utoipa::path(post, path = "/tokens", tag = "tokens", operation_id = "create_token", request_body = CreateTokenRequest,
    responses((status = 201, body = CreatedToken)))]
pub(super) async fn create(State(app): State<App>, caller: Keyless, Json(new): Json<CreateTokenRequest>) -> Answer {
    let (token, secret) = app.interline.create_token(&caller.0, draft(new)?).await?;
    let created = CreatedToken { about: TokenResponse::from(&token), token: secret.as_str().to_owned() };
    answer::json(StatusCode::CREATED, &created)
}

/// List tokens
///
/// The caller's own, without their secrets.
#[utoipa::path(get, path = "/tokens", tag = "tokens", operation_id = "list_tokens", responses((status = 200, body = TokenList)))]
pub(super) async fn list(State(app): State<App>, caller: Caller) -> Answer {
    let tokens = app.interline.tokens(&caller.0).await?;
    answer::json(StatusCode::OK, &TokenList { tokens: tokens.iter().map(TokenResponse::from).collect() })
}

/// Delete a token
///
/// One of the caller's own, be it that of the request. It is refused from now on.
#[utoipa::path(delete, path = "/tokens/{id}", tag = "tokens", operation_id = "delete_token",
    params(("id" = uuid::Uuid, Path)), responses((status = 204, description = "Deleted")))]
pub(super) async fn delete(State(app): State<App>, caller: Keyless, id: Id) -> Answer {
    app.interline.delete_token(&caller.0, TokenId::from_uuid(id.0)).await?;
    Ok(answer::empty(StatusCode::NO_CONTENT))
}

fn draft(new: CreateTokenRequest) -> Result<TokenDraft, Error> {
    let mut problems = Vec::new();
    let scopes = new.scopes.map(|names| named("scopes", &names, Scope::from_name, &mut problems));
    let kinds = new.kinds.map(|names| named("kinds", &names, Kind::from_name, &mut problems));
    let expires_at =
        new.expires_at.and_then(|text| text.parse::<Timestamp>().map_err(|_| problems.push(no_time())).ok());
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
    })
}

fn no_time() -> FieldError {
    FieldError::new("expires_at", "must be a time as RFC 3339, such as 2030-01-31T12:00:00Z")
}

/// What names stand for; those that stand for nothing are told.
fn named<T: Ord>(
    field: &str,
    names: &[String],
    meaning: impl Fn(&str) -> Option<T>,
    problems: &mut Vec<FieldError>,
) -> BTreeSet<T> {
    let mut known = BTreeSet::new();
    for (index, name) in names.iter().enumerate() {
        match meaning(name) {
            Some(one) => {
                known.insert(one);
            }
            None => problems.push(FieldError::new(format!("{field}[{index}]"), "is not known here")),
        }
    }
    known
}
