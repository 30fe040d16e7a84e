//! What a client wants to be told, and what an event is to it.

use std::collections::{BTreeMap, BTreeSet};

use interline_items::fields::PromptName;
use interline_items::{Error, Event, EventKind, ItemId, Kind};

use crate::mcp::arguments::invalid;

/// How many addresses a client can subscribe to, on a connection or a stream.
pub(super) const MAX_ADDRESSES: usize = 1_000;
/// The longest of them, in bytes.
const MAX_ADDRESS_BYTES: usize = 500;
/// What a list of prompts shows of each.
const LISTED: [&str; 4] = ["name", "title", "description", "arguments"];

/// What a client wants to be told.
#[derive(Default)]
pub(super) struct Wanted {
    has_prompt_list: bool,
    addresses: BTreeMap<String, Watched>,
}

/// What an address leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Watched {
    /// `None` as long as nothing has the name.
    pub(super) item: Option<ItemId>,
    /// In addresses by name, which may lead elsewhere later.
    pub(super) name: Option<PromptName>,
}

/// What there is to be told, each thing once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    pub(super) addresses: BTreeSet<String>,
    pub(super) has_new_prompt_list: bool,
}

impl Wanted {
    /// That the list of prompts has changed.
    pub(super) fn add_prompt_list(&mut self) {
        self.has_prompt_list = true;
    }

    /// Refuses an address that there is no room for.
    pub(super) fn check_room(&self, uri: &str) -> Result<(), Error> {
        if uri.len() > MAX_ADDRESS_BYTES {
            return Err(invalid("uri", "it is longer than 500 bytes"));
        }
        if self.addresses.len() >= MAX_ADDRESSES && !self.addresses.contains_key(uri) {
            return Err(too_many());
        }
        Ok(())
    }

    pub(super) fn add(&mut self, uri: &str, watched: Watched) {
        self.addresses.insert(uri.to_owned(), watched);
    }

    pub(super) fn remove(&mut self, uri: &str) {
        self.addresses.remove(uri);
    }

    /// Whether an address by name may lead elsewhere after this event.
    pub(super) fn depends_on_name(&self, event: &Event) -> bool {
        is_of_prompt(event, &["name"]) && self.addresses.values().any(|watched| watched.name.is_some())
    }

    /// Adds what an event is to the client.
    pub(super) fn note(&self, event: &Event, news: &mut News) {
        let of_item = self.addresses.iter().filter(|(_, watched)| watched.item == Some(event.item));
        news.addresses.extend(of_item.map(|(uri, _)| uri.clone()));
        news.has_new_prompt_list |= self.has_prompt_list && is_of_prompt(event, &LISTED);
    }

    /// Takes note of the name that an item has by now, if there is one: of what its addresses led to before, and lead to.
    pub(super) fn note_name(&mut self, item: ItemId, name: Option<&PromptName>, news: &mut News) {
        for (uri, watched) in &mut self.addresses {
            let is_named = watched.name.is_some() && watched.name.as_ref() == name;
            match (watched.item == Some(item), is_named) {
                (false, true) => {
                    watched.item = Some(item);
                    news.addresses.insert(uri.clone());
                }
                (true, false) if watched.name.is_some() => watched.item = None,
                (true, _) | (false, false) => {}
            }
        }
    }
}

/// Refuses more than [`MAX_ADDRESSES`].
pub(super) fn too_many() -> Error {
    Error::InvalidParameters("there can be 1,000 subscriptions at a time: leave out those that are not needed")
}

/// Whether something happened to a prompt that makes another of it than it was by these fields: that it is there, or not,
/// counts for all of them.
fn is_of_prompt(event: &Event, fields: &[&str]) -> bool {
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
