//! Errors as responses: one shape, `{error, message, suggestion, …data of the code}`, and the status of every error.

use axum::body::Body;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use interline_items::{Error, Expectation, Overloaded, StoreHealth};
use serde_json::Value;

use super::middleware::request_log::{FailureDetail, LoggedElsewhere, current_request_id, is_unauthenticated};
use super::response;
use super::routes::health::shown;
use crate::wire::ErrorBody;

/// What a client is asked for that shows no token, and one whose token is not valid (RFC 6750).
const BEARER: HeaderValue = HeaderValue::from_static("Bearer");
const INVALID_TOKEN: HeaderValue = HeaderValue::from_static("Bearer error=\"invalid_token\"");

/// Why a request shows no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoToken {
    /// It has no `Authorization`.
    Missing,
    /// Its `Authorization` is not one `Bearer` and a token.
    NotBearer,
}

/// Why a request was refused or failed.
#[derive(Debug)]
pub(super) enum ApiError {
    /// The route needs a token, and the request shows none.
    NoToken(NoToken),
    /// A use case refused or failed.
    Refused(Error),
    /// There is no such route.
    UnknownRoute(String),
    /// The route exists, for other methods.
    MethodNotAllowed(String),
    /// The body is longer than allowed.
    BodyTooLarge {
        /// In bytes.
        limit: usize,
        /// In bytes, if the client declared it.
        actual: Option<u64>,
    },
    /// The body did not arrive in time, or not whole.
    BodyIncomplete,
    /// The body breaks the rules of its transfer encoding.
    BodyMalformed,
    /// The request was sent to a host name that is not this server's, or by a page of another origin.
    Foreign {
        /// Which of both it is, for the client.
        reason: &'static str,
        /// The command-line option that would allow it.
        option: &'static str,
    },
    /// An import ended before its source did.
    ImportStopped {
        /// Why.
        error: Box<ApiError>,
        /// What it has done.
        report: Value,
    },
    /// Reads or writes do not work now.
    NotReady(StoreHealth),
    /// Too many attempts with tokens that are not valid came from the client's address.
    TooManyFailures {
        /// Until attempts from the address are looked up again.
        retry_after_seconds: u64,
    },
    /// Too many requests.
    RateLimited {
        /// Until the user may make one more request.
        retry_after_seconds: u64,
    },
}

impl From<NoToken> for ApiError {
    fn from(no_token: NoToken) -> ApiError {
        ApiError::NoToken(no_token)
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> ApiError {
        ApiError::Refused(error)
    }
}

impl ApiError {
    fn status(&self) -> StatusCode {
        match self {
            ApiError::Refused(error) => status_of(error),
            ApiError::NoToken(_) => StatusCode::UNAUTHORIZED,
            ApiError::UnknownRoute(_) => StatusCode::NOT_FOUND,
            ApiError::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::ImportStopped { error, .. } => error.status(),
            ApiError::NotReady(_) => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::BodyTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            ApiError::BodyIncomplete => StatusCode::REQUEST_TIMEOUT,
            ApiError::BodyMalformed => StatusCode::BAD_REQUEST,
            ApiError::Foreign { .. } => StatusCode::FORBIDDEN,
            ApiError::RateLimited { .. } | ApiError::TooManyFailures { .. } => StatusCode::TOO_MANY_REQUESTS,
        }
    }

    fn body(&self) -> ErrorBody {
        match self {
            ApiError::Refused(error) => ErrorBody::from_error(error),
            ApiError::NoToken(no_token) => ErrorBody::new(
                "unauthorized",
                match no_token {
                    NoToken::Missing => "no token was given",
                    NoToken::NotBearer => "no token was given: `Authorization` is not `Bearer` and a token",
                }
                .to_owned(),
                "send the header `Authorization: Bearer il_…`; `interline token add` makes a token".to_owned(),
            ),
            ApiError::UnknownRoute(path) => ErrorBody::new(
                "not_found",
                format!("there is nothing at {path}"),
                "see /docs for what there is".to_owned(),
            ),
            ApiError::MethodNotAllowed(method) => ErrorBody::new(
                "method_not_allowed",
                format!("{method} is not a method of this address"),
                "use one of the methods in the `Allow` header".to_owned(),
            ),
            ApiError::BodyTooLarge { limit, actual } => ErrorBody::new(
                "too_large",
                format!("the body of the request has more than {limit} bytes"),
                "send less at a time: change a part of an item instead of the whole".to_owned(),
            )
            .with("limit", *limit)
            .with("actual", *actual),
            ApiError::BodyIncomplete => ErrorBody::new(
                "request_timeout",
                "the body of the request did not arrive whole and in time".to_owned(),
                "nothing was applied; send the request again".to_owned(),
            ),
            ApiError::BodyMalformed => ErrorBody::new(
                "invalid_parameters",
                "the body of the request is not in chunks as `Transfer-Encoding: chunked` says".to_owned(),
                "nothing was applied; send the length of each chunk in hexadecimal digits before it".to_owned(),
            ),
            ApiError::Foreign { reason, option } => ErrorBody::new(
                "forbidden",
                (*reason).to_owned(),
                format!("if this is intended, start the server with `{option}`"),
            ),
            ApiError::ImportStopped { error, report } => error
                .body()
                .reworded(
                    None,
                    Some("what `report` counts is imported and stays; run the import again to go on".to_owned()),
                )
                .with("report", report.clone()),
            ApiError::NotReady(StoreHealth { reads, writes }) => ErrorBody::new(
                "unavailable",
                "reads or writes do not work now".to_owned(),
                "`reads` and `writes` say why; the log says more".to_owned(),
            )
            .with("status", "degraded")
            .with("reads", shown(*reads))
            .with("writes", shown(*writes)),
            ApiError::TooManyFailures { retry_after_seconds } => ErrorBody::new(
                "rate_limited",
                "too many attempts with tokens that are not valid came from this address".to_owned(),
                format!("check the token; wait {retry_after_seconds} s, then try again"),
            ),
            ApiError::RateLimited { retry_after_seconds } => ErrorBody::new(
                "rate_limited",
                "more requests than the limit for this user allows".to_owned(),
                format!("wait {retry_after_seconds} s, then try again"),
            ),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response<Body> {
        let mut body = self.body();
        let mut unlogged = None;
        let cause = match &self {
            ApiError::ImportStopped { error, .. } => &**error,
            other => other,
        };
        if let ApiError::Refused(
            Error::Internal(detail)
            | Error::Unavailable(detail)
            | Error::Unknown(detail)
            | Error::CorruptContent { detail, .. },
        ) = cause
        {
            let request_id = current_request_id();
            if is_unauthenticated() {
                // Anyone could fill the log, see `log_request`.
                tracing::debug!(request_id, detail, code = body.code(), "a request failed");
                unlogged = Some(FailureDetail(detail.clone()));
            } else {
                tracing::error!(request_id, detail, code = body.code(), "a request failed");
            }
            body = body.with("request_id", request_id);
        }
        let status = self.status();
        // Its parts are strings and numbers: there is nothing that could fail.
        let mut response = response::json(status, &body.bounded()).unwrap_or_else(|_| response::empty(status));
        unlogged.map(|detail| response.extensions_mut().insert(detail));
        match self {
            ApiError::NoToken(_) => drop(response.headers_mut().insert(WWW_AUTHENTICATE, BEARER)),
            ApiError::Refused(Error::Unauthorized) => {
                response.headers_mut().insert(WWW_AUTHENTICATE, INVALID_TOKEN);
            }
            ApiError::RateLimited { retry_after_seconds } | ApiError::TooManyFailures { retry_after_seconds } => {
                response.headers_mut().insert(RETRY_AFTER, retry_after_seconds.into());
            }
            // Each change has a line, see `Readiness`.
            ApiError::NotReady(_) => drop(response.extensions_mut().insert(LoggedElsewhere)),
            ApiError::Refused(Error::Overloaded(_)) => {
                response.headers_mut().insert(RETRY_AFTER, Overloaded::RETRY_AFTER_SECONDS.into());
            }
            _ => {}
        }
        response
    }
}

fn status_of(error: &Error) -> StatusCode {
    match error {
        Error::InvalidTemplate { .. }
        | Error::InvalidCode(_)
        | Error::EntityTypeMismatch(_)
        | Error::InvalidArguments { .. }
        | Error::RenderFailed { .. }
        | Error::InvalidLines { .. }
        | Error::ContentEmpty(_)
        | Error::InvalidParameters(_)
        | Error::InvalidPattern { .. }
        | Error::NoMatch { .. }
        | Error::LostIndentation { .. }
        | Error::MultipleMatches { .. } => StatusCode::BAD_REQUEST,
        Error::Unauthorized => StatusCode::UNAUTHORIZED,
        Error::Forbidden(_) => StatusCode::FORBIDDEN,
        Error::NotFound { .. } | Error::Missing { .. } | Error::TagNotFound(_) | Error::VersionNotFound { .. } => {
            StatusCode::NOT_FOUND
        }
        Error::Conflict { expectation: Expectation::ExpectedVersion, .. }
        | Error::StaleLines { .. }
        | Error::StaleOffer { .. }
        | Error::KeyInFlight
        | Error::ChangeSet(_)
        | Error::Proposal(_)
        | Error::Duplicate { .. }
        | Error::SlugTaken(_) => StatusCode::CONFLICT,
        Error::Conflict { expectation: Expectation::Precondition, .. } => StatusCode::PRECONDITION_FAILED,
        Error::TooLarge { .. } | Error::PageTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        Error::CursorExpired { .. } => StatusCode::GONE,
        Error::AtEdit { error, .. } => status_of(error),
        Error::ValidationFailed(_)
        | Error::UnknownSpace(_)
        | Error::InvalidIdempotencyKey(_)
        | Error::InvalidOperations { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        Error::Unavailable(_) | Error::Unknown(_) | Error::Overloaded(_) => StatusCode::SERVICE_UNAVAILABLE,
        Error::Internal(_) | Error::CorruptContent { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
