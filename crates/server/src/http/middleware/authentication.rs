//! Middleware that authenticates a request by its bearer token and counts it against the rate limit of its user.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{Extensions, HeaderMap, Response};
use axum::middleware::Next;
use axum::response::IntoResponse;
use interline_items::{Caller, MemoryHolder, SecretHash, Source, Writes};

use crate::Auth;
use crate::connections::Connection;
use crate::http::error::NoToken;
use crate::http::extract::caller::{AuthenticatedCaller, WritingCaller};
use crate::http::middleware::answer_memory::with_memory;
use crate::http::middleware::failed_authentication::authenticated_caller;
use crate::http::middleware::idempotency::run_idempotent;
use crate::http::middleware::proposals::with_proposal;
use crate::http::middleware::rate_limit::rate_limited;
use crate::http::middleware::request_log::log_as_authenticated;
use crate::http::routes::rules::{Access, RouteRules};
use crate::http::state::AppState;
use crate::identity::Identity;

/// The state of [`authenticate`] on one route.
#[derive(Clone)]
pub(in crate::http) struct AuthenticatedRoute {
    pub(in crate::http) state: AppState,
    pub(in crate::http) rules: RouteRules,
}

/// The door of a request that did not come over a connection; an extension of the request.
#[derive(Clone, Copy)]
pub(crate) struct LocalDoor(pub(crate) Source);

/// Authenticates a request, counts it as a read or a write as its route declares, and carries it out once if it has an
/// `Idempotency-Key`.
pub(in crate::http) async fn authenticate(
    State(route): State<AuthenticatedRoute>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let AuthenticatedRoute { state, rules } = route;
    let identity = identity_from_headers(&state, request.headers());
    let source = request.extensions().get::<LocalDoor>().map_or(Source::Rest, |door| door.0);
    let caller = match authenticated_caller(&state, identity, request.extensions(), source).await {
        Ok((_, caller)) => caller,
        Err(error) => return error.into_response(),
    };
    let user = caller.user();
    note_authenticated(request.extensions(), &caller);
    if rules.access == Access::Write {
        request.extensions_mut().insert(WritingCaller(caller.clone()));
    }
    let proposing = (caller.writes() == Writes::Propose).then(|| caller.clone());
    request.extensions_mut().insert(AuthenticatedCaller(caller));
    let responding = async {
        let response = run_idempotent(&state, rules.idempotency, request, next).await;
        match &proposing {
            Some(caller) => with_proposal(response, caller).await,
            None => response,
        }
    };
    let responding = rate_limited(&state, user, rules.access, responding);
    with_memory(&state, MemoryHolder::User(user), rules.access, responding).await
}

/// Tells the log and the connection of a request whose valid token it has shown.
pub(in crate::http) fn note_authenticated(extensions: &Extensions, caller: &Caller) {
    log_as_authenticated(caller);
    if let Some(connection) = extensions.get::<Arc<Connection>>() {
        connection.authenticated(caller.user());
    }
}

/// The proof of identity in a request, which the store has not checked yet.
pub(in crate::http) fn identity_from_headers(state: &AppState, headers: &HeaderMap) -> Result<Identity, NoToken> {
    match state.settings.auth {
        Auth::Owner(owner) => Ok(Identity::User(owner)),
        Auth::Tokens => {
            if !headers.contains_key(AUTHORIZATION) {
                return Err(NoToken::Missing);
            }
            let secret = bearer_secret(headers).ok_or(NoToken::NotBearer)?;
            Ok(Identity::Token(SecretHash::from_secret(secret)))
        }
    }
}

/// The secret of `Authorization: Bearer …`.
fn bearer_secret(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, secret) = value.to_str().ok()?.split_once(' ')?;
    Some(secret.trim()).filter(|secret| scheme.eq_ignore_ascii_case("bearer") && !secret.is_empty())
}
