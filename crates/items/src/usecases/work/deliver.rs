//! Telling a webhook what happened: in order, one after the other.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::{Attempt, Delivery, DeliveryState, Error, JobEnd, Source, Webhook, WebhookId, WebhookStop};

use super::super::{Caller, now};
use super::{Doing, LEAST_ATTEMPTS, short};

/// How long one webhook is told without a pause for the claim.
const TURN: Duration = Duration::from_secs(10);

/// What became of an attempt.
enum Became {
    Delivered,
    Failed(String),
    WebhookStop,
}

impl Doing {
    /// Tells a webhook what it was not told yet.
    pub(super) async fn deliver(&self, id: WebhookId) -> Result<JobEnd, Error> {
        let store = &self.interline.store;
        let Some(webhook) = store.webhook(id).await? else { return Ok(JobEnd::Done) };
        if let Some(stopped) = &webhook.stopped {
            // A change that was under way when it stopped may have left something.
            store.stop_webhook(&webhook, stopped).await?;
            return Ok(JobEnd::Done);
        }
        let Some(listener) = self.listener(&webhook).await? else { return Ok(JobEnd::Done) };
        let began = Instant::now();
        let mut failures = self.job.failures;
        loop {
            let Some(delivery) = store.next_delivery(id).await? else { return Ok(JobEnd::Done) };
            match delivery.state {
                DeliveryState::Pending(Some(until)) if until > now() => return Ok(JobEnd::Later(until)),
                DeliveryState::Delivered | DeliveryState::GivenUp => return Ok(JobEnd::Done),
                DeliveryState::Pending(_) => {}
            }
            if began.elapsed() > TURN {
                return Ok(JobEnd::Later(now()));
            }
            match self.tell(&webhook, &listener, &delivery).await? {
                Became::Delivered => failures = 0,
                Became::WebhookStop => return Ok(JobEnd::Done),
                Became::Failed(failure) => {
                    return Ok(self.failed(failures + 1, &failure));
                }
            }
        }
    }

    /// Whose webhook it is; without them it stops.
    async fn listener(&self, webhook: &Webhook) -> Result<Option<Caller>, Error> {
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

    async fn tell(&self, webhook: &Webhook, listener: &Caller, delivery: &Delivery) -> Result<Became, Error> {
        let store = &self.interline.store;
        let not_told = if !listener.sees(delivery.event.kind, delivery.event.space) {
            Some("its user cannot see the item")
        } else if delivery.event.at < webhook.started_at {
            Some("it happened before the webhook was started")
        } else {
            None
        };
        if let Some(reason) = not_told {
            let took = jiff::SignedDuration::ZERO;
            let none = Attempt { at: now(), took, status: None, failure: Some(reason.to_owned()) };
            store.note_attempt(webhook.id, delivery.number, &none, DeliveryState::GivenUp).await?;
            return Ok(Became::Delivered);
        }
        let mut attempt = self.outside.deliver(webhook, delivery).await;
        attempt.failure = attempt.failure.as_deref().map(short);
        let Some(failure) = attempt.failure.clone() else {
            store.note_attempt(webhook.id, delivery.number, &attempt, DeliveryState::Delivered).await?;
            return Ok(Became::Delivered);
        };
        let now = now();
        let state = self.after_failure(delivery, now);
        store.note_attempt(webhook.id, delivery.number, &attempt, state).await?;
        if attempt.is_gone() {
            self.stop(webhook, "its address answered 410: it is gone for good").await?;
            return Ok(Became::WebhookStop);
        }
        let silent_since = webhook.delivered_at.unwrap_or(webhook.started_at).max(webhook.started_at);
        if state == DeliveryState::GivenUp && self.rules.is_over(silent_since, now) {
            self.stop(webhook, &format!("nothing could be delivered for too long; at last: {failure}")).await?;
            return Ok(Became::WebhookStop);
        }
        Ok(Became::Failed(failure))
    }

    /// What becomes of a delivery that has failed once more.
    fn after_failure(&self, delivery: &Delivery, now: Timestamp) -> DeliveryState {
        let failures = delivery.attempts + 1;
        if self.rules.gives_up(delivery.event.at, failures, now) {
            DeliveryState::GivenUp
        } else if failures < LEAST_ATTEMPTS {
            DeliveryState::Pending(None)
        } else {
            DeliveryState::Pending(Some(self.rules.again(failures, now)))
        }
    }

    async fn stop(&self, webhook: &Webhook, reason: &str) -> Result<(), Error> {
        let stopped = WebhookStop { at: now(), reason: reason.to_owned() };
        Ok(self.interline.store.stop_webhook(webhook, &stopped).await?)
    }
}
