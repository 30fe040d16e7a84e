//! The worker of the job queue: it claims due jobs under a lease, runs them concurrently, and retries what fails.
//!
//! The transaction of a change enqueues its jobs (see [`JobStore`](crate::JobStore)): to deliver events to webhooks, and to
//! have an item summarized by a model.

mod deliver;
mod enrich;
mod pool;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use crate::{Attempt, ClaimJobs, Delivery, Error, Job, JobEnd, JobKey, JobKind, JobMetrics, Webhook};

use self::pool::{JobPool, Reach};

use super::{Interline, now};

pub use enrich::{SummaryError, SummaryRequest, SummaryResult};

/// How long the worker waits for a job at the most: where the notice of a change was lost, its jobs are found then.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// How long the worker waits at least, so that many changes in a short time do not mean as many queries.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
/// How long the worker waits where more jobs may be due than it has found: another worker is claiming some of them, or there
/// are more users than it looks at in one go.
const NEXT_LOOK_PAUSE: Duration = Duration::from_millis(100);
/// How often a delivery or job is tried before it is set aside or given up, however old it is.
const MIN_ATTEMPTS: u32 = 5;
/// How much of the reason of a failure is stored.
const MAX_FAILURE_CHARS: usize = 500;
/// How long changes go on enqueuing enrich jobs after a worker has last announced that it does them.
const ENRICH_ANNOUNCEMENT: SignedDuration = SignedDuration::from_hours(24 * 7);

/// Calls to systems outside of the store: webhook endpoints and the model. They can be slow, wrong or gone.
#[async_trait]
pub trait Outbound: Send + Sync {
    /// Sends a delivery to the endpoint of a webhook, within [`DELIVERY_TIME`].
    async fn deliver(&self, webhook: &Webhook, delivery: &Delivery) -> Attempt;

    /// The name of the model that summarizes; `None` if none is configured.
    fn model(&self) -> Option<&str>;

    /// Has the model summarize an item, within [`SUMMARY_TIME`].
    async fn summarize(&self, request: &SummaryRequest) -> Result<SummaryResult, SummaryError>;
}

/// How long a delivery may take.
pub const DELIVERY_TIME: Duration = Duration::from_secs(10);
/// How long a summary may take.
pub const SUMMARY_TIME: Duration = Duration::from_secs(60);

/// How failed jobs and deliveries are retried, and how many places users have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobPolicy {
    /// The pause after the first failure; each further one is twice as long.
    pub first_pause: SignedDuration,
    /// The longest pause.
    pub longest_pause: SignedDuration,
    /// How long a delivery or job is retried.
    pub give_up_after: SignedDuration,
    /// To how many webhooks of one user a worker delivers at a time; half of its places, 32, at the most.
    pub deliveries_per_user: usize,
}

impl Default for JobPolicy {
    fn default() -> JobPolicy {
        JobPolicy {
            first_pause: SignedDuration::from_secs(1),
            longest_pause: SignedDuration::from_mins(15),
            give_up_after: SignedDuration::from_hours(24),
            deliveries_per_user: 16,
        }
    }
}

impl JobPolicy {
    /// When to retry after so many failures in a row.
    fn retry_at(&self, failures: u32, now: Timestamp) -> Timestamp {
        let doubled = 2_i32.saturating_pow(failures.saturating_sub(1).min(30));
        let pause = self.first_pause.checked_mul(doubled).unwrap_or(self.longest_pause);
        now + pause.min(self.longest_pause)
    }

    /// Whether a delivery or job that is due since then is given up. It has always been tried [`MIN_ATTEMPTS`] times before,
    /// however late the first attempt was.
    fn gives_up(&self, since: Timestamp, failures: u32, now: Timestamp) -> bool {
        failures >= MIN_ATTEMPTS && self.is_too_old(since, now)
    }

    /// Whether that is longer ago than anything is retried.
    fn is_too_old(&self, since: Timestamp, now: Timestamp) -> bool {
        now.duration_since(since) >= self.give_up_after
    }
}

impl JobKind {
    /// How many jobs of this kind one worker runs at a time.
    const fn places(self) -> usize {
        match self {
            JobKind::Deliver => 64,
            JobKind::Enrich => 4,
        }
    }

    /// How long the lease of a claim is: longer than a job takes, and no longer than other workers should wait when this
    /// process dies.
    fn lease(self) -> SignedDuration {
        match self {
            JobKind::Deliver => SignedDuration::from_secs(30),
            JobKind::Enrich => SignedDuration::from_secs(90),
        }
    }
}

/// A worker of the job queue. Any number of processes may have one; each job is run by one worker at a time. When a worker
/// is dropped, other workers take over its running jobs once their leases have ended.
pub struct JobWorker {
    interline: Interline,
    outbound: Arc<dyn Outbound>,
    policy: JobPolicy,
    changes: watch::Receiver<()>,
    delivering: JobPool,
    enriching: JobPool,
    /// When this worker last announced that it does enrich jobs.
    announced: Option<Timestamp>,
}

impl Interline {
    /// A worker of the job queue.
    pub fn worker(&self, outbound: Arc<dyn Outbound>, policy: JobPolicy) -> JobWorker {
        JobWorker {
            interline: self.clone(),
            outbound,
            policy,
            changes: self.store.changes(),
            delivering: JobPool::new(JobKind::Deliver, policy.deliveries_per_user),
            enriching: JobPool::new(JobKind::Enrich, usize::MAX),
            announced: None,
        }
    }

    /// How many jobs wait and were given up, for each kind of job.
    pub async fn job_metrics(&self) -> Result<Vec<JobMetrics>, Error> {
        Ok(self.store.job_metrics().await?)
    }
}

impl JobWorker {
    /// Starts the jobs that are due, and waits until more may be due. To be called again and again; an error is one of the
    /// storage, after which the caller should pause.
    pub async fn step(&mut self) -> Result<(), Error> {
        self.changes.mark_unchanged();
        let ended = self.reap_ended();
        let mut next = self.start_due(JobKind::Deliver).await?;
        if self.outbound.model().is_some() {
            self.announce().await?;
            next = next.min(self.start_due(JobKind::Enrich).await?);
        }
        tokio::time::sleep(SHORTEST_PAUSE).await;
        tokio::select! {
            _ = self.changes.changed() => ended,
            done = self.delivering.reap() => ended.and(done),
            done = self.enriching.reap() => ended.and(done),
            () = tokio::time::sleep(next) => ended,
        }
    }

    /// Makes room for new jobs where jobs have ended; the first error of those.
    fn reap_ended(&mut self) -> Result<(), Error> {
        let mut ended = Ok(());
        for pool in [&mut self.delivering, &mut self.enriching] {
            while let Some(done) = pool.try_reap() {
                ended = ended.and(done);
            }
        }
        ended
    }

    /// Announces to the storage that a worker does enrich jobs, long before the last announcement ends.
    async fn announce(&mut self) -> Result<(), Error> {
        let now = now();
        if self.announced.is_none_or(|announced| now.duration_since(announced) > SignedDuration::from_hours(1)) {
            self.interline.store.enrich_until(now + ENRICH_ANNOUNCEMENT).await?;
            self.announced = Some(now);
        }
        Ok(())
    }

    /// Starts the due jobs of a kind; how long until another may be due.
    async fn start_due(&mut self, task: JobKind) -> Result<Duration, Error> {
        let pool = match task {
            JobKind::Deliver => &mut self.delivering,
            JobKind::Enrich => &mut self.enriching,
        };
        let (store, now) = (&self.interline.store, now());
        // Without a place, the worker waits until a job ends.
        let Some(due) = store.next_job(task, Timestamp::MIN).await?.filter(|_| pool.room() > 0) else {
            return Ok(POLL_INTERVAL);
        };
        if due > now {
            return Ok(until(due).min(POLL_INTERVAL));
        }
        let (due, reach) = pool.take_turn(store, now).await?;
        let mut places: HashMap<JobKey, _> = due.into_iter().map(|job| (job.key, job.place)).collect();
        if !places.is_empty() {
            let subjects = places.keys().map(|key| key.subject()).collect();
            let claim = ClaimJobs { task, subjects, now, leased_until: now + task.lease() };
            for job in store.claim_jobs(claim).await? {
                let Some(place) = places.remove(&job.key) else { continue };
                let (interline, outbound) = (self.interline.clone(), Arc::clone(&self.outbound));
                pool.spawn(place, RunningJob { interline, outbound, policy: self.policy, job }.run());
            }
        }
        if !places.is_empty() || reach == Reach::Part {
            return Ok(NEXT_LOOK_PAUSE);
        }
        // What is due and was not claimed waits until one of its user's jobs ends.
        let next = store.next_job(task, now).await?;
        Ok(next.map_or(POLL_INTERVAL, |due| until(due).clamp(NEXT_LOOK_PAUSE, POLL_INTERVAL)))
    }
}

/// How long it is until `due`.
fn until(due: Timestamp) -> Duration {
    Duration::try_from(due.duration_since(now())).unwrap_or_default()
}

/// A claimed job that is being run.
struct RunningJob {
    interline: Interline,
    outbound: Arc<dyn Outbound>,
    policy: JobPolicy,
    job: Job,
}

impl RunningJob {
    async fn run(self) -> Result<(), Error> {
        let done = match self.job.key {
            JobKey::Deliver(webhook) => self.deliver(webhook).await,
            JobKey::Enrich(item) => self.enrich(item).await,
        };
        let end = match &done {
            Ok(end) => end.clone(),
            // A storage that cannot be read cannot be written either: the job is run again when its lease ends.
            Err(Error::Unavailable(_) | Error::Unknown(_)) => return done.map(drop),
            Err(_) => self.failed(self.job.failures.saturating_add(1), "something is broken; the log says what"),
        };
        // If the lease has ended, another worker may have claimed the job and runs it again: at least once.
        self.interline.store.end_job(&self.job, end, now()).await?;
        done.map(drop)
    }

    /// The end of a job that has failed so many times in a row.
    fn failed(&self, failures: u32, failure: &str) -> JobEnd {
        JobEnd::Failed { due_at: self.policy.retry_at(failures, now()), failure: shortened(failure), failures }
    }
}

/// The beginning of a failure's reason, which may quote the answer of another system.
fn shortened(failure: &str) -> String {
    failure.chars().filter(|c| *c != '\0').take(MAX_FAILURE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let policy = JobPolicy::default();
        let pauses: Vec<i64> = [1, 2, 3, 10, 11, 1_000, u32::MAX]
            .map(|failures| policy.retry_at(failures, Timestamp::UNIX_EPOCH).as_second())
            .into();
        assert_eq!(pauses, [1, 2, 4, 512, 900, 900, 900]);
    }
}
