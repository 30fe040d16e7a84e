//! What the use cases need of a storage for work that follows from changes.

use async_trait::async_trait;
use jiff::Timestamp;

use super::{
    Attempt, ClaimJobs, Delivery, DeliveryState, Enrichment, EnrichmentState, Job, JobEnd, JobKind, JobMetrics,
    Webhook, WebhookStop,
};
use crate::{ItemId, SpaceId, StoreError, UserId, WebhookId};

/// The part of a [`Store`](crate::Store) that keeps work which follows from changes.
///
/// The transaction of a change adds a delivery for each webhook of the item's space that is told about its kind and has
/// not stopped, and the job of delivering it; and, as long as somebody does that, the job of enriching the item, if the
/// change [asks for it](crate::ItemWrite::asks_for_enrichment). Its promises are those of a [`Store`](crate::Store).
#[async_trait]
pub trait JobStore: Send + Sync {
    /// Lets changes leave jobs of enriching until a time, because somebody does them. Never shortens it.
    async fn enrich_until(&self, time: Timestamp) -> Result<(), StoreError>;

    /// Claims jobs that are due, the longest due first. They are due again when the lease ends.
    async fn claim_jobs(&self, wanted: ClaimJobs) -> Result<Vec<Job>, StoreError>;

    /// When the next job of a sort is due; `None` while there is none.
    async fn next_job(&self, task: JobKind) -> Result<Option<Timestamp>, StoreError>;

    /// Ends a job, if it is still that claim's; whether it was. One that was asked for again meanwhile is due at once,
    /// unless it failed: then it is due as if it were tried again.
    async fn end_job(&self, job: &Job, end: JobEnd, now: Timestamp) -> Result<bool, StoreError>;

    /// How much there is to do, for each sort of work.
    async fn work_figures(&self) -> Result<Vec<JobMetrics>, StoreError>;

    /// Forgets deliveries that are not pending and jobs, if they are from before a time; how many.
    async fn forget_work(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Adds a webhook.
    async fn create_webhook(&self, webhook: &Webhook) -> Result<(), StoreError>;

    /// Changes address, kinds, start and stop of a webhook to those of `webhook`. What is pending for one that has
    /// stopped is given up. Whether it is there.
    async fn update_webhook(&self, webhook: &Webhook) -> Result<bool, StoreError>;

    /// Stops a webhook, unless its address or its start is another than that of `webhook` by now; what is pending for it is
    /// given up. One that has stopped keeps the first reason.
    async fn stop_webhook(&self, webhook: &Webhook, stopped: &WebhookStop) -> Result<(), StoreError>;

    /// How many webhooks a space has.
    async fn webhooks_in(&self, space: SpaceId) -> Result<u64, StoreError>;

    /// Removes a webhook with its deliveries; whether it was there.
    async fn delete_webhook(&self, id: WebhookId) -> Result<bool, StoreError>;

    /// A webhook.
    async fn webhook(&self, id: WebhookId) -> Result<Option<Webhook>, StoreError>;

    /// The webhooks of a user, oldest first.
    async fn webhooks(&self, user: UserId) -> Result<Vec<Webhook>, StoreError>;

    /// What a webhook is to be told next: first what was not set aside, in order, then what was, by the time that it is
    /// set aside until.
    async fn next_delivery(&self, webhook: WebhookId) -> Result<Option<Delivery>, StoreError>;

    /// Remembers an attempt, and what has become of the delivery by it.
    async fn note_attempt(
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

    /// Keeps what a model said about an item, unless something is kept that was said about a newer version, or the item
    /// is gone.
    async fn put_enrichment(&self, item: ItemId, enrichment: &Enrichment) -> Result<(), StoreError>;

    /// Keeps nothing about an item any more.
    async fn drop_enrichment(&self, item: ItemId) -> Result<(), StoreError>;

    /// What is kept about an item.
    async fn enrichment(&self, item: ItemId) -> Result<EnrichmentState, StoreError>;
}
