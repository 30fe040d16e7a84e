//! Delivering events to a webhook: in order, one after the other.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::{Attempt, Delivery, DeliveryState, Error, JobEnd, Source, Webhook, WebhookId, WebhookStop};

use super::super::{Caller, now};
use super::{MIN_ATTEMPTS, RunningJob, shortened};

/// How long one job delivers to its webhook before it gives the job back: its lease must not end meanwhile.
const MAX_TURN: Duration = Duration::from_secs(10);

/// The result of an attempt, for the deliveries after it.
enum AttemptResult {
    Delivered,
    Failed(String),
    WebhookStopped,
}

impl RunningJob {
    /// Delivers the pending events of a webhook.
    pub(super) async fn deliver(&self, id: WebhookId) -> Result<JobEnd, Error> {
        let store = &self.interline.store;
        let Some(webhook) = store.webhook(id).await? else { return Ok(JobEnd::Done) };
        if let Some(stopped) = &webhook.stopped {
            // A change that was committed while the webhook stopped may have added a delivery.
            store.stop_webhook(&webhook, stopped).await?;
            return Ok(JobEnd::Done);
        }
        let Some(user) = self.webhook_user(&webhook).await? else { return Ok(JobEnd::Done) };
        let began = Instant::now();
        let mut failures = self.job.failures;
        loop {
            let Some(delivery) = store.next_delivery(id).await? else { return Ok(JobEnd::Done) };
            match delivery.state {
                DeliveryState::Pending(Some(until)) if until > now() => return Ok(JobEnd::Later(until)),
                DeliveryState::Delivered | DeliveryState::GivenUp => return Ok(JobEnd::Done),
                DeliveryState::Pending(_) => {}
            }
            if began.elapsed() > MAX_TURN {
                return Ok(JobEnd::Later(now()));
            }
            match self.attempt(&webhook, &user, &delivery).await? {
                AttemptResult::Delivered => failures = 0,
                AttemptResult::WebhookStopped => return Ok(JobEnd::Done),
                AttemptResult::Failed(failure) => {
                    return Ok(self.failed(failures + 1, &failure));
                }
            }
        }
    }

    /// The user of a webhook; the webhook stops if that user is gone or cannot see the space any more.
    async fn webhook_user(&self, webhook: &Webhook) -> Result<Option<Caller>, Error> {
        let caller = match self.interline.trusted(webhook.user, Source::Rest).await {
            Ok(caller) => Some(caller).filter(|caller| caller.membership(webhook.space).is_some()),
            Err(Error::Unauthorized) => None,
            Err(error) => return Err(error),
        };
        if caller.is_none() {
            self.stop(webhook, "its user cannot see the space any more").await?;
        }
        Ok(caller)
    }

    /// Attempts one delivery, and stores its result.
    async fn attempt(&self, webhook: &Webhook, user: &Caller, delivery: &Delivery) -> Result<AttemptResult, Error> {
        let store = &self.interline.store;
        let skipped = if !user.sees_event(&delivery.event) {
            Some("its user cannot see the item")
        } else if delivery.event.at < webhook.started_at {
            Some("it happened before the webhook was started")
        } else {
            None
        };
        if let Some(reason) = skipped {
            let took = jiff::SignedDuration::ZERO;
            let none = Attempt { at: now(), took, status: None, failure: Some(reason.to_owned()) };
            store.record_attempt(webhook.id, delivery.number, &none, DeliveryState::GivenUp).await?;
            return Ok(AttemptResult::Delivered);
        }
        let mut attempt = self.outbound.deliver(webhook, delivery).await;
        attempt.failure = attempt.failure.as_deref().map(shortened);
        let Some(failure) = attempt.failure.clone() else {
            store.record_attempt(webhook.id, delivery.number, &attempt, DeliveryState::Delivered).await?;
            return Ok(AttemptResult::Delivered);
        };
        let now = now();
        let state = self.state_after_failure(delivery, now);
        store.record_attempt(webhook.id, delivery.number, &attempt, state).await?;
        if attempt.is_gone() {
            self.stop(webhook, "its address answered 410: it is gone for good").await?;
            return Ok(AttemptResult::WebhookStopped);
        }
        let last_success = webhook.delivered_at.unwrap_or(webhook.started_at).max(webhook.started_at);
        if state == DeliveryState::GivenUp && self.policy.is_too_old(last_success, now) {
            self.stop(webhook, &format!("nothing could be delivered for too long; at last: {failure}")).await?;
            return Ok(AttemptResult::WebhookStopped);
        }
        Ok(AttemptResult::Failed(failure))
    }

    /// The state of a delivery that has failed once more: in its turn again, set aside for a while, or given up.
    fn state_after_failure(&self, delivery: &Delivery, now: Timestamp) -> DeliveryState {
        let failures = delivery.attempts + 1;
        if self.policy.gives_up(delivery.event.at, failures, now) {
            DeliveryState::GivenUp
        } else if failures < MIN_ATTEMPTS {
            DeliveryState::Pending(None)
        } else {
            DeliveryState::Pending(Some(self.policy.retry_at(failures, now)))
        }
    }

    async fn stop(&self, webhook: &Webhook, reason: &str) -> Result<(), Error> {
        let stopped = WebhookStop { at: now(), reason: reason.to_owned() };
        Ok(self.interline.store.stop_webhook(webhook, &stopped).await?)
    }
}
