//! Metrics of requests, and the recorder that `/metrics` renders.

use std::collections::HashMap;
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::Duration;

use axum::extract::MatchedPath;
use axum::http::{Method, StatusCode};
use metrics::{Counter, Histogram};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// How often recorded durations are folded into their buckets.
const UPKEEP_PAUSE: Duration = Duration::from_secs(5);

/// The metrics of requests. Each is looked up once in the recorder: a lookup takes longer than counting.
#[derive(Default)]
pub(in crate::http) struct RequestMetrics {
    by_response: RwLock<HashMap<(&'static str, StatusCode), MetricsByRoute>>,
}

type MetricsByRoute = HashMap<String, RouteMetrics>;

/// The metrics of requests with one method to one route that were answered with one status.
struct RouteMetrics {
    requests: Counter,
    seconds: Histogram,
}

impl RequestMetrics {
    /// Counts by route, not by path: ids would make as many metrics as there are items.
    pub(super) fn count(&self, method: &Method, route: Option<&MatchedPath>, status: StatusCode, seconds: f64) {
        let method = match *method {
            Method::GET => "GET",
            Method::POST => "POST",
            Method::PATCH => "PATCH",
            Method::DELETE => "DELETE",
            _ => "other",
        };
        let route = route.map_or("none", MatchedPath::as_str);
        let registered = self.by_response.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(metrics) = registered.get(&(method, status)).and_then(|routes| routes.get(route)) {
            return metrics.record(seconds);
        }
        drop(registered);
        let metrics = RouteMetrics::register(method, route, status);
        metrics.record(seconds);
        let mut registered = self.by_response.write().unwrap_or_else(PoisonError::into_inner);
        registered.entry((method, status)).or_default().insert(route.to_owned(), metrics);
    }
}

impl RouteMetrics {
    fn register(method: &'static str, route: &str, status: StatusCode) -> RouteMetrics {
        let labels =
            [("method", method.to_owned()), ("route", route.to_owned()), ("status", status.as_str().to_owned())];
        RouteMetrics {
            requests: metrics::counter!("interline_http_requests_total", &labels),
            seconds: metrics::histogram!("interline_http_request_seconds", "method" => method),
        }
    }

    fn record(&self, seconds: f64) {
        self.requests.increment(1);
        self.seconds.record(seconds);
    }
}

/// The metrics of this process; there is one recorder in a process, installed by the first call.
pub(in crate::http) fn recorder() -> PrometheusHandle {
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

/// Folds recorded durations into their buckets, again and again: without it they pile up until a client reads `/metrics`.
pub(crate) async fn run_metrics_upkeep() {
    let mut pause = tokio::time::interval(UPKEEP_PAUSE);
    loop {
        pause.tick().await;
        recorder().run_upkeep();
    }
}
