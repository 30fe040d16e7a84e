//! Events as listeners and webhook endpoints get them.

use interline_items::{Event, EventKind, ReceivedEvent};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;
use super::enumerations::{ChangeSource, EventName, ItemField, ItemType};

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
    /// What happened.
    #[schema(value_type = EventName)]
    event: String,
    /// What the item is.
    #[serde(rename = "type")]
    #[schema(value_type = ItemType)]
    kind: &'static str,
    /// The item.
    id: Uuid,
    /// The version that it was at afterwards.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// The fields that changed.
    #[schema(value_type = Vec<ItemField>)]
    changed_fields: Vec<String>,
    /// The door that the change came through.
    #[schema(value_type = ChangeSource)]
    source: &'static str,
    /// When it happened.
    at: Time,
}

/// The name of an event on the wire.
pub(super) fn event_name(kind: EventKind) -> String {
    format!("item.{kind}")
}

impl From<&Event> for EventFields {
    fn from(event: &Event) -> EventFields {
        EventFields {
            event: event_name(event.event_kind),
            kind: event.kind.name(),
            id: event.item.uuid(),
            version: event.version,
            changed_fields: event.changed_fields.clone(),
            source: event.source.name(),
            at: Time(event.at),
        }
    }
}
