//! Work that follows from changes: what is to be done, what is kept of it, and what a storage does for it.

mod enrichment;
mod store;
mod target;
mod webhook;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::write::names;
use crate::{ItemId, WebhookId};

pub use enrichment::{Enrichment, EnrichmentState};
pub use store::JobStore;
pub use target::{WebhookTargets, WebhookUrl, is_public};
pub use webhook::{Attempt, Delivery, DeliveryState, Webhook, WebhookSecret, WebhookStop};

names! {
    /// A sort of work.
    JobKind {
        /// Telling a webhook what happened.
        Deliver = "deliver",
        /// Having an item summarized.
        Enrich = "enrich",
    }
}

impl JobKind {
    /// How long after a change its work is due. Of the changes that follow each other in that time, the last is enough
    /// for a summary.
    pub const fn delay(self) -> SignedDuration {
        match self {
            JobKind::Deliver => SignedDuration::ZERO,
            JobKind::Enrich => SignedDuration::from_secs(2),
        }
    }
}

/// Something to do. There is one job of each at a time, however often it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobKey {
    /// To tell a webhook what it was not told yet.
    Deliver(WebhookId),
    /// To have an item summarized as it is.
    Enrich(ItemId),
}

impl JobKey {
    /// The work of a sort on something.
    pub fn new(task: JobKind, subject: Uuid) -> JobKey {
        match task {
            JobKind::Deliver => JobKey::Deliver(WebhookId::from_uuid(subject)),
            JobKind::Enrich => JobKey::Enrich(ItemId::from_uuid(subject)),
        }
    }

    /// Its sort.
    pub fn task(self) -> JobKind {
        match self {
            JobKey::Deliver(_) => JobKind::Deliver,
            JobKey::Enrich(_) => JobKind::Enrich,
        }
    }

    /// What it is done with.
    pub fn subject(self) -> Uuid {
        match self {
            JobKey::Deliver(webhook) => webhook.uuid(),
            JobKey::Enrich(item) => item.uuid(),
        }
    }
}

/// A job that somebody has claimed: nobody else has it until its lease ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// What is to be done.
    pub work: JobKey,
    /// Another one for each claim: who has lost it cannot end the job.
    pub claim: Uuid,
    /// How often it was asked for. If that grows meanwhile, it is to be done again.
    pub wanted: u64,
    /// How often it failed in a row.
    pub failures: u32,
    /// Since when it is to be done.
    pub since: Timestamp,
}

/// Which jobs somebody claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimJobs {
    /// Of this sort.
    pub task: JobKind,
    /// At most so many.
    pub limit: usize,
    /// Those that are due by now.
    pub now: Timestamp,
    /// When the claim ends by itself.
    pub leased_until: Timestamp,
}

/// How somebody ends a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// It is done.
    Done,
    /// There is more to do, from then on.
    Later(Timestamp),
    /// It failed, and is tried again from then on.
    Failed {
        /// When.
        due_at: Timestamp,
        /// Why.
        failure: String,
        /// How often it has failed in a row by now.
        failures: u32,
    },
    /// It failed, and is not tried again until it is asked for again.
    GivenUp(String),
}

/// How much there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobMetrics {
    /// Of which sort.
    pub task: JobKind,
    /// How many deliveries or summaries are to be done.
    pub waiting: u64,
    /// Since when the oldest of them is.
    pub oldest: Option<Timestamp>,
    /// How many were given up, of those that are remembered.
    pub given_up: u64,
}
