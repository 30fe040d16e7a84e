//! Webhooks: addresses that are told what happens.

use std::collections::BTreeSet;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};

use super::WebhookUrl;
use crate::{Error, Event, Kind, SpaceId, UserId, WebhookId};

/// An address that is told what happens in a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its identifier.
    pub id: WebhookId,
    /// The space.
    pub space: SpaceId,
    /// Whose it is. It is told what that user may see.
    pub user: UserId,
    /// The address.
    pub url: WebhookUrl,
    /// What messages are signed with.
    pub secret: WebhookSecret,
    /// The kinds of items that it is told about; `None` is all.
    pub kinds: Option<BTreeSet<Kind>>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Since when it is told.
    pub started_at: Timestamp,
    /// When a message was last taken.
    pub delivered_at: Option<Timestamp>,
    /// That it is told nothing any more, and why.
    pub stopped: Option<WebhookStop>,
}

/// Why a webhook is told nothing any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookStop {
    /// Since when.
    pub at: Timestamp,
    /// Why.
    pub reason: String,
}

/// What the messages to a webhook are signed with. It is not shown by `Debug`.
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

    /// One that was stored.
    pub fn from_stored(stored: String) -> WebhookSecret {
        WebhookSecret(stored)
    }

    /// The text that its user is shown once.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key: the bytes that the text stands for.
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

/// An event that a webhook is to be told, or was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Its number: greater than those of the deliveries before it.
    pub number: u64,
    /// What happened.
    pub event: Event,
    /// What has become of it.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: u32,
    /// The last time.
    pub last: Option<Attempt>,
}

/// What has become of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// It is to be done: in its turn, or, once it was set aside, not before a time.
    Pending(Option<Timestamp>),
    /// It was taken.
    Delivered,
    /// It is not tried any more.
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

/// An attempt to tell a webhook something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// When it began.
    pub at: Timestamp,
    /// How long it took.
    pub took: SignedDuration,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// Why it was no success; `None` if it was.
    pub failure: Option<String>,
}

impl Attempt {
    /// The status of an address that says that it is gone for good.
    const GONE: u16 = 410;

    /// Whether the address says that it is gone for good.
    pub(crate) fn is_gone(&self) -> bool {
        self.status == Some(Attempt::GONE)
    }
}
