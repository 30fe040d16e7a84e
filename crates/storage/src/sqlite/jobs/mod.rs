//! The job queue, webhooks and enrichments in SQLite: jobs are enqueued by `enqueue`, the rest is in `tables`.

mod enqueue;

use async_trait::async_trait;
use interline_items::{
    Attempt, ClaimJobs, Delivery, DeliveryState, DueJobs, Enrichment, EnrichmentState, FindDueJobs, ItemId, Job,
    JobEnd, JobKind, JobMetrics, JobStore, SpaceId, StoreError, UserId, Webhook, WebhookId, WebhookStop,
};
use jiff::Timestamp;

use super::SqliteStore;
use super::sql::poll_once;
use crate::tables::{deliveries, enrichments, jobs, webhooks};
pub(super) use enqueue::{JobsForChange, enqueue};

#[async_trait]
impl JobStore for SqliteStore {
    async fn enrich_until(&self, time: Timestamp) -> Result<(), StoreError> {
        Ok(self.writer.run(move |connection| poll_once(jobs::enrich_until(connection, time))).await?)
    }

    async fn due_jobs(&self, find: FindDueJobs) -> Result<Vec<DueJobs>, StoreError> {
        self.readers.read(|connection| poll_once(jobs::due(connection, find)))
    }

    async fn claim_jobs(&self, request: ClaimJobs) -> Result<Vec<Job>, StoreError> {
        Ok(self.writer.run(move |connection| poll_once(jobs::claim(connection, &request))).await?)
    }

    async fn next_job(&self, task: JobKind, after: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        self.readers.read(|connection| poll_once(jobs::next(connection, task, after)))
    }

    async fn end_job(&self, job: &Job, end: JobEnd, now: Timestamp) -> Result<bool, StoreError> {
        let job = job.clone();
        Ok(self.writer.run(move |connection| poll_once(jobs::end(connection, &job, &end, now))).await?)
    }

    async fn job_metrics(&self) -> Result<Vec<JobMetrics>, StoreError> {
        self.readers.read_long(|connection| poll_once(jobs::metrics(connection))).await
    }

    async fn forget_jobs(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            match self.writer.run(move |connection| poll_once(jobs::forget(connection, before))).await? {
                0 => return Ok(forgotten),
                some => forgotten += some,
            }
        }
    }

    async fn create_webhook(&self, webhook: &Webhook) -> Result<(), StoreError> {
        let webhook = webhook.clone();
        Ok(self.writer.run(move |connection| poll_once(webhooks::add(connection, &webhook))).await?)
    }

    async fn update_webhook(&self, webhook: &Webhook) -> Result<bool, StoreError> {
        let webhook = webhook.clone();
        Ok(self.writer.run(move |connection| poll_once(webhooks::update(connection, &webhook))).await?)
    }

    async fn stop_webhook(&self, webhook: &Webhook, stop: &WebhookStop) -> Result<(), StoreError> {
        let (webhook, stop) = (webhook.clone(), stop.clone());
        Ok(self.writer.run(move |connection| poll_once(webhooks::stop(connection, &webhook, &stop))).await?)
    }

    async fn webhooks_in(&self, space: SpaceId) -> Result<u64, StoreError> {
        self.readers.read(|connection| poll_once(webhooks::count_in(connection, space)))
    }

    async fn delete_webhook(&self, id: WebhookId) -> Result<bool, StoreError> {
        let now = Timestamp::now();
        self.writer.run(move |connection| poll_once(webhooks::stop_for_removal(connection, id, now))).await?;
        while self.writer.run(move |connection| poll_once(webhooks::remove_deliveries(connection, id))).await? > 0 {}
        Ok(self.writer.run(move |connection| poll_once(webhooks::remove(connection, id))).await?)
    }

    async fn webhook(&self, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
        self.readers.read(|connection| poll_once(webhooks::one(connection, id)))
    }

    async fn webhooks(&self, user: UserId) -> Result<Vec<Webhook>, StoreError> {
        self.readers.read(|connection| poll_once(webhooks::for_user(connection, user)))
    }

    async fn next_delivery(&self, webhook: WebhookId) -> Result<Option<Delivery>, StoreError> {
        self.readers.read(|connection| poll_once(deliveries::next(connection, webhook)))
    }

    async fn record_attempt(
        &self,
        webhook: WebhookId,
        delivery: u64,
        attempt: &Attempt,
        state: DeliveryState,
    ) -> Result<(), StoreError> {
        let attempt = attempt.clone();
        let note =
            move |connection: &_| poll_once(deliveries::record_attempt(connection, webhook, delivery, &attempt, state));
        Ok(self.writer.run(note).await?)
    }

    async fn deliveries(
        &self,
        webhook: WebhookId,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Delivery>, StoreError> {
        self.readers.read(|connection| poll_once(deliveries::for_webhook(connection, webhook, before, limit)))
    }

    async fn put_enrichment(&self, item: ItemId, enrichment: &Enrichment) -> Result<(), StoreError> {
        let enrichment = enrichment.clone();
        Ok(self.writer.run(move |connection| poll_once(enrichments::put(connection, item, &enrichment))).await?)
    }

    async fn remove_enrichment(&self, item: ItemId) -> Result<(), StoreError> {
        Ok(self.writer.run(move |connection| poll_once(enrichments::remove(connection, item))).await?)
    }

    async fn enrichment(&self, item: ItemId) -> Result<EnrichmentState, StoreError> {
        self.readers.read(|connection| poll_once(enrichments::for_item(connection, item)))
    }
}
