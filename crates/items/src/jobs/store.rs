//! The `JobStore` trait: what the use cases need of a storage for jobs, webhooks and enrichments.

use async_trait::async_trait;
use jiff::Timestamp;

use super::{
    Attempt, ClaimJobs, Delivery, DeliveryState, DueJobs, Enrichment, EnrichmentState, FindDueJobs, Job, JobEnd,
    JobKind, JobMetrics, Webhook, WebhookStop,
};
use crate::{ItemId, SpaceId, StoreError, UserId, WebhookId};

/// The part of a [`Store`](crate::Store) that stores the job queue, webhooks with their deliveries (the outbox), and
/// enrichments.
///
/// The transaction of a change adds a delivery for each webhook of the item's space that gets events of its kind and has not
/// stopped, and enqueues the job that delivers it. As long as a worker does enrich jobs ([`JobStore::enrich_until`]), the
/// transaction also enqueues the job that has the item summarized, if the change
/// [asks for it](crate::ItemWrite::asks_for_enrichment). The promises of the methods are those of a
/// [`Store`](crate::Store).
#[async_trait]
pub trait JobStore: Send + Sync {
    /// Lets changes enqueue enrich jobs until a time, because a worker does them. Never shortens that time.
    async fn enrich_until(&self, time: Timestamp) -> Result<(), StoreError>;

    /// The users that have jobs of a kind which were not given up, in the order of their ids, each with the jobs that are due.
    /// Fewer users than were asked for are the last ones. The work depends on how many are asked for, not on how many jobs a
    /// user has.
    async fn due_jobs(&self, find: FindDueJobs) -> Result<Vec<DueJobs>, StoreError>;

    /// Claims those of the jobs that are due and that nobody else is claiming. A claimed job is due again when its lease ends.
    async fn claim_jobs(&self, claim: ClaimJobs) -> Result<Vec<Job>, StoreError>;

    /// When the next job of a kind is due, of those that are due after a time; `None` while there is none.
    async fn next_job(&self, task: JobKind, after: Timestamp) -> Result<Option<Timestamp>, StoreError>;

    /// Ends a job, if no other worker has claimed it since; whether it was ended. A job that was enqueued again meanwhile is due
    /// at once, unless it failed: then it is due when it is retried.
    async fn end_job(&self, job: &Job, end: JobEnd, now: Timestamp) -> Result<bool, StoreError>;

    /// How many jobs wait and were given up, for each kind of job.
    async fn job_metrics(&self) -> Result<Vec<JobMetrics>, StoreError>;

    /// Removes deliveries that are not pending and jobs, if they are from before a time; how many.
    async fn forget_jobs(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Adds a webhook.
    async fn create_webhook(&self, webhook: &Webhook) -> Result<(), StoreError>;

    /// Changes address, kinds, start and stop of a webhook to those of `webhook`; the pending deliveries of a webhook that has
    /// stopped are given up. Whether the webhook exists.
    async fn update_webhook(&self, webhook: &Webhook) -> Result<bool, StoreError>;

    /// Stops a webhook, unless its address or its start is another than that of `webhook` by now; its pending deliveries are
    /// given up. A webhook that has stopped before keeps the first reason.
    async fn stop_webhook(&self, webhook: &Webhook, stopped: &WebhookStop) -> Result<(), StoreError>;

    /// How many webhooks a space has.
    async fn webhooks_in(&self, space: SpaceId) -> Result<u64, StoreError>;

    /// Removes a webhook with its deliveries; whether it existed. Of very many deliveries, some at a time, after the webhook was
    /// stopped: other writes go on meanwhile.
    async fn delete_webhook(&self, id: WebhookId) -> Result<bool, StoreError>;

    /// A webhook.
    async fn webhook(&self, id: WebhookId) -> Result<Option<Webhook>, StoreError>;

    /// The webhooks of a user, oldest first.
    async fn webhooks(&self, user: UserId) -> Result<Vec<Webhook>, StoreError>;

    /// The next pending delivery of a webhook: first those that were not set aside, in order, then the others, by the time
    /// until which they are set aside.
    async fn next_delivery(&self, webhook: WebhookId) -> Result<Option<Delivery>, StoreError>;

    /// Stores an attempt of a delivery, and the state of the delivery after it.
    async fn record_attempt(
        &self,
        webhook: WebhookId,
        delivery: u64,
        attempt: &Attempt,
        state: DeliveryState,
    ) -> Result<(), StoreError>;

    /// The deliveries of a webhook with numbers below `before`, newest first; at most `limit`.
    async fn deliveries(
        &self,
        webhook: WebhookId,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Delivery>, StoreError>;

    /// Stores the enrichment of an item, unless one of a newer version is stored, or the item does not exist.
    async fn put_enrichment(&self, item: ItemId, enrichment: &Enrichment) -> Result<(), StoreError>;

    /// Removes the enrichment of an item.
    async fn remove_enrichment(&self, item: ItemId) -> Result<(), StoreError>;

    /// The enrichment of an item, and the state of its job.
    async fn enrichment(&self, item: ItemId) -> Result<EnrichmentState, StoreError>;
}
