//! Work that follows from changes, beside the requests.

use std::sync::Arc;
use std::time::Duration;

use interline_items::{Interline, JobMetrics};
use jiff::Timestamp;
use tokio::time::MissedTickBehavior;

use crate::JobSettings;
use crate::outside::Internet;

/// How long to wait after the store could not be asked what there is to do.
const RETRY: Duration = Duration::from_secs(1);
/// How often it is looked how much there is to do.
const FIGURES: Duration = Duration::from_secs(5);

/// Does what follows from changes, again and again. What goes on failing in one way is told once.
pub(crate) async fn work(interline: Interline, settings: JobSettings) {
    let mut worker = interline.worker(Arc::new(Internet::new(&settings)), settings.rules);
    let mut told = None;
    loop {
        match worker.step().await {
            Ok(()) => told = None,
            Err(error) => {
                if told.replace(error.code()) != Some(error.code()) {
                    tracing::warn!(?error, "work that follows from changes cannot be done; it is tried again");
                }
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

/// Keeps the figures up to date that tell how much there is to do.
pub(crate) async fn tell_figures(interline: Interline) {
    let mut pause = tokio::time::interval(FIGURES);
    // A store that is slow to count must not be asked all the time.
    pause.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        pause.tick().await;
        // Without a store there are none.
        for figures in interline.job_metrics().await.unwrap_or_default() {
            tell(&figures);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no queue is that long")]
fn tell(figures: &JobMetrics) {
    let task = figures.task.name();
    let age = figures.oldest.map_or(0.0, |oldest| Timestamp::now().duration_since(oldest).as_secs_f64().max(0.0));
    metrics::gauge!("interline_jobs_waiting", "task" => task).set(figures.waiting as f64);
    metrics::gauge!("interline_jobs_oldest_seconds", "task" => task).set(age);
    metrics::gauge!("interline_jobs_given_up", "task" => task).set(figures.given_up as f64);
}
