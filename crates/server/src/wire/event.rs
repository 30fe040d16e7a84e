//! Events as they are sent.

use interline_items::Heard;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;

/// Something that happened to an item.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventBody {
    /// From where to go on after it, as `since`.
    cursor: String,
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

impl EventBody {
    pub(crate) fn of(heard: &Heard) -> EventBody {
        let event = &*heard.event;
        EventBody {
            cursor: heard.cursor.to_string(),
            event: format!("item.{}", event.happening),
            kind: event.kind.name(),
            id: event.item.uuid(),
            version: event.version,
            changed_fields: event.changed_fields.clone(),
            source: event.source.name(),
            at: Time(event.at),
        }
    }
}
