//! What is told about every request: an id on its answer, a line in the log, and figures.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;
use interline_items::Error;
use metrics::{Counter, Histogram};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use super::app::App;
use super::error::ApiError;

/// How often recorded durations are folded into their buckets.
const UPKEEP_PAUSE: Duration = Duration::from_secs(5);

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    static REQUEST: RequestId;
}

/// An id that no other request has: of this process by chance, of this request by number.
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

/// The request that is being answered.
pub(super) struct CurrentRequest;

impl CurrentRequest {
    /// Its id, as in the log and on the answer; empty outside of a request.
    pub(super) fn id() -> String {
        REQUEST.try_with(ToString::to_string).unwrap_or_default()
    }
}

/// Gives the request an id, and tells how it was answered. One that is foreign goes no further.
pub(super) async fn observe(State(app): State<App>, request: Request, next: Next) -> Response<Body> {
    let started = Instant::now();
    let id = RequestId::next();
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let answer = async {
        match app.guard.check(request.headers()) {
            Ok(()) => next.run(request).await,
            Err(foreign) => foreign.into_response(),
        }
    };
    let mut answer = REQUEST.scope(id, answer).await;
    if let Ok(value) = HeaderValue::try_from(id.to_string()) {
        answer.headers_mut().insert(REQUEST_ID, value);
    }
    let status = answer.status();
    let seconds = started.elapsed().as_secs_f64();
    tell(id, &method, uri.path(), status, seconds);
    app.figures.count(&method, route.as_ref(), status, seconds);
    answer
}

fn tell(id: RequestId, method: &Method, path: &str, status: StatusCode, seconds: f64) {
    let (status, milliseconds) = (status.as_u16(), seconds * 1e3);
    match status {
        500.. => tracing::error!(request_id = %id, %method, path, status, milliseconds, "answered"),
        400.. => tracing::info!(request_id = %id, %method, path, status, milliseconds, "answered"),
        _ => tracing::debug!(request_id = %id, %method, path, status, milliseconds, "answered"),
    }
}

/// The figures about requests. Each is looked up once in the recorder, which takes longer than counting.
#[derive(Default)]
pub(super) struct Figures {
    by_answer: RwLock<HashMap<(&'static str, StatusCode), ByRoute>>,
}

type ByRoute = HashMap<String, Figure>;

/// The figures about requests with one method to one route that were answered alike.
struct Figure {
    requests: Counter,
    seconds: Histogram,
}

impl Figures {
    /// Counts by route, not by path: ids would make as many figures as there are items.
    fn count(&self, method: &Method, route: Option<&MatchedPath>, status: StatusCode, seconds: f64) {
        let method = match *method {
            Method::GET => "GET",
            Method::POST => "POST",
            Method::PATCH => "PATCH",
            Method::DELETE => "DELETE",
            _ => "other",
        };
        let route = route.map_or("none", MatchedPath::as_str);
        let known = self.by_answer.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(figure) = known.get(&(method, status)).and_then(|routes| routes.get(route)) {
            return figure.add(seconds);
        }
        drop(known);
        let figure = Figure::of(method, route, status);
        figure.add(seconds);
        let mut known = self.by_answer.write().unwrap_or_else(PoisonError::into_inner);
        known.entry((method, status)).or_default().insert(route.to_owned(), figure);
    }
}

impl Figure {
    fn of(method: &'static str, route: &str, status: StatusCode) -> Figure {
        let labels =
            [("method", method.to_owned()), ("route", route.to_owned()), ("status", status.as_str().to_owned())];
        Figure {
            requests: metrics::counter!("interline_http_requests_total", &labels),
            seconds: metrics::histogram!("interline_http_request_seconds", "method" => method),
        }
    }

    fn add(&self, seconds: f64) {
        self.requests.increment(1);
        self.seconds.record(seconds);
    }
}

/// The figures of this process; there is one recorder in a process.
pub(super) fn recorder() -> PrometheusHandle {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    let install = || {
        let buckets = [0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
        let builder = PrometheusBuilder::new().set_buckets(&buckets).unwrap_or_else(|_| PrometheusBuilder::new());
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::warn!("another recorder of metrics is installed: /metrics stays empty");
        }
        metrics::describe_counter!("interline_http_requests_total", "Requests by method, route and status.");
        metrics::describe_histogram!("interline_http_request_seconds", "How long requests took, by method.");
        handle
    };
    RECORDER.get_or_init(install).clone()
}

/// Folds what was recorded since the last time: without it, durations pile up until somebody asks for the figures.
pub(crate) async fn fold_figures() {
    let mut pause = tokio::time::interval(UPKEEP_PAUSE);
    loop {
        pause.tick().await;
        recorder().run_upkeep();
    }
}

/// The answer of a handler that panicked: a bug, which must not take the connection along.
#[expect(clippy::needless_pass_by_value, reason = "it is what the layer hands over")]
pub(super) fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response<Body> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&'static str>().copied()).unwrap_or("unknown");
    ApiError::Refused(Error::Internal(format!("a handler panicked: {text}"))).into_response()
}
