//! What every handler has at hand.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use interline_items::Interline;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{Semaphore, watch};

use super::guard::Guard;
use super::kept::KeptBodies;
use super::limiter::Limiter;
use super::observe::{self, Figures};
use crate::Settings;

/// The state of the API; cheap to clone.
#[derive(Clone)]
pub(super) struct App(Arc<Inner>);

pub(super) struct Inner {
    pub(super) interline: Interline,
    pub(super) settings: Settings,
    pub(super) guard: Guard,
    pub(super) limiter: Option<Limiter>,
    pub(super) kept: KeptBodies,
    pub(super) figures: Figures,
    pub(super) metrics: PrometheusHandle,
    pub(super) end: End,
}

/// What those need who are told of changes as they happen, for longer than a request takes.
#[derive(Clone)]
pub(crate) struct End {
    /// Its sender is gone when the server ends.
    pub(crate) is_closing: watch::Receiver<()>,
    /// Their places.
    pub(crate) listeners: Arc<Semaphore>,
}

impl App {
    pub(super) fn new(interline: Interline, settings: Settings, address: SocketAddr, end: End) -> App {
        let guard = Guard::new(&settings, address);
        let limiter = settings.rate_limits.map(Limiter::new);
        let (kept, figures, metrics) = (KeptBodies::default(), Figures::default(), observe::recorder());
        App(Arc::new(Inner { interline, settings, guard, limiter, kept, figures, metrics, end }))
    }
}

impl Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}
