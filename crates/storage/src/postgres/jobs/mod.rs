//! The job queue, webhooks and enrichments in PostgreSQL: jobs are enqueued by `enqueue`, the rest is in `tables`.

mod enqueue;

use async_trait::async_trait;
use interline_items::{
    Attempt, ClaimJobs, Delivery, DeliveryState, DueJobs, Enrichment, EnrichmentState, FindDueJobs, ItemId, Job,
    JobEnd, JobKind, JobMetrics, JobStore, SpaceId, StoreError, UserId, Webhook, WebhookId, WebhookStop,
};
use jiff::Timestamp;

use super::PostgresStore;
use crate::tables::{deliveries, enrichments, jobs, webhooks};
pub(super) use enqueue::{JobsForChange, enqueue};

#[async_trait]
impl JobStore for PostgresStore {
    async fn enrich_until(&self, time: Timestamp) -> Result<(), StoreError> {
        self.write(move |client| async move { jobs::enrich_until(&client, time).await }).await
    }

    async fn due_jobs(&self, find: FindDueJobs) -> Result<Vec<DueJobs>, StoreError> {
        self.pools.use_one(async { jobs::due(&self.client().await?, find).await }).await
    }

    async fn claim_jobs(&self, request: ClaimJobs) -> Result<Vec<Job>, StoreError> {
        self.write(move |client| async move { jobs::claim(&client, &request).await }).await
    }

    async fn next_job(&self, task: JobKind, after: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        self.pools.use_one(async { jobs::next(&self.client().await?, task, after).await }).await
    }

    async fn end_job(&self, job: &Job, end: JobEnd, now: Timestamp) -> Result<bool, StoreError> {
        let job = job.clone();
        self.write(move |client| async move { jobs::end(&client, &job, &end, now).await }).await
    }

    async fn job_metrics(&self) -> Result<Vec<JobMetrics>, StoreError> {
        self.pools.use_one(async { jobs::metrics(&self.client().await?).await }).await
    }

    async fn forget_jobs(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            match self.write(move |client| async move { jobs::forget(&client, before).await }).await? {
                0 => return Ok(forgotten),
                some => forgotten += some,
            }
        }
    }

    async fn create_webhook(&self, webhook: &Webhook) -> Result<(), StoreError> {
        let webhook = webhook.clone();
        self.write(move |client| async move { webhooks::add(&client, &webhook).await }).await
    }

    async fn update_webhook(&self, webhook: &Webhook) -> Result<bool, StoreError> {
        let webhook = webhook.clone();
        self.write(move |client| async move { webhooks::update(&client, &webhook).await }).await
    }

    async fn stop_webhook(&self, webhook: &Webhook, stop: &WebhookStop) -> Result<(), StoreError> {
        let (webhook, stop) = (webhook.clone(), stop.clone());
        self.write(move |client| async move { webhooks::stop(&client, &webhook, &stop).await }).await
    }

    async fn webhooks_in(&self, space: SpaceId) -> Result<u64, StoreError> {
        self.pools.use_one(async { webhooks::count_in(&self.client().await?, space).await }).await
    }

    async fn delete_webhook(&self, id: WebhookId) -> Result<bool, StoreError> {
        let now = Timestamp::now();
        self.write(move |client| async move { webhooks::stop_for_removal(&client, id, now).await }).await?;
        while self.write(move |client| async move { webhooks::remove_deliveries(&client, id).await }).await? > 0 {}
        self.write(move |client| async move { webhooks::remove(&client, id).await }).await
    }

    async fn webhook(&self, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
        self.pools.use_one(async { webhooks::one(&self.client().await?, id).await }).await
    }

    async fn webhooks(&self, user: UserId) -> Result<Vec<Webhook>, StoreError> {
        self.pools.use_one(async { webhooks::for_user(&self.client().await?, user).await }).await
    }

    async fn next_delivery(&self, webhook: WebhookId) -> Result<Option<Delivery>, StoreError> {
        self.pools.use_one(async { deliveries::next(&self.client().await?, webhook).await }).await
    }

    async fn record_attempt(
        &self,
        webhook: WebhookId,
        delivery: u64,
        attempt: &Attempt,
        state: DeliveryState,
    ) -> Result<(), StoreError> {
        let attempt = attempt.clone();
        self.write(move |client| async move {
            deliveries::record_attempt(&client, webhook, delivery, &attempt, state).await
        })
        .await
    }

    async fn deliveries(
        &self,
        webhook: WebhookId,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Delivery>, StoreError> {
        let read = async { deliveries::for_webhook(&self.client().await?, webhook, before, limit).await };
        self.pools.use_one(read).await
    }

    async fn put_enrichment(&self, item: ItemId, enrichment: &Enrichment) -> Result<(), StoreError> {
        let enrichment = enrichment.clone();
        self.write(move |client| async move { enrichments::put(&client, item, &enrichment).await }).await
    }

    async fn remove_enrichment(&self, item: ItemId) -> Result<(), StoreError> {
        self.write(move |client| async move { enrichments::remove(&client, item).await }).await
    }

    async fn enrichment(&self, item: ItemId) -> Result<EnrichmentState, StoreError> {
        self.pools.use_one(async { enrichments::for_item(&self.client().await?, item).await }).await
    }
}
