//! The state that all handlers and middleware share.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use interline_items::fair::{FairSemaphore, pool_places};
use interline_items::{Interline, MemoryBudget, MemoryHolder};
use metrics_exporter_prometheus::PrometheusHandle;

use super::middleware::failed_authentication::FailedAuthentications;
use super::middleware::host_check::HostCheck;
use super::middleware::log_summary::{LogSummary, SummaryLevel};
use super::middleware::metrics::{RequestMetrics, recorder};
use super::middleware::rate_limit::UserRateLimiter;
use super::middleware::response_cache::ResponseCache;
use super::routes::health::Readiness;
use crate::Settings;
use crate::connections::{ConnectionTable, LogLimit};
use crate::shutdown::Shutdown;

/// How many lines a second requests have that no limit bounds: those without a token, and those beyond a rate limit.
const BOUNDED_LINES: u32 = 10;

/// How many imports and exports are under way at a time; one user has half of them.
const TRANSFERS: usize = 16;

/// The state of the API; cheap to clone.
#[derive(Clone)]
pub(super) struct AppState(Arc<SharedState>);

pub(super) struct SharedState {
    pub(super) interline: Interline,
    pub(super) settings: Settings,
    pub(super) host_check: HostCheck,
    pub(super) failed_authentications: FailedAuthentications,
    /// Refusals of requests before they were authenticated, failed authentications left out.
    pub(super) refusals: LogSummary,
    /// Requests that failed before they were authenticated.
    pub(super) failures: LogSummary,
    /// Lines of requests that no limit bounds.
    pub(super) bounded_lines: LogLimit,
    pub(super) readiness: Readiness,
    /// `None` where requests are not limited.
    pub(super) rate_limiter: Option<UserRateLimiter>,
    /// What requests hold in memory, and the long heads of requests.
    pub(super) memory: MemoryBudget,
    /// Places for work on long bodies.
    pub(super) long_bodies: FairSemaphore<MemoryHolder>,
    /// Places for imports and exports: each holds a thread or a temporary file for as long as its client takes.
    pub(super) transfers: FairSemaphore<MemoryHolder>,
    pub(super) connections: ConnectionTable,
    pub(super) response_cache: ResponseCache,
    pub(super) request_metrics: RequestMetrics,
    pub(super) prometheus: PrometheusHandle,
    pub(super) shutdown: Shutdown,
}

impl AppState {
    /// The state of a server that listens on `address`.
    pub(super) fn new(
        interline: Interline,
        settings: Settings,
        address: SocketAddr,
        connections: ConnectionTable,
        memory: MemoryBudget,
        shutdown: Shutdown,
    ) -> AppState {
        AppState(Arc::new(SharedState {
            host_check: HostCheck::new(&settings, address),
            failed_authentications: FailedAuthentications::default(),
            refusals: LogSummary::new(SummaryLevel::Info, "requests were refused before they were authenticated"),
            failures: LogSummary::new(SummaryLevel::Error, "requests failed before they were authenticated"),
            bounded_lines: LogLimit::new(BOUNDED_LINES),
            readiness: Readiness::default(),
            rate_limiter: settings.rate_limits.map(UserRateLimiter::new),
            memory,
            long_bodies: FairSemaphore::halved(pool_places()),
            transfers: FairSemaphore::halved(TRANSFERS),
            connections,
            response_cache: ResponseCache::default(),
            request_metrics: RequestMetrics::default(),
            prometheus: recorder(),
            interline,
            settings,
            shutdown,
        }))
    }
}

impl Deref for AppState {
    type Target = SharedState;

    fn deref(&self) -> &SharedState {
        &self.0
    }
}
