//! Telling a webhook what happened: in order, one after the other.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::{Attempt, Delivery, DeliveryState, Error, JobEnd, Source, Stopped, Webhook, WebhookId};

use super::super::{Caller, now};
use super::Doing;

/// How long one webhook is told without a pause for the claim.
const TURN: Duration = Duration::from_secs(10);
/// After so many attempts a delivery is set aside, so that those behind it get their turn.
const SET_ASIDE_AFTER: u32 = 5;

/// What became of an attempt.
enum Became {
    Delivered,
    Failed(String),
    Stopped,
}

impl Doing {
    /// Tells a webhook what it was not told yet.
    pub(super) async fn deliver(&self, id: WebhookId) -> Result<JobEnd, Error> {
        let store = &self.interline.store;
        let Some(webhook) = store.webhook(id).await?.filter(|webhook| webhook.stopped.is_none()) else {
            return Ok(JobEnd::Done);
        };
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
                Became::Stopped => return Ok(JobEnd::Done),
                Became::Failed(failure) => {
                    return Ok(self.failed(failures + 1, failure));
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
        if !listener.sees(delivery.event.kind, delivery.event.space) {
            let unseen = Attempt {
                at: now(),
                took: jiff::SignedDuration::ZERO,
                status: None,
                failure: Some("its user cannot see the item".to_owned()),
            };
            store.note_attempt(webhook.id, delivery.number, &unseen, DeliveryState::GivenUp).await?;
            return Ok(Became::Delivered);
        }
        let attempt = self.outside.deliver(webhook, delivery).await;
        let Some(failure) = attempt.failure.clone() else {
            store.note_attempt(webhook.id, delivery.number, &attempt, DeliveryState::Delivered).await?;
            return Ok(Became::Delivered);
        };
        let now = now();
        let state = self.after_failure(delivery, now);
        store.note_attempt(webhook.id, delivery.number, &attempt, state).await?;
        if attempt.is_gone() {
            self.stop(webhook, "its address answered 410: it is gone for good").await?;
            return Ok(Became::Stopped);
        }
        let silent_since = webhook.delivered_at.unwrap_or(webhook.started_at).max(webhook.started_at);
        if state == DeliveryState::GivenUp && self.rules.gives_up(silent_since, now) {
            self.stop(webhook, &format!("nothing could be delivered for too long; at last: {failure}")).await?;
            return Ok(Became::Stopped);
        }
        Ok(Became::Failed(failure))
    }

    /// What becomes of a delivery that has failed once more.
    fn after_failure(&self, delivery: &Delivery, now: Timestamp) -> DeliveryState {
        let failures = delivery.attempts + 1;
        if self.rules.gives_up(delivery.event.at, now) {
            DeliveryState::GivenUp
        } else if failures < SET_ASIDE_AFTER {
            DeliveryState::Pending(None)
        } else {
            DeliveryState::Pending(Some(self.rules.again(failures, now)))
        }
    }

    async fn stop(&self, webhook: &Webhook, reason: &str) -> Result<(), Error> {
        let stopped = Stopped { at: now(), reason: reason.to_owned() };
        Ok(self.interline.store.stop_webhook(webhook.id, &stopped).await?)
    }
}
