//! Events as listeners and webhook endpoints get them.

use interline_items::{Event, ReceivedEvent};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;

/// Something that happened to an item, as a listener hears it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventMessage {
    /// From where to go on after it, as `since`.
    cursor: String,
    #[serde(flatten)]
    fields: EventFields,
}

impl From<&ReceivedEvent> for EventMessage {
    fn from(received: &ReceivedEvent) -> EventMessage {
        EventMessage { cursor: received.cursor.to_string(), fields: EventFields::from(&*received.event) }
    }
}

/// Something that happened to an item.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Happened)]
pub(crate) struct EventFields {
    /// `item.created`, `item.updated`, `item.archived`, `item.unarchived`, `item.deleted`, `item.restored` or `item.purged`.
    event: String,
    /// What the item is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The item.
    id: Uuid,
    /// The version that it was at afterwards.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// The fields that changed.
    changed_fields: Vec<String>,
    /// The door that the change came through.
    source: &'static str,
    /// When it happened.
    at: Time,
}

impl From<&Event> for EventFields {
    fn from(event: &Event) -> EventFields {
        EventFields {
            event: format!("item.{}", event.event_kind),
            kind: event.kind.name(),
            id: event.item.uuid(),
            version: event.version,
            changed_fields: event.changed_fields.clone(),
            source: event.source.name(),
            at: Time(event.at),
        }
    }
}
