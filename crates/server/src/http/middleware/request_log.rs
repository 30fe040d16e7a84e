//! Middleware that gives every request an id, checks its `Host` and `Origin`, logs its response and counts it in the metrics.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{Extensions, HeaderName, HeaderValue, Method, Response};
use axum::middleware::Next;
use axum::response::IntoResponse;
use interline_items::{Error, Overloaded};

use crate::client_address::ClientAddress;
use crate::connections::{ForwardedFor, ForwardedRequest};
use crate::http::error::ApiError;
use crate::http::middleware::log_summary::LoggedResponse;
use crate::http::state::AppState;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// How much of a path and of a method is logged.
const MAX_LOGGED_CHARACTERS: usize = 200;

tokio::task_local! {
    static CURRENT_REQUEST: CurrentRequest;
}

/// The request that a task answers.
struct CurrentRequest {
    id: RequestId,
    sender: Cell<Sender>,
}

/// Who has sent a request, as far as the log tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    /// Anyone: the request was answered before its token was looked at, or had no valid one.
    Unknown,
    User,
}

/// Why a request failed, on a response that the log shows in summary.
#[derive(Clone)]
pub(in crate::http) struct FailureDetail(pub(in crate::http) String);

/// Marks a response that the log has no line for, because another one says the same.
#[derive(Clone, Copy)]
pub(in crate::http) struct LoggedElsewhere;

/// An id that no other request has: a random number for this process, and a counter for its requests.
#[derive(Clone, Copy)]
struct RequestId(u64);

impl RequestId {
    fn next() -> RequestId {
        static REQUESTS: AtomicU64 = AtomicU64::new(0);
        RequestId(REQUESTS.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        static PROCESS: OnceLock<u64> = OnceLock::new();
        let process = PROCESS.get_or_init(|| uuid::Uuid::now_v7().as_u64_pair().1);
        write!(f, "{process:016x}-{:x}", self.0)
    }
}

/// The id of the request that this task answers, as in the log and on the response; empty outside of a request.
pub(in crate::http) fn current_request_id() -> String {
    CURRENT_REQUEST.try_with(|request| request.id.to_string()).unwrap_or_default()
}

/// Notes that the sender of the request that this task answers has shown a valid token.
pub(in crate::http) fn log_as_authenticated() {
    // Outside of a request there is nothing to log.
    let _ = CURRENT_REQUEST.try_with(|request| request.sender.set(Sender::User));
}

/// Whether anyone may have sent the request that this task answers: its failures are logged in summary.
pub(in crate::http) fn is_unauthenticated() -> bool {
    CURRENT_REQUEST.try_with(|request| request.sender.get() == Sender::Unknown).unwrap_or(false)
}

/// Gives the request an id, and logs and counts its response. A request to a foreign host or from a foreign origin is
/// refused here: the check shares this layer because every layer costs every request allocations.
pub(in crate::http) async fn log_request(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let started = Instant::now();
    let id = RequestId::next();
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let address = request.extensions().get::<ClientAddress>().copied();
    let responding = async {
        let response = respond(&state, request, next).await;
        (response, CURRENT_REQUEST.with(|request| request.sender.get()))
    };
    let current = CurrentRequest { id, sender: Cell::new(Sender::Unknown) };
    let (mut response, sender) = CURRENT_REQUEST.scope(current, responding).await;
    if let Ok(value) = HeaderValue::try_from(id.to_string()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let status = response.status();
    let seconds = started.elapsed().as_secs_f64();
    let line = LineOf::response(&response, sender);
    line.log(id, &method, uri.path(), status.as_u16(), seconds * 1e3);
    let detail = response.extensions_mut().remove::<FailureDetail>();
    let logged = || {
        let detail = detail.map(|FailureDetail(detail)| detail);
        Some(LoggedResponse { status: status.as_u16(), path: shortened(uri.path()).to_owned(), detail })
    };
    match line {
        LineOf::RefusalSummary => state.refusals.add(address, logged),
        LineOf::FailureSummary => state.failures.add(address, logged),
        LineOf::Failure | LineOf::Refusal | LineOf::Detail => {}
    }
    state.request_metrics.count(&method, route.as_ref(), status, seconds);
    response
}

async fn respond(state: &AppState, mut request: Request, next: Next) -> Response<Body> {
    if let Err(foreign) = state.host_check.check(request.uri(), request.headers()) {
        return foreign.into_response();
    }
    match begin_forwarded(state, request.extensions()) {
        Ok(None) => next.run(request).await,
        Ok(Some(in_flight)) => {
            let in_flight = Arc::new(in_flight);
            // For a protocol that takes the connection over: nobody else makes it last longer than the answer.
            request.extensions_mut().insert(Arc::downgrade(&in_flight));
            let mut response = next.run(request).await;
            // Until the response is sent, see `AnswerBody`.
            response.extensions_mut().insert(in_flight);
            response
        }
        Err(overloaded) => ApiError::from(Error::Overloaded(overloaded)).into_response(),
    }
}

/// Counts a request that a trusted proxy forwarded for the address of its client.
fn begin_forwarded(state: &AppState, extensions: &Extensions) -> Result<Option<ForwardedRequest>, Overloaded> {
    let forwarded = extensions.get::<ForwardedFor>();
    forwarded.map(|ForwardedFor(client)| state.connections.begin_forwarded(*client)).transpose()
}

/// Which line of the log says how a request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineOf {
    Failure,
    Refusal,
    /// One with others, as [`LineOf::FailureSummary`]: a line for each would let anyone fill the log.
    RefusalSummary,
    FailureSummary,
    /// None but for who looks for details.
    Detail,
}

impl LineOf {
    fn response(response: &Response<Body>, sender: Sender) -> LineOf {
        // What is refused because too much is asked is no failure of the server, and clients cause it as often as they like.
        let is_overloaded = response.headers().contains_key(RETRY_AFTER);
        match (response.status().as_u16(), sender) {
            _ if response.extensions().get::<LoggedElsewhere>().is_some() => LineOf::Detail,
            // Failed authentications have a summary of their own.
            (401 | 429, _) => LineOf::Detail,
            (500.., Sender::User) if !is_overloaded => LineOf::Failure,
            (500.., Sender::Unknown) if !is_overloaded => LineOf::FailureSummary,
            (400.., Sender::User) => LineOf::Refusal,
            (400.., Sender::Unknown) => LineOf::RefusalSummary,
            _ => LineOf::Detail,
        }
    }

    fn log(self, id: RequestId, method: &Method, path: &str, status: u16, milliseconds: f64) {
        let (method, path) = (shortened(method.as_str()), shortened(path));
        match self {
            LineOf::Failure => tracing::error!(request_id = %id, method, path, status, milliseconds, "answered"),
            LineOf::Refusal => tracing::info!(request_id = %id, method, path, status, milliseconds, "answered"),
            LineOf::RefusalSummary | LineOf::FailureSummary | LineOf::Detail => {
                tracing::debug!(request_id = %id, method, path, status, milliseconds, "answered");
            }
        }
    }
}

/// The beginning of what a client has sent, which may be as long as a head.
fn shortened(text: &str) -> &str {
    text.char_indices().nth(MAX_LOGGED_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(status: u16, sender: Sender) -> LineOf {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status.try_into().unwrap();
        LineOf::response(&response, sender)
    }

    #[test]
    fn what_anyone_can_cause_has_no_line_of_its_own() {
        for status in [400, 403, 404, 405, 413] {
            assert_eq!(line_of(status, Sender::Unknown), LineOf::RefusalSummary, "{status}");
            assert_eq!(line_of(status, Sender::User), LineOf::Refusal, "{status}");
        }
        for status in [200, 304, 401, 429] {
            assert_eq!(line_of(status, Sender::Unknown), LineOf::Detail, "{status}");
        }
        for status in [500, 503] {
            assert_eq!(line_of(status, Sender::Unknown), LineOf::FailureSummary, "{status}");
            assert_eq!(line_of(status, Sender::User), LineOf::Failure, "{status}");
        }
        let works = interline_items::StoreHealth { reads: Ok(()), writes: Ok(()) };
        let not_ready = ApiError::NotReady(works).into_response();
        assert_eq!((not_ready.status().as_u16(), LineOf::response(&not_ready, Sender::Unknown)), (503, LineOf::Detail));
    }

    #[tokio::test]
    async fn the_summary_of_failures_has_their_detail() {
        for (sender, detail) in [(Sender::Unknown, Some("disk full")), (Sender::User, None)] {
            let failing = async { ApiError::from(Error::Unavailable("disk full".to_owned())).into_response() };
            let current = CurrentRequest { id: RequestId::next(), sender: Cell::new(sender) };
            let failed = CURRENT_REQUEST.scope(current, failing).await;
            let kept = failed.extensions().get::<FailureDetail>().map(|FailureDetail(detail)| detail.as_str());
            assert_eq!(kept, detail, "{sender:?}: others have a line of their own");
        }
    }

    #[test]
    fn what_is_logged_of_a_request_is_short() {
        assert_eq!(shortened("/notes"), "/notes");
        assert_eq!(shortened(&"é".repeat(60_000)), "é".repeat(MAX_LOGGED_CHARACTERS));
    }
}
