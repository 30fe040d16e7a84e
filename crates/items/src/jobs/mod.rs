//! The job queue: jobs that changes enqueue, webhooks with their deliveries, enrichments, and what a storage does for them.

mod enrichment;
mod store;
mod webhook;
mod webhook_url;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::write::names;
use crate::{ItemId, UserId, WebhookId};

pub use enrichment::{Enrichment, EnrichmentState};
pub use store::JobStore;
pub use webhook::{Attempt, Delivery, DeliveryState, Webhook, WebhookSecret, WebhookStop};
pub use webhook_url::{WebhookTargets, WebhookUrl, is_public};

names! {
    /// A kind of job.
    JobKind {
        /// Delivering events to a webhook.
        Deliver = "deliver",
        /// Having an item summarized by the model.
        Enrich = "enrich",
    }
}

impl JobKind {
    /// How long after a change its job is due. Of several changes in that time, the last is enough for a summary.
    pub const fn delay(self) -> SignedDuration {
        match self {
            JobKind::Deliver => SignedDuration::ZERO,
            JobKind::Enrich => SignedDuration::from_secs(2),
        }
    }
}

/// The key of a job. There is one job with a key at a time, however often it is enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobKey {
    /// Deliver the pending events of a webhook.
    Deliver(WebhookId),
    /// Have an item summarized as it is.
    Enrich(ItemId),
}

impl JobKey {
    /// The key of a job of a kind for a webhook or item.
    pub fn new(task: JobKind, subject: Uuid) -> JobKey {
        match task {
            JobKind::Deliver => JobKey::Deliver(WebhookId::from_uuid(subject)),
            JobKind::Enrich => JobKey::Enrich(ItemId::from_uuid(subject)),
        }
    }

    /// The kind of job.
    pub fn task(self) -> JobKind {
        match self {
            JobKey::Deliver(_) => JobKind::Deliver,
            JobKey::Enrich(_) => JobKind::Enrich,
        }
    }

    /// The id of the webhook or item.
    pub fn subject(self) -> Uuid {
        match self {
            JobKey::Deliver(webhook) => webhook.uuid(),
            JobKey::Enrich(item) => item.uuid(),
        }
    }
}

/// A job that a worker has claimed: no other worker gets it until its lease ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its key.
    pub key: JobKey,
    /// A new id for each claim: a worker whose lease has ended cannot end the job.
    pub claim: Uuid,
    /// How often it was enqueued. If that grows meanwhile, the job is to be run again.
    pub enqueued: u64,
    /// How often it failed in a row.
    pub failures: u32,
    /// Since when it is due.
    pub since: Timestamp,
}

/// Which due jobs a worker looks for: those of some users, in the order of the users' ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindDueJobs {
    /// The kind of job.
    pub task: JobKind,
    /// The present time: jobs that are due by then are found.
    pub now: Timestamp,
    /// The first user, or the lowest id of one.
    pub from: UserId,
    /// Of how many users at the most.
    pub users: usize,
    /// How many of each user at the most.
    pub per_user: usize,
}

/// The due jobs of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueJobs {
    /// The user: that of the webhook, or who made the change that the item is to be summarized after. A nil id stands for
    /// those of jobs that were enqueued before their users were stored.
    pub user: UserId,
    /// The jobs, the longest due first; none if the user's jobs are not due yet or claimed.
    pub jobs: Vec<JobKey>,
}

/// Which jobs a worker claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimJobs {
    /// The kind of job.
    pub task: JobKind,
    /// The webhooks or items whose jobs are claimed, if they are still due.
    pub subjects: Vec<Uuid>,
    /// The present time.
    pub now: Timestamp,
    /// When the lease of the claim ends.
    pub leased_until: Timestamp,
}

/// How a worker ends a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// It is done.
    Done,
    /// It is to be run again, from then on.
    Later(Timestamp),
    /// It failed, and is retried from then on.
    Failed {
        /// When.
        due_at: Timestamp,
        /// Why.
        failure: String,
        /// How often it has failed in a row by now.
        failures: u32,
    },
    /// It failed, and is not retried until it is enqueued again.
    GivenUp(String),
}

/// How many jobs wait and were given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobMetrics {
    /// The kind of job.
    pub task: JobKind,
    /// How many deliveries or summaries wait.
    pub waiting: u64,
    /// Since when the oldest of them waits.
    pub oldest: Option<Timestamp>,
    /// How many were given up, of those that are still stored.
    pub given_up: u64,
}
