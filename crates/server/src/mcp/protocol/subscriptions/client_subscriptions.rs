//! The subscriptions of a client, and the notifications that an event causes for them.

use std::collections::{BTreeMap, BTreeSet};

use interline_items::fields::PromptName;
use interline_items::{Error, Event, EventKind, ItemEvent, ItemId, Kind};

use crate::wire::invalid_field;

/// How many addresses a client can subscribe to, on a connection or a stream.
pub(super) const MAX_ADDRESSES: usize = 1_000;
/// The longest of them, in bytes.
const MAX_ADDRESS_BYTES: usize = 500;
/// The fields of a prompt that `prompts/list` shows.
const LISTED_FIELDS: [&str; 4] = ["name", "title", "description", "arguments"];

/// What a client has subscribed to: addresses of resources, and whether the list of prompts.
#[derive(Default)]
pub(super) struct ClientSubscriptions {
    has_prompt_list: bool,
    addresses: BTreeMap<String, SubscribedItem>,
}

/// The item that a subscribed address leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SubscribedItem {
    /// `None` as long as no item has the name.
    pub(super) item: Option<ItemId>,
    /// The name, in addresses by name; another item may have it later.
    pub(super) name: Option<PromptName>,
}

/// The notifications to send to a client, each of them once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PendingNotifications {
    pub(super) addresses: BTreeSet<String>,
    pub(super) has_new_prompt_list: bool,
}

impl ClientSubscriptions {
    /// Subscribes to changes of the list of prompts.
    pub(super) fn add_prompt_list(&mut self) {
        self.has_prompt_list = true;
    }

    /// An error for an address that is too long, or one too many.
    pub(super) fn check_room(&self, uri: &str) -> Result<(), Error> {
        if uri.len() > MAX_ADDRESS_BYTES {
            return Err(invalid_field("uri", "it is longer than 500 bytes"));
        }
        if self.addresses.len() >= MAX_ADDRESSES && !self.addresses.contains_key(uri) {
            return Err(too_many_subscriptions());
        }
        Ok(())
    }

    pub(super) fn add(&mut self, uri: &str, item: SubscribedItem) {
        self.addresses.insert(uri.to_owned(), item);
    }

    pub(super) fn remove(&mut self, uri: &str) {
        self.addresses.remove(uri);
    }

    /// Whether a subscribed address by name may lead to another item after this event.
    pub(super) fn depends_on_name(&self, event: &Event) -> bool {
        let renames = event.item_event().is_some_and(|event| changes_prompt(event, &["name"]));
        renames && self.addresses.values().any(|subscribed| subscribed.name.is_some())
    }

    /// Adds the notifications that an event causes.
    pub(super) fn add_notifications(&self, event: &Event, pending: &mut PendingNotifications) {
        let Some(event) = event.item_event() else { return };
        let affected = self.addresses.iter().filter(|(_, subscribed)| subscribed.item == Some(event.item));
        pending.addresses.extend(affected.map(|(uri, _)| uri.clone()));
        pending.has_new_prompt_list |= self.has_prompt_list && changes_prompt(event, &LISTED_FIELDS);
    }

    /// Updates the addresses by name after an event: `name` is the present name of the item, if the item is still there.
    /// An address that leads to the item from now on adds a notification.
    pub(super) fn update_name(&mut self, item: ItemId, name: Option<&PromptName>, pending: &mut PendingNotifications) {
        for (uri, subscribed) in &mut self.addresses {
            let is_named = subscribed.name.is_some() && subscribed.name.as_ref() == name;
            match (subscribed.item == Some(item), is_named) {
                (false, true) => {
                    subscribed.item = Some(item);
                    pending.addresses.insert(uri.clone());
                }
                (true, false) if subscribed.name.is_some() => subscribed.item = None,
                (true, _) | (false, false) => {}
            }
        }
    }
}

/// The error for more than [`MAX_ADDRESSES`].
pub(super) fn too_many_subscriptions() -> Error {
    Error::InvalidParameters("there can be 1,000 subscriptions at a time: leave out those that are not needed")
}

/// Whether an event changes one of these fields of a prompt. An event after which the prompt exists, or no longer exists,
/// changes all of them.
fn changes_prompt(event: &ItemEvent, fields: &[&str]) -> bool {
    let differs = match event.event_kind {
        EventKind::Updated => event.changed_fields.iter().any(|changed| fields.contains(&changed.as_str())),
        EventKind::Created
        | EventKind::Archived
        | EventKind::Unarchived
        | EventKind::Deleted
        | EventKind::Restored
        | EventKind::Purged => true,
    };
    event.kind == Kind::Prompt && differs
}
