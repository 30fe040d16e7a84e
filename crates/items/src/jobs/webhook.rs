//! Webhooks and their deliveries: the outbox of events for addresses outside.

use std::collections::BTreeSet;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};

use super::WebhookUrl;
use crate::{Error, Event, Kind, SpaceId, UserId, WebhookId};

/// A webhook: an address to which the events of a space are delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its identifier.
    pub id: WebhookId,
    /// The space.
    pub space: SpaceId,
    /// Its user. It gets the events of items that this user may see.
    pub user: UserId,
    /// The address.
    pub url: WebhookUrl,
    /// The secret that signs its messages.
    pub secret: WebhookSecret,
    /// The kinds of items whose events are delivered; `None` is all.
    pub kinds: Option<BTreeSet<Kind>>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Since when events are delivered.
    pub started_at: Timestamp,
    /// When the endpoint last accepted a delivery.
    pub delivered_at: Option<Timestamp>,
    /// Why no events are delivered any more, if the webhook has stopped.
    pub stopped: Option<WebhookStop>,
}

/// When and why a webhook stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookStop {
    /// Since when.
    pub at: Timestamp,
    /// Why.
    pub reason: String,
}

/// The secret that signs the messages to a webhook. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(String);

impl WebhookSecret {
    /// What every secret begins with.
    const PREFIX: &'static str = "whsec_";

    /// 32 random bytes.
    pub(crate) fn generate() -> Result<WebhookSecret, Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(WebhookSecret(WebhookSecret::PREFIX.to_owned() + &STANDARD.encode(bytes)))
    }

    /// A value that was stored.
    pub fn from_stored(stored: String) -> WebhookSecret {
        WebhookSecret(stored)
    }

    /// The text that is shown to its user once.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The signing key: the bytes that the text encodes.
    pub fn key(&self) -> Vec<u8> {
        let text = self.0.strip_prefix(WebhookSecret::PREFIX).unwrap_or(&self.0);
        STANDARD.decode(text).unwrap_or_else(|_| text.as_bytes().to_vec())
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret")
    }
}

/// The delivery of an event to a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its number: greater than those of earlier deliveries.
    pub number: u64,
    /// The event.
    pub event: Event,
    /// Its state.
    pub state: DeliveryState,
    /// How often it was attempted.
    pub attempts: u32,
    /// The last attempt.
    pub last: Option<Attempt>,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// It waits: for its turn, or, once it was set aside, at least until a time.
    Pending(Option<Timestamp>),
    /// The endpoint accepted it.
    Delivered,
    /// It is not attempted any more.
    GivenUp,
}

impl DeliveryState {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            DeliveryState::Pending(_) => "pending",
            DeliveryState::Delivered => "delivered",
            DeliveryState::GivenUp => "given_up",
        }
    }
}

/// An attempt of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// When it began.
    pub at: Timestamp,
    /// How long it took.
    pub took: SignedDuration,
    /// The status of the endpoint's answer, if there was one.
    pub status: Option<u16>,
    /// Why it failed; `None` if it succeeded.
    pub failure: Option<String>,
}

impl Attempt {
    /// The status by which an endpoint says that it is gone for good.
    const GONE: u16 = 410;

    /// Whether the endpoint says that it is gone for good.
    pub(crate) fn is_gone(&self) -> bool {
        self.status == Some(Attempt::GONE)
    }
}
