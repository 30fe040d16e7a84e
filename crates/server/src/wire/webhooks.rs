//! Webhooks and their deliveries in requests and responses, and the event that an endpoint is sent.

use std::collections::BTreeSet;

use interline_items::fields::FieldError;
use interline_items::{
    Delivery, DeliveryState, Error, Kind, SpaceId, Webhook, WebhookChanges, WebhookDraft, WebhookSwitch,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;
use super::enumerations::{DeliveryState as DeliveryStateName, ItemType};
use super::event::EventFields;
use super::requests::deserialize_some;

/// A new webhook.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewWebhook)]
pub(crate) struct CreateWebhookRequest {
    /// An http or https address that everybody can reach.
    #[schema(pattern = "^https?://", max_length = 2000)]
    url: String,
    /// The space whose changes it is told; the caller's own unless given.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(nullable = false)]
    space_id: Option<Uuid>,
    /// The types of items that it is told about; all unless given.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<Vec<ItemType>>, nullable = false, min_items = 1)]
    types: Option<Vec<String>>,
}

impl CreateWebhookRequest {
    pub(crate) fn into_draft(self) -> Result<WebhookDraft, Error> {
        Ok(WebhookDraft {
            url: self.url,
            space: self.space_id.map(SpaceId::from_uuid),
            kinds: self.types.as_deref().map(kinds).transpose()?,
        })
    }
}

/// Changes of a webhook: what is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WebhookPatch)]
pub(crate) struct UpdateWebhookRequest {
    /// Another address.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(pattern = "^https?://", max_length = 2000, nullable = false)]
    url: Option<String>,
    /// Other types of items; null is all.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<Vec<ItemType>>, min_items = 1)]
    types: Option<Option<Vec<String>>>,
    /// Whether it is told what happens. One that has stopped begins again with what happens from then on.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(nullable = false)]
    active: Option<bool>,
}

impl UpdateWebhookRequest {
    pub(crate) fn into_changes(self) -> Result<WebhookChanges, Error> {
        let all_or = |types: Option<Vec<String>>| types.as_deref().map(kinds).transpose();
        Ok(WebhookChanges {
            url: self.url,
            kinds: self.types.map(all_or).transpose()?,
            switch: self.active.map(|active| if active { WebhookSwitch::On } else { WebhookSwitch::Off }),
        })
    }
}

fn kinds(names: &[String]) -> Result<BTreeSet<Kind>, Error> {
    let all_names = || Kind::ALL.map(Kind::name).join(", ");
    let kind = |(index, name): (usize, &String)| {
        Kind::from_name(name)
            .ok_or_else(|| FieldError::new(format!("types[{index}]"), format!("must be one of {}", all_names())))
    };
    names.iter().enumerate().map(kind).collect::<Result<_, _>>().map_err(|error| Error::ValidationFailed(vec![error]))
}

/// A webhook without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Webhook)]
pub(crate) struct WebhookResponse {
    /// Its identifier.
    id: Uuid,
    /// The address.
    url: String,
    /// The space whose changes it is told.
    space_id: Uuid,
    /// The types of items that it is told about; null is all.
    #[schema(value_type = Option<Vec<ItemType>>)]
    types: Option<Vec<&'static str>>,
    /// Whether it is told what happens.
    active: bool,
    /// When it was made.
    created_at: Time,
    /// When a message was last taken.
    delivered_at: Option<Time>,
    /// Since when it is told nothing any more.
    stopped_at: Option<Time>,
    /// Why.
    stop_reason: Option<String>,
}

impl From<&Webhook> for WebhookResponse {
    fn from(webhook: &Webhook) -> WebhookResponse {
        let stopped = webhook.stopped.as_ref();
        WebhookResponse {
            id: webhook.id.uuid(),
            url: webhook.url.as_str().to_owned(),
            space_id: webhook.space.uuid(),
            types: webhook.kinds.as_ref().map(|kinds| kinds.iter().map(|kind| kind.name()).collect()),
            active: stopped.is_none(),
            created_at: Time(webhook.created_at),
            delivered_at: webhook.delivered_at.map(Time),
            stopped_at: stopped.map(|stopped| Time(stopped.at)),
            stop_reason: stopped.map(|stopped| stopped.reason.clone()),
        }
    }
}

/// A new webhook with its secret, which is shown once.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CreatedWebhook {
    #[serde(flatten)]
    pub(crate) webhook: WebhookResponse,
    /// What messages are signed with: it is not shown again.
    pub(crate) secret: String,
}

/// Webhooks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WebhookList {
    /// Oldest first.
    pub(crate) webhooks: Vec<WebhookResponse>,
}

/// An event as a webhook is told it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeliveredEvent<'a> {
    /// The webhook.
    webhook_id: Uuid,
    /// The number of the delivery: the same each time that it is tried.
    #[schema(value_type = i64)]
    delivery: u64,
    /// The item's space.
    space_id: Uuid,
    #[serde(flatten)]
    fields: EventFields<'a>,
}

impl<'a> DeliveredEvent<'a> {
    pub(crate) fn new(webhook: &Webhook, delivery: &'a Delivery) -> DeliveredEvent<'a> {
        DeliveredEvent {
            webhook_id: webhook.id.uuid(),
            delivery: delivery.number,
            space_id: delivery.event.space.uuid(),
            fields: EventFields::from(&delivery.event),
        }
    }
}

/// What a webhook is to be told or was told, and what became of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Delivery)]
pub(crate) struct DeliveryResponse<'a> {
    #[serde(flatten)]
    event: DeliveredEvent<'a>,
    /// What became of it.
    #[schema(value_type = DeliveryStateName)]
    state: &'static str,
    /// How often it was tried.
    #[schema(value_type = i64)]
    attempts: u32,
    /// When it was last tried.
    tried_at: Option<Time>,
    /// How long that took.
    milliseconds: Option<f64>,
    /// The status of the answer.
    #[schema(value_type = Option<i64>)]
    status: Option<u16>,
    /// Why it was no success.
    failure: Option<String>,
    /// When it is tried again, if it was set aside.
    due_at: Option<Time>,
}

impl<'a> DeliveryResponse<'a> {
    pub(crate) fn new(webhook: &Webhook, delivery: &'a Delivery) -> DeliveryResponse<'a> {
        let last = delivery.last.as_ref();
        DeliveryResponse {
            event: DeliveredEvent::new(webhook, delivery),
            state: delivery.state.name(),
            attempts: delivery.attempts,
            tried_at: last.map(|last| Time(last.at)),
            milliseconds: last.map(|last| last.took.as_millis_f64()),
            status: last.and_then(|last| last.status),
            failure: last.and_then(|last| last.failure.clone()),
            due_at: match delivery.state {
                DeliveryState::Pending(due_at) => due_at.map(Time),
                DeliveryState::Delivered | DeliveryState::GivenUp => None,
            },
        }
    }
}

/// The deliveries of a webhook.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeliveryList<'a> {
    /// Newest first.
    pub(crate) deliveries: Vec<DeliveryResponse<'a>>,
}
