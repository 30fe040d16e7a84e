//! Middleware that gives every request an id, checks its `Host` and `Origin`, logs its response and counts it in the metrics.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{RETRY_AFTER, USER_AGENT};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::IntoResponse;
use interline_items::{Caller, Client, Error, Overloaded};
use tracing::Level;

use crate::client_address::ClientAddress;
use crate::connections::{ForwardedFor, ForwardedId, ForwardedRequest};
use crate::http::error::ApiError;
use crate::http::middleware::log_summary::LoggedResponse;
use crate::http::state::AppState;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// How much of a path and of a method is logged, and of a name that a client or a user has chosen.
const MAX_LOGGED_CHARACTERS: usize = 200;
const MAX_NAME_CHARACTERS: usize = 80;
/// What the lines of requests are filtered by.
const TARGET: &str = "interline_server::request";
/// The status of a request whose connection ended before it was answered, most often because its client hung up; as nginx has
/// it. It is never sent.
const CLIENT_CLOSED_REQUEST: u16 = 499;

tokio::task_local! {
    static CURRENT_REQUEST: CurrentRequest;
}

/// The request that a task answers. Where it is dropped without an answer, its connection has ended: that is logged, too.
struct CurrentRequest {
    id: RequestId,
    sender: RefCell<Sender>,
    /// Taken by the line of the request.
    unanswered: Cell<Option<Unanswered>>,
}

/// A request that has no line yet.
struct Unanswered {
    state: AppState,
    started: Instant,
    method: Method,
    uri: Uri,
    route: Option<MatchedPath>,
    address: Option<ClientAddress>,
}

/// Who has sent a request.
#[derive(Clone, Default)]
struct Sender {
    /// `None` is anyone: the request was answered before its token was looked at, or had no valid one.
    caller: Option<Caller>,
    /// What the client calls itself, in the request or its body.
    client: Option<String>,
}

/// Why a request failed, on a response that the log shows in summary.
#[derive(Clone)]
pub(in crate::http) struct FailureDetail(pub(in crate::http) String);

/// Marks a response that the log has no line for, because another one says the same.
#[derive(Clone, Copy)]
pub(in crate::http) struct LoggedElsewhere;

/// The id of a request, in the log and on its response.
#[derive(Clone)]
enum RequestId {
    /// One that no other request has: a random number for this process, and this counter for its requests.
    Own(u64),
    /// The one that a trusted proxy gave it.
    Forwarded(ForwardedId),
}

impl RequestId {
    fn next() -> RequestId {
        static REQUESTS: AtomicU64 = AtomicU64::new(0);
        RequestId::Own(REQUESTS.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        static PROCESS: OnceLock<u64> = OnceLock::new();
        match self {
            RequestId::Own(number) => {
                let process = PROCESS.get_or_init(|| uuid::Uuid::now_v7().as_u64_pair().1);
                write!(f, "{process:016x}-{number:x}")
            }
            RequestId::Forwarded(id) => f.write_str(id.as_str()),
        }
    }
}

/// The id of the request that this task answers, as in the log and on the response; empty outside of a request.
pub(in crate::http) fn current_request_id() -> String {
    CURRENT_REQUEST.try_with(|request| request.id.to_string()).unwrap_or_default()
}

/// Notes that the sender of the request that this task answers has shown a valid token.
pub(in crate::http) fn log_as_authenticated(caller: &Caller) {
    // Outside of a request there is nothing to log.
    let _ = CURRENT_REQUEST.try_with(|request| request.sender.borrow_mut().caller = Some(caller.clone()));
}

/// Notes what the client of the request that this task answers calls itself.
pub(in crate::http) fn log_client(client: &Client) {
    let name = match client.version() {
        Some(version) => format!("{}/{version}", client.name()),
        None => client.name().to_owned(),
    };
    let _ = CURRENT_REQUEST.try_with(|request| request.sender.borrow_mut().client = Some(cleaned(&name)));
}

/// Whether anyone may have sent the request that this task answers: its failures are logged in summary.
pub(in crate::http) fn is_unauthenticated() -> bool {
    CURRENT_REQUEST.try_with(|request| request.sender.borrow().caller.is_none()).unwrap_or(false)
}

/// Gives the request an id, and logs and counts its response. A request to a foreign host or from a foreign origin is
/// refused here: the check shares this layer because every layer costs every request allocations.
pub(in crate::http) async fn log_request(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let forwarded_id = request.extensions().get::<ForwardedId>().cloned();
    let unanswered = Unanswered {
        state: state.clone(),
        started: Instant::now(),
        method: request.method().clone(),
        uri: request.uri().clone(),
        route: request.extensions().get::<MatchedPath>().cloned(),
        address: request.extensions().get::<ClientAddress>().copied(),
    };
    let current = CurrentRequest {
        id: forwarded_id.map_or_else(RequestId::next, RequestId::Forwarded),
        sender: RefCell::new(Sender { caller: None, client: user_agent(request.headers()) }),
        unanswered: Cell::new(Some(unanswered)),
    };
    let responding = async {
        let mut response = respond(&state, request, next).await;
        CURRENT_REQUEST.with(|request| request.answer(&mut response));
        response
    };
    CURRENT_REQUEST.scope(current, responding).await
}

impl CurrentRequest {
    /// Gives the response the id of the request, logs and counts it.
    fn answer(&self, response: &mut Response<Body>) {
        if let Ok(value) = HeaderValue::try_from(self.id.to_string()) {
            response.headers_mut().insert(REQUEST_ID, value);
        }
        let detail = response.extensions_mut().remove::<FailureDetail>().map(|FailureDetail(detail)| detail);
        let sender = self.sender.take();
        if let Some(unanswered) = self.unanswered.take() {
            unanswered.log(&self.id, &sender, LineOf::response(response, &sender), response.status(), detail);
        }
    }
}

impl Drop for CurrentRequest {
    fn drop(&mut self) {
        let (Some(unanswered), Ok(status)) = (self.unanswered.take(), StatusCode::from_u16(CLIENT_CLOSED_REQUEST))
        else {
            return;
        };
        let sender = self.sender.take();
        unanswered.log(&self.id, &sender, LineOf::hang_up(&sender), status, None);
    }
}

impl Unanswered {
    /// Logs and counts the request.
    fn log(self, id: &RequestId, sender: &Sender, line_of: LineOf, status: StatusCode, detail: Option<String>) {
        let Unanswered { state, started, method, uri, route, address } = self;
        let duration = started.elapsed();
        let logged =
            || Some(LoggedResponse { status: status.as_u16(), path: shortened(uri.path()).to_owned(), detail });
        let line = RequestLine { id, method: &method, route: route.as_ref(), status, duration, address };
        match line_of {
            LineOf::Request => line.log(sender, None),
            LineOf::BoundedRequest => {
                // This one has a line, and the ones before it that had none are counted there.
                if let Some(requests) = state.bounded_lines.count() {
                    line.log(sender, Some(requests - 1).filter(|unlogged| *unlogged > 0));
                }
            }
            LineOf::RefusalSummary => state.refusals.add(address, logged),
            LineOf::FailureSummary => state.failures.add(address, logged),
            LineOf::AuthenticationSummary => {}
        }
        state.request_metrics.count(&method, route.as_ref(), status, duration.as_secs_f64());
    }
}

/// What the client calls itself in `User-Agent`; made only where a line may need it.
fn user_agent(headers: &HeaderMap) -> Option<String> {
    if !tracing::enabled!(target: TARGET, Level::INFO) {
        return None;
    }
    headers.get(USER_AGENT).map(|value| cleaned(&String::from_utf8_lossy(value.as_bytes())))
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
    /// One of its own.
    Request,
    /// One of its own, as long as there are few: no limit keeps its sender from sending more.
    BoundedRequest,
    /// One with others, as [`LineOf::FailureSummary`]: a line for each would let anyone fill the log.
    RefusalSummary,
    FailureSummary,
    /// That of failed authentications, see `FailedAuthentications`.
    AuthenticationSummary,
}

impl LineOf {
    fn response(response: &Response<Body>, sender: &Sender) -> LineOf {
        // What is refused because too much is asked is no failure of the server, and clients cause it as often as they like.
        let is_overloaded = response.headers().contains_key(RETRY_AFTER);
        match (response.status().as_u16(), &sender.caller) {
            (429, Some(_)) => LineOf::BoundedRequest,
            (_, Some(_)) => LineOf::Request,
            (401 | 429, None) => LineOf::AuthenticationSummary,
            _ if response.extensions().get::<LoggedElsewhere>().is_some() => LineOf::BoundedRequest,
            (500.., None) if !is_overloaded => LineOf::FailureSummary,
            (400.., None) => LineOf::RefusalSummary,
            (_, None) => LineOf::BoundedRequest,
        }
    }

    /// The line of a request whose connection ended before it was answered.
    fn hang_up(sender: &Sender) -> LineOf {
        if sender.caller.is_some() { LineOf::Request } else { LineOf::BoundedRequest }
    }
}

/// What the log says of a request. Paths and queries are left out: they hold ids, names and texts of users.
struct RequestLine<'a> {
    id: &'a RequestId,
    method: &'a Method,
    route: Option<&'a MatchedPath>,
    status: StatusCode,
    duration: Duration,
    address: Option<ClientAddress>,
}

impl RequestLine<'_> {
    /// Writes the line, with the number of requests before it that have none, if there are any.
    fn log(&self, sender: &Sender, unlogged: Option<u64>) {
        if !tracing::enabled!(target: TARGET, Level::INFO) {
            return;
        }
        let user = sender.caller.as_ref().map(|caller| cleaned(caller.user_name()));
        let token = sender.caller.as_ref().and_then(|caller| caller.token_name().map(cleaned));
        let address = self.address.map(|ClientAddress(address)| tracing::field::display(address));
        tracing::info!(
            target: TARGET,
            method = %shortened(self.method.as_str()),
            route = %self.route.map_or("-", MatchedPath::as_str),
            status = self.status.as_u16(),
            ms = (self.duration.as_secs_f64() * 1e6).round() / 1e3,
            user,
            token,
            client = sender.client.as_deref(),
            address,
            request_id = %self.id,
            unlogged,
            "request"
        );
    }
}

/// A name that a client or a user has chosen, without what could make another line of it.
fn cleaned(name: &str) -> String {
    name.chars().take(MAX_NAME_CHARACTERS).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The beginning of what a client has sent, which may be as long as a head.
fn shortened(text: &str) -> &str {
    text.char_indices().nth(MAX_LOGGED_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(status: u16, sender: &Sender) -> LineOf {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status.try_into().unwrap();
        LineOf::response(&response, sender)
    }

    #[test]
    fn what_anyone_can_cause_has_no_line_of_its_own_or_few() {
        let anyone = Sender::default();
        for status in [400, 403, 404, 405, 413] {
            assert_eq!(line_of(status, &anyone), LineOf::RefusalSummary, "{status}");
        }
        for status in [401, 429] {
            assert_eq!(line_of(status, &anyone), LineOf::AuthenticationSummary, "{status}");
        }
        for status in [200, 304, 307] {
            assert_eq!(line_of(status, &anyone), LineOf::BoundedRequest, "{status}");
        }
        for status in [500, 503] {
            assert_eq!(line_of(status, &anyone), LineOf::FailureSummary, "{status}");
        }
        let works = interline_items::StoreHealth { reads: Ok(()), writes: Ok(()) };
        let not_ready = ApiError::NotReady(works).into_response();
        assert_eq!((not_ready.status().as_u16(), LineOf::response(&not_ready, &anyone)), (503, LineOf::BoundedRequest));
    }

    #[tokio::test]
    async fn the_summary_of_failures_has_their_detail() {
        let failing = async { ApiError::from(Error::Unavailable("disk full".to_owned())).into_response() };
        let current = CurrentRequest { id: RequestId::next(), sender: RefCell::default(), unanswered: Cell::default() };
        let failed = CURRENT_REQUEST.scope(current, failing).await;
        let kept = failed.extensions().get::<FailureDetail>().map(|FailureDetail(detail)| detail.as_str());
        assert_eq!(kept, Some("disk full"));
    }

    #[test]
    fn what_is_logged_of_a_request_is_short_and_one_line() {
        assert_eq!(shortened("/notes"), "/notes");
        assert_eq!(shortened(&"é".repeat(60_000)), "é".repeat(MAX_LOGGED_CHARACTERS));
        assert_eq!(cleaned("a\nb\u{1b}[31m\u{85}"), "a\u{fffd}b\u{fffd}[31m\u{fffd}");
        assert_eq!(cleaned(&"é".repeat(60_000)), "é".repeat(MAX_NAME_CHARACTERS));
    }
}
