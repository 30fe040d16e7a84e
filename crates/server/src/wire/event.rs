//! Events as they are sent.

use interline_items::{Event, ReceivedEvent};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;

/// Something that happened to an item, as a listener hears it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventBody {
    /// From where to go on after it, as `since`.
    cursor: String,
    #[serde(flatten)]
    happened: Happened,
}

impl EventBody {
    pub(crate) fn of(heard: &ReceivedEvent) -> EventBody {
        EventBody { cursor: heard.cursor.to_string(), happened: Happened::of(&heard.event) }
    }
}

/// Something that happened to an item.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Happened {
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

impl Happened {
    pub(crate) fn of(event: &Event) -> Happened {
        Happened {
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
