//! Middleware that gives every request an id, checks its `Host` and `Origin`, logs its response and counts it in the metrics.

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

use crate::connections::{ForwardedFor, ForwardedRequest};
use crate::http::error::ApiError;
use crate::http::state::AppState;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static CURRENT_REQUEST: RequestId;
}

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
    CURRENT_REQUEST.try_with(ToString::to_string).unwrap_or_default()
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
    let responding = async {
        if let Err(foreign) = state.host_check.check(request.uri(), request.headers()) {
            return foreign.into_response();
        }
        match begin_forwarded(&state, request.extensions()) {
            Ok(in_flight) => {
                let mut response = next.run(request).await;
                // Until the response is sent, see `AnswerBody`.
                in_flight.map(|in_flight| response.extensions_mut().insert(Arc::new(in_flight)));
                response
            }
            Err(overloaded) => ApiError::from(Error::Overloaded(overloaded)).into_response(),
        }
    };
    let mut response = CURRENT_REQUEST.scope(id, responding).await;
    if let Ok(value) = HeaderValue::try_from(id.to_string()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let status = response.status();
    let seconds = started.elapsed().as_secs_f64();
    log_response(id, &method, uri.path(), &response, seconds);
    state.request_metrics.count(&method, route.as_ref(), status, seconds);
    response
}

/// Counts a request that a trusted proxy forwarded for the address of its client.
fn begin_forwarded(state: &AppState, extensions: &Extensions) -> Result<Option<ForwardedRequest>, Overloaded> {
    let forwarded = extensions.get::<ForwardedFor>();
    forwarded.map(|ForwardedFor(client)| state.connections.begin_forwarded(*client)).transpose()
}

fn log_response(id: RequestId, method: &Method, path: &str, response: &Response<Body>, seconds: f64) {
    let (status, milliseconds) = (response.status().as_u16(), seconds * 1e3);
    // What is refused because too much is asked is no failure of the server, and clients cause it as often as they like.
    let is_overloaded = response.headers().contains_key(RETRY_AFTER);
    match status {
        500.. if !is_overloaded => tracing::error!(request_id = %id, %method, path, status, milliseconds, "answered"),
        // Failed authentications have a line in summary: one for each would let anyone fill the log.
        401 | 429 => tracing::debug!(request_id = %id, %method, path, status, milliseconds, "answered"),
        400.. => tracing::info!(request_id = %id, %method, path, status, milliseconds, "answered"),
        _ => tracing::debug!(request_id = %id, %method, path, status, milliseconds, "answered"),
    }
}
