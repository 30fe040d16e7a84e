//! The authenticated caller of a request.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use interline_items::{Caller, Error};

use crate::http::error::ApiError;

/// The caller that [`authenticate`] put into the request. A handler extracts it once.
///
/// [`authenticate`]: crate::http::middleware::authentication::authenticate
#[derive(Clone)]
pub(in crate::http) struct AuthenticatedCaller(pub(in crate::http) Caller);

impl<S: Sync> FromRequestParts<S> for AuthenticatedCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<AuthenticatedCaller, ApiError> {
        parts.extensions.remove::<AuthenticatedCaller>().ok_or(ApiError::Refused(Error::Unauthorized))
    }
}

/// The same caller, for what a body says about its writes: it stays in the request when a handler has extracted the caller.
#[derive(Clone)]
pub(in crate::http) struct WritingCaller(pub(in crate::http) Caller);
