//! Doing what follows from changes: claiming jobs, doing them beside each other, and trying again what fails.

mod deliver;
mod enrich;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};

use crate::{Attempt, ClaimJobs, Delivery, Error, Job, JobEnd, JobKey, JobKind, JobMetrics, Webhook};

use super::{Interline, now};

pub use enrich::{SummaryError, SummaryRequest, SummaryResult};

/// How long to wait for something to do, at the most: where word of a change is lost, it is found then.
const LOOK_ANYWAY: Duration = Duration::from_secs(5);
/// How long to wait at least, so that many changes in a short time do not mean as many looks.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
/// How long to wait for what is due and could not be claimed: somebody else is at it.
const SOON: Duration = Duration::from_millis(100);
/// How often something is tried before it is set aside, or given up however old it is.
const LEAST_ATTEMPTS: u32 = 5;
/// How much is kept of why something failed.
const MAX_FAILURE_CHARS: usize = 500;
/// How long changes leave jobs of enriching after somebody has last said that they do them.
const ENRICHING: SignedDuration = SignedDuration::from_hours(24 * 7);

/// The world outside of the store, which can be slow, wrong or gone.
#[async_trait]
pub trait OutboundHttp: Send + Sync {
    /// Tells a webhook what happened, within [`DELIVERY_TIME`].
    async fn deliver(&self, webhook: &Webhook, delivery: &Delivery) -> Attempt;

    /// What the model is called that summarizes; `None` if there is none.
    fn model(&self) -> Option<&str>;

    /// Has a text summarized, within [`SUMMARY_TIME`].
    async fn summarize(&self, text: &SummaryRequest) -> Result<SummaryResult, SummaryError>;
}

/// How long a delivery may take.
pub const DELIVERY_TIME: Duration = Duration::from_secs(10);
/// How long a summary may take.
pub const SUMMARY_TIME: Duration = Duration::from_secs(60);

/// How what fails is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobPolicy {
    /// The pause after the first failure; each further one is twice as long.
    pub first_pause: SignedDuration,
    /// The longest pause.
    pub longest_pause: SignedDuration,
    /// How long it is tried.
    pub give_up_after: SignedDuration,
}

impl Default for JobPolicy {
    fn default() -> JobPolicy {
        JobPolicy {
            first_pause: SignedDuration::from_secs(1),
            longest_pause: SignedDuration::from_mins(15),
            give_up_after: SignedDuration::from_hours(24),
        }
    }
}

impl JobPolicy {
    /// When to try again what has failed so many times in a row.
    fn again(&self, failures: u32, now: Timestamp) -> Timestamp {
        let doubled = 2_i32.saturating_pow(failures.saturating_sub(1).min(30));
        let pause = self.first_pause.checked_mul(doubled).unwrap_or(self.longest_pause);
        now + pause.min(self.longest_pause)
    }

    /// Whether something that is to be done since then is not tried any more, though it may be within a moment that it
    /// could be tried at all.
    fn gives_up(&self, since: Timestamp, failures: u32, now: Timestamp) -> bool {
        failures >= LEAST_ATTEMPTS && self.is_over(since, now)
    }

    /// Whether that is longer ago than anything is tried.
    fn is_over(&self, since: Timestamp, now: Timestamp) -> bool {
        now.duration_since(since) >= self.give_up_after
    }
}

impl JobKind {
    /// How many jobs of the sort one process does at a time.
    const fn most(self) -> usize {
        match self {
            JobKind::Deliver => 64,
            JobKind::Enrich => 4,
        }
    }

    /// How long a claim lasts: longer than a job takes, and no longer than others should wait when its process dies.
    fn lease(self) -> SignedDuration {
        match self {
            JobKind::Deliver => SignedDuration::from_secs(30),
            JobKind::Enrich => SignedDuration::from_secs(90),
        }
    }
}

/// Somebody who does what follows from changes. Any number of processes may have one; each job is done by one of them at a
/// time. Dropping it leaves what is under way to the others, once its lease has ended.
pub struct JobWorker {
    interline: Interline,
    outside: Arc<dyn OutboundHttp>,
    rules: JobPolicy,
    changes: watch::Receiver<()>,
    delivering: JoinSet<Result<(), Error>>,
    enriching: JoinSet<Result<(), Error>>,
    announced: Option<Timestamp>,
}

impl Interline {
    /// Somebody who does what follows from changes.
    pub fn worker(&self, outside: Arc<dyn OutboundHttp>, rules: JobPolicy) -> JobWorker {
        JobWorker {
            interline: self.clone(),
            outside,
            rules,
            changes: self.store.changes(),
            delivering: JoinSet::new(),
            enriching: JoinSet::new(),
            announced: None,
        }
    }

    /// How much work follows from changes and is not done yet.
    pub async fn work_figures(&self) -> Result<Vec<JobMetrics>, Error> {
        Ok(self.store.work_figures().await?)
    }
}

impl JobWorker {
    /// Begins what is due, and waits until there may be more to do. To be called again and again; an error is that of a
    /// storage, after which a pause is due.
    pub async fn step(&mut self) -> Result<(), Error> {
        self.changes.mark_unchanged();
        let ended = self.ended();
        let mut next = self.begin(JobKind::Deliver).await?;
        if self.outside.model().is_some() {
            self.announce().await?;
            next = next.min(self.begin(JobKind::Enrich).await?);
        }
        tokio::time::sleep(SHORTEST_PAUSE).await;
        tokio::select! {
            _ = self.changes.changed() => ended,
            done = self.delivering.join_next(), if !self.delivering.is_empty() => ended.and(outcome(done)),
            done = self.enriching.join_next(), if !self.enriching.is_empty() => ended.and(outcome(done)),
            () = tokio::time::sleep(next) => ended,
        }
    }

    /// Makes room for others where something has ended; the first error of those.
    fn ended(&mut self) -> Result<(), Error> {
        let mut ended = Ok(());
        for set in [&mut self.delivering, &mut self.enriching] {
            while let Some(done) = set.try_join_next() {
                ended = ended.and(outcome(Some(done)));
            }
        }
        ended
    }

    /// Says that somebody enriches, long before others would have to believe that nobody does any more.
    async fn announce(&mut self) -> Result<(), Error> {
        let now = now();
        if self.announced.is_none_or(|announced| now.duration_since(announced) > SignedDuration::from_hours(1)) {
            self.interline.store.enrich_until(now + ENRICHING).await?;
            self.announced = Some(now);
        }
        Ok(())
    }

    /// Begins jobs of a sort that are due; how long until there may be another.
    async fn begin(&mut self, task: JobKind) -> Result<Duration, Error> {
        let room = task.most().saturating_sub(self.under_way(task).len());
        let store = &self.interline.store;
        // Who has no room waits until something ends.
        let Some(due) = store.next_job(task).await?.filter(|_| room > 0) else { return Ok(LOOK_ANYWAY) };
        let now = now();
        if due > now {
            return Ok(until(due).min(LOOK_ANYWAY));
        }
        let wanted = ClaimJobs { task, limit: room, now, leased_until: now + task.lease() };
        for job in store.claim_jobs(wanted).await? {
            let doing =
                Doing { interline: self.interline.clone(), outside: Arc::clone(&self.outside), rules: self.rules, job };
            self.under_way(task).spawn(doing.carry_out());
        }
        let next = self.interline.store.next_job(task).await?;
        Ok(next.map_or(LOOK_ANYWAY, |due| until(due).clamp(SOON, LOOK_ANYWAY)))
    }

    fn under_way(&mut self, task: JobKind) -> &mut JoinSet<Result<(), Error>> {
        match task {
            JobKind::Deliver => &mut self.delivering,
            JobKind::Enrich => &mut self.enriching,
        }
    }
}

/// How long it is until then.
fn until(due: Timestamp) -> Duration {
    Duration::try_from(due.duration_since(now())).unwrap_or_default()
}

/// What came of a job.
fn outcome(ended: Option<Result<Result<(), Error>, JoinError>>) -> Result<(), Error> {
    match ended {
        Some(Ok(done)) => done,
        Some(Err(gone)) => Err(Error::Internal(gone.to_string())),
        None => Ok(()),
    }
}

/// A job that is being done.
struct Doing {
    interline: Interline,
    outside: Arc<dyn OutboundHttp>,
    rules: JobPolicy,
    job: Job,
}

impl Doing {
    async fn carry_out(self) -> Result<(), Error> {
        let done = match self.job.work {
            JobKey::Deliver(webhook) => self.deliver(webhook).await,
            JobKey::Enrich(item) => self.enrich(item).await,
        };
        let end = match &done {
            Ok(end) => end.clone(),
            // A store that cannot be asked cannot be told either: when the lease ends, it is tried again.
            Err(Error::Unavailable(_) | Error::Unknown(_)) => return done.map(drop),
            Err(_) => self.failed(self.job.failures.saturating_add(1), "something is broken; the log says what"),
        };
        // Whoever claimed it meanwhile does it again: that is what at least once means.
        self.interline.store.end_job(&self.job, end, now()).await?;
        done.map(drop)
    }

    /// That it has failed so many times in a row.
    fn failed(&self, failures: u32, failure: &str) -> JobEnd {
        JobEnd::Failed { due_at: self.rules.again(failures, now()), failure: short(failure), failures }
    }
}

/// The beginning of a failure: an answer from outside can be quoted in it.
fn short(failure: &str) -> String {
    failure.chars().filter(|c| *c != '\0').take(MAX_FAILURE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let rules = JobPolicy::default();
        let pauses: Vec<i64> = [1, 2, 3, 10, 11, 1_000, u32::MAX]
            .map(|failures| rules.again(failures, Timestamp::UNIX_EPOCH).as_second())
            .into();
        assert_eq!(pauses, [1, 2, 4, 512, 900, 900, 900]);
    }
}
