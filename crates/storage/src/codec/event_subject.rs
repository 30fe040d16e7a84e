//! What an event is about, from its columns.

use interline_items::{ChangeSetId, EventSubject, ItemEvent, ItemId};
use uuid::Uuid;

use super::{CodecError, json, names};

/// The columns of an event that say what happened, and to what.
pub(crate) struct SubjectColumns<'row> {
    pub(crate) event: &'row str,
    /// The id of an item or of a change set.
    pub(crate) subject: Uuid,
    /// Empty of an event about a change set.
    pub(crate) kind: &'row str,
    pub(crate) version: u64,
    /// JSON.
    pub(crate) changed_fields: &'row str,
}

impl SubjectColumns<'_> {
    pub(crate) fn decode(self) -> Result<EventSubject, CodecError> {
        if let Some(news) = names::parse_change_set_event(self.event)? {
            return Ok(EventSubject::ChangeSet { set: ChangeSetId::from_uuid(self.subject), news });
        }
        Ok(EventSubject::Item(ItemEvent {
            event_kind: names::parse_event_kind(self.event)?,
            item: ItemId::from_uuid(self.subject),
            kind: names::parse_kind(self.kind)?,
            version: self.version,
            changed_fields: json::decode_strings(self.changed_fields, "changed fields")?,
        }))
    }
}
