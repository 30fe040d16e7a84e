//! The state that all handlers and middleware share.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use interline_items::Interline;
use metrics_exporter_prometheus::PrometheusHandle;

use super::middleware::failed_authentication::FailedAuthentications;
use super::middleware::host_check::HostCheck;
use super::middleware::metrics::{RequestMetrics, recorder};
use super::middleware::rate_limit::UserRateLimiter;
use super::middleware::response_cache::ResponseCache;
use crate::Settings;
use crate::shutdown::Shutdown;

/// The state of the API; cheap to clone.
#[derive(Clone)]
pub(super) struct AppState(Arc<SharedState>);

pub(super) struct SharedState {
    pub(super) interline: Interline,
    pub(super) settings: Settings,
    pub(super) host_check: HostCheck,
    pub(super) failed_authentications: FailedAuthentications,
    /// `None` where requests are not limited.
    pub(super) rate_limiter: Option<UserRateLimiter>,
    pub(super) response_cache: ResponseCache,
    pub(super) request_metrics: RequestMetrics,
    pub(super) prometheus: PrometheusHandle,
    pub(super) shutdown: Shutdown,
}

impl AppState {
    /// The state of a server that listens on `address`.
    pub(super) fn new(interline: Interline, settings: Settings, address: SocketAddr, shutdown: Shutdown) -> AppState {
        AppState(Arc::new(SharedState {
            host_check: HostCheck::new(&settings, address),
            failed_authentications: FailedAuthentications::default(),
            rate_limiter: settings.rate_limits.map(UserRateLimiter::new),
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
