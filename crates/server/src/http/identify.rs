//! Whose a request is, and whether they may make one more.

use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, Response};
use axum::middleware::Next;
use axum::response::IntoResponse;
use interline_items::{Error, SecretHash, Source, UserId};

use super::app::App;
use super::error::ApiError;
use super::limiter::{Access, Left};
use super::once::once;
use crate::Auth;
use crate::identity::Identity;

/// The caller of a request that came through [`identify`]. A handler takes it once.
#[derive(Clone)]
pub(super) struct Caller(pub(super) interline_items::Caller);

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller, ApiError> {
        parts.extensions.remove::<Caller>().ok_or(ApiError::Refused(Error::Unauthorized))
    }
}

/// Finds out who calls and counts the request.
pub(super) async fn identify(State(app): State<App>, mut request: Request, next: Next) -> Response<Body> {
    let caller = match caller(&app, request.headers(), Source::Rest).await {
        Ok(caller) => caller,
        Err(error) => return ApiError::from(error).into_response(),
    };
    let (user, access) = (caller.user(), access(&request));
    request.extensions_mut().insert(Caller(caller));
    counted(&app, user, access, once(&app, request, next)).await
}

/// The answer, if the user may make one more request, with what is left of their limit.
pub(super) async fn counted(
    app: &App,
    user: UserId,
    access: Access,
    answer: impl Future<Output = Response<Body>>,
) -> Response<Body> {
    let counted = match (&app.limiter, app.settings.auth) {
        (Some(limiter), Auth::Tokens) => limiter.count(user, access),
        (None, _) | (_, Auth::Owner(_)) => return answer.await,
    };
    match counted {
        Ok(left) => with_limits(answer.await, left),
        Err((refused, left)) => with_limits(refused.into_response(), left),
    }
}

/// The caller that a request's token stands for, at the door `source`.
pub(super) async fn caller(app: &App, headers: &HeaderMap, source: Source) -> Result<interline_items::Caller, Error> {
    identity(app, headers)?.caller(&app.interline, source).await
}

/// What a request says about who made it.
pub(super) fn identity(app: &App, headers: &HeaderMap) -> Result<Identity, Error> {
    match app.settings.auth {
        Auth::Owner(owner) => Ok(Identity::User(owner)),
        Auth::Tokens => {
            bearer(headers).map(|secret| Identity::Token(SecretHash::from_secret(secret))).ok_or(Error::Unauthorized)
        }
    }
}

/// The secret of `Authorization: Bearer …`.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, secret) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

/// The routes that read, although what is asked for comes as a body.
const READING: [&str; 5] = ["/code/list", "/code/search", "/code/read", "/code/get", "/workflows/validate"];

/// What a request counts as.
pub(super) fn access(request: &Request) -> Access {
    if request.method().is_safe() || (request.method() == Method::POST && READING.contains(&request.uri().path())) {
        Access::Read
    } else {
        Access::Write
    }
}

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

fn with_limits(mut answer: Response<Body>, left: Left) -> Response<Body> {
    let headers = answer.headers_mut();
    headers.insert(LIMIT, left.limit.into());
    headers.insert(REMAINING, left.remaining.into());
    headers.insert(RESET, left.reset_seconds.into());
    answer
}
