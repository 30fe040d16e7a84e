//! Making, listing, changing and deleting webhooks, and listing their deliveries.

use std::collections::BTreeSet;

use crate::{
    Delivery, Error, Kind, Refusal, Scope, SpaceId, Webhook, WebhookId, WebhookSecret, WebhookStop, WebhookUrl,
};

use super::{Caller, Interline, now};

/// How many webhooks a user may have, and a space: every change in a space adds a delivery for each of its webhooks.
const MAX_WEBHOOKS: usize = 50;
const MAX_IN_SPACE: u64 = 200;
/// How many deliveries are listed at the most.
const MAX_DELIVERIES: usize = 500;
/// The reason of a webhook that its user has stopped.
const STOPPED_BY_USER: &str = "its user has stopped it";

/// The fields of a new webhook, as the caller gives them.
#[derive(Clone, Debug)]
pub struct WebhookDraft {
    /// The address.
    pub url: String,
    /// The space whose events are delivered; `None` is the caller's own.
    pub space: Option<SpaceId>,
    /// The kinds of items whose events are delivered; `None` is all that exist for the caller.
    pub kinds: Option<BTreeSet<Kind>>,
}

/// Changes of a webhook; `None` leaves a field.
#[derive(Clone, Debug, Default)]
pub struct WebhookChanges {
    /// The address.
    pub url: Option<String>,
    /// The kinds of items whose events are delivered; `Some(None)` is all that exist for the caller.
    pub kinds: Option<Option<BTreeSet<Kind>>>,
    /// Whether events are delivered.
    pub switch: Option<WebhookSwitch>,
}

/// Whether events are delivered to a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookSwitch {
    /// Events from now on are delivered, if they were not.
    On,
    /// No more events are delivered, and pending deliveries are given up.
    Off,
}

impl Interline {
    /// Makes a webhook for the events of a space from now on. The caller must be able to write there. The webhook's secret is
    /// shown once.
    pub async fn create_webhook(&self, caller: &Caller, draft: WebhookDraft) -> Result<Webhook, Error> {
        caller.require_person()?;
        caller.require_change()?;
        let space = match draft.space {
            Some(space) => space,
            None => caller.own_space()?,
        };
        if caller.membership(space).is_none() {
            return Err(Error::UnknownSpace(space));
        }
        // Each webhook makes every change in the space cost more: a user who may only read can listen to events instead.
        caller.require_write_in(space)?;
        let url = self.webhook_url(&draft.url)?;
        let kinds = delivered_kinds(caller, draft.kinds)?;
        if self.store.webhooks(caller.user()).await?.len() >= MAX_WEBHOOKS {
            return Err(Error::field("url", format!("you have {MAX_WEBHOOKS} webhooks: delete one first")));
        }
        if self.store.webhooks_in(space).await? >= MAX_IN_SPACE {
            return Err(Error::field("space_id", format!("the space has {MAX_IN_SPACE} webhooks, which is the most")));
        }
        let at = now();
        let webhook = Webhook {
            id: WebhookId::generate(),
            space,
            user: caller.user(),
            url,
            secret: WebhookSecret::generate()?,
            kinds,
            created_at: at,
            started_at: at,
            delivered_at: None,
            stopped: None,
        };
        self.store.create_webhook(&webhook).await?;
        Ok(webhook)
    }

    /// The caller's webhooks, oldest first.
    pub async fn webhooks(&self, caller: &Caller) -> Result<Vec<Webhook>, Error> {
        caller.require(Scope::Read)?;
        let mut webhooks = self.store.webhooks(caller.user()).await?;
        webhooks.retain(|webhook| exists_for(caller, webhook));
        Ok(webhooks)
    }

    /// One of the caller's webhooks.
    pub async fn webhook(&self, caller: &Caller, id: WebhookId) -> Result<Webhook, Error> {
        caller.require(Scope::Read)?;
        let found = self.store.webhook(id).await?;
        found.filter(|webhook| webhook.user == caller.user() && exists_for(caller, webhook)).ok_or_else(|| unknown(id))
    }

    /// Changes a webhook.
    pub async fn update_webhook(
        &self,
        caller: &Caller,
        id: WebhookId,
        changes: WebhookChanges,
    ) -> Result<Webhook, Error> {
        caller.require_person()?;
        caller.require_change()?;
        let mut webhook = self.webhook(caller, id).await?;
        if let Some(url) = &changes.url {
            webhook.url = self.webhook_url(url)?;
        }
        if let Some(kinds) = changes.kinds {
            webhook.kinds = delivered_kinds(caller, kinds)?;
        }
        match changes.switch {
            Some(WebhookSwitch::On) if webhook.stopped.is_some() => {
                caller.require_write_in(webhook.space)?;
                webhook.stopped = None;
                webhook.started_at = now();
            }
            Some(WebhookSwitch::Off) if webhook.stopped.is_none() => {
                webhook.stopped = Some(WebhookStop { at: now(), reason: STOPPED_BY_USER.to_owned() });
            }
            Some(WebhookSwitch::On | WebhookSwitch::Off) | None => {}
        }
        if self.store.update_webhook(&webhook).await? { Ok(webhook) } else { Err(unknown(id)) }
    }

    /// Removes a webhook with its deliveries.
    pub async fn delete_webhook(&self, caller: &Caller, id: WebhookId) -> Result<(), Error> {
        caller.require_person()?;
        caller.require_change()?;
        self.webhook(caller, id).await?;
        if self.store.delete_webhook(id).await? { Ok(()) } else { Err(unknown(id)) }
    }

    /// A webhook and its deliveries, newest first: those before the delivery `before`, at most `limit`.
    pub async fn deliveries(
        &self,
        caller: &Caller,
        id: WebhookId,
        before: Option<u64>,
        limit: usize,
    ) -> Result<(Webhook, Vec<Delivery>), Error> {
        let webhook = self.webhook(caller, id).await?;
        if !(1..=MAX_DELIVERIES).contains(&limit) {
            return Err(Error::field("limit", format!("must be from 1 to {MAX_DELIVERIES}")));
        }
        let mut deliveries = self.store.deliveries(id, before, limit).await?;
        deliveries.retain(|delivery| caller.sees_event(&delivery.event));
        Ok((webhook, deliveries))
    }

    fn webhook_url(&self, address: &str) -> Result<WebhookUrl, Error> {
        WebhookUrl::parse(address, self.webhook_targets).map_err(|error| Error::ValidationFailed(vec![error]))
    }
}

/// The kinds whose events a webhook gets: no more than exist for the caller.
fn delivered_kinds(caller: &Caller, requested: Option<BTreeSet<Kind>>) -> Result<Option<BTreeSet<Kind>>, Error> {
    match requested {
        Some(requested) if requested.is_empty() => {
            Err(Error::field("types", "name at least one type, or leave it out"))
        }
        Some(requested) => match requested.iter().find(|kind| !caller.kinds().contains(kind)) {
            Some(kind) => Err(Error::Forbidden(Refusal::Kind(*kind))),
            None => Ok(Some(requested)),
        },
        None => Ok(caller.narrowed_kinds(None)),
    }
}

/// Whether a webhook exists for a caller: a narrowed token does not see webhooks that get more events than it could.
fn exists_for(caller: &Caller, webhook: &Webhook) -> bool {
    let kinds = match (&webhook.kinds, caller.narrowed_kinds(None)) {
        (_, None) => true,
        (Some(delivered), Some(visible)) => delivered.is_subset(&visible),
        (None, Some(_)) => false,
    };
    kinds && (caller.require_all_spaces().is_ok() || caller.membership(webhook.space).is_some())
}

fn unknown(id: WebhookId) -> Error {
    Error::Missing { what: "webhook", requested: id.to_string(), hint: "list your webhooks to find its id" }
}
