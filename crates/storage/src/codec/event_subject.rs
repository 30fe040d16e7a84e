//! What an event is about, and who made it happen, from its columns.

use interline_items::{
    ChangeSetId, Client, EventAttribution, EventSubject, ItemEvent, ItemId, NamedId, Reason, TokenId, UserId,
};
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

/// The columns of an event that say who made it happen; null in events from before they were stored.
pub(crate) struct AuthorColumns {
    pub(crate) user: Option<Uuid>,
    pub(crate) user_name: Option<String>,
    pub(crate) token: Option<Uuid>,
    pub(crate) token_name: Option<String>,
    pub(crate) client_name: Option<String>,
    pub(crate) client_version: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) change_set: Option<Uuid>,
}

impl AuthorColumns {
    pub(crate) fn decode(self) -> Option<EventAttribution> {
        let (user, client, set) = (self.user?, self.client_name?, self.change_set?);
        Some(EventAttribution {
            user: NamedId { id: UserId::from_uuid(user), name: self.user_name },
            token: self.token.map(|id| NamedId { id: TokenId::from_uuid(id), name: self.token_name }),
            client: Client::from_stored(client, self.client_version),
            reason: self.reason.map(Reason::from_stored),
            change_set: ChangeSetId::from_uuid(set),
        })
    }
}
