//! The job worker: webhook deliveries and summaries that follow from changes, beside the requests, and their metrics.

use std::sync::Arc;
use std::time::Duration;

use interline_items::{Interline, JobMetrics};
use jiff::Timestamp;
use tokio::time::MissedTickBehavior;

use crate::JobSettings;
use crate::outbound::OutboundHttp;

/// How long to wait after the store could not be asked for jobs.
const RETRY: Duration = Duration::from_secs(1);
/// How often the metrics of the job queue are read from the store.
const METRICS_PAUSE: Duration = Duration::from_secs(5);

/// Runs jobs, again and again. A failure that goes on in the same way is logged once.
pub(crate) async fn run_jobs(interline: Interline, settings: JobSettings) {
    let mut worker = interline.worker(Arc::new(OutboundHttp::new(&settings)), settings.policy);
    let mut logged = None;
    loop {
        match worker.step().await {
            Ok(()) => logged = None,
            Err(error) => {
                if logged.replace(error.code()) != Some(error.code()) {
                    let error = error.with_detail();
                    tracing::warn!(error, "webhooks and summaries cannot be worked on; it is tried again");
                }
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

/// Keeps the metrics of the job queue up to date.
pub(crate) async fn update_job_metrics(interline: Interline) {
    let mut pause = tokio::time::interval(METRICS_PAUSE);
    // A store that is slow to count must not be asked all the time.
    pause.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        pause.tick().await;
        // A store that does not answer has none.
        for metrics in interline.job_metrics().await.unwrap_or_default() {
            set_gauges(&metrics);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no queue is that long")]
fn set_gauges(metrics: &JobMetrics) {
    let task = metrics.task.name();
    let age = metrics.oldest.map_or(0.0, |oldest| Timestamp::now().duration_since(oldest).as_secs_f64().max(0.0));
    metrics::gauge!("interline_jobs_waiting", "task" => task).set(metrics.waiting as f64);
    metrics::gauge!("interline_jobs_oldest_seconds", "task" => task).set(age);
    metrics::gauge!("interline_jobs_given_up", "task" => task).set(metrics.given_up as f64);
}
