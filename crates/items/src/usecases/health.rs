//! Whether the storage works: one probe for all who ask, at most once a second.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::usecases::Interline;
use crate::{Outage, Store, StoreHealth};

/// How long the result of a probe is used.
const MAX_AGE: Duration = Duration::from_secs(1);
/// How long a probe is waited for: longer than a storage takes to say that it cannot.
const PROBE_TIME: Duration = Duration::from_secs(6);

/// The last probe of the storage, and whether one runs.
pub(super) struct HealthProbe {
    state: Mutex<ProbeState>,
    /// Changes when a probe has ended.
    ended: watch::Sender<()>,
}

#[derive(Default)]
struct ProbeState {
    last: Option<(StoreHealth, Instant)>,
    is_running: bool,
}

impl Default for HealthProbe {
    fn default() -> HealthProbe {
        HealthProbe { state: Mutex::default(), ended: watch::Sender::new(()) }
    }
}

impl Interline {
    /// Whether reads and writes work, as of at most a second ago. However many ask, the storage is probed once a second at
    /// the most.
    pub async fn health(&self) -> StoreHealth {
        let mut ended = self.health.ended.subscribe();
        if let Some(health) = self.health.recent() {
            return health;
        }
        // In a task of its own: a caller that goes away must not make the next one begin another probe.
        if let Some(running) = RunningProbe::begin(&self.health) {
            tokio::spawn(running.run(Arc::clone(&self.store)));
        }
        let _ = tokio::time::timeout(PROBE_TIME, ended.changed()).await;
        self.health.recent().unwrap_or(StoreHealth::failing(Outage::Unreachable))
    }
}

impl HealthProbe {
    fn state(&self) -> MutexGuard<'_, ProbeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recent(&self) -> Option<StoreHealth> {
        self.state().last.filter(|(_, at)| at.elapsed() < MAX_AGE).map(|(health, _)| health)
    }
}

/// The probe that runs; there is one at a time, and none after it is dropped.
struct RunningProbe(Arc<HealthProbe>);

impl RunningProbe {
    /// `None` if one runs.
    fn begin(probe: &Arc<HealthProbe>) -> Option<RunningProbe> {
        let is_running = std::mem::replace(&mut probe.state().is_running, true);
        (!is_running).then(|| RunningProbe(Arc::clone(probe)))
    }

    async fn run(self, store: Arc<dyn Store>) {
        let health = store.health().await;
        self.0.state().last = Some((health, Instant::now()));
    }
}

impl Drop for RunningProbe {
    fn drop(&mut self) {
        self.0.state().is_running = false;
        self.0.ended.send_replace(());
    }
}
