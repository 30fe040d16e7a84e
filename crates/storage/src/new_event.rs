//! An event that a change leaves, before the storage gives it the next number of its space.

use interline_items::{
    Announcement, Attribution, Client, EventKind, ItemId, ItemWrite, Reason, Record, Stamp, TokenId,
};
use jiff::Timestamp;
use uuid::Uuid;

use crate::codec::event_subject::AnnouncedColumns;
use crate::codec::json;

/// The time of what follows from a change, in microseconds: that of the change, or now. The times of an item go on from its last
/// one where the clock was turned back, and what is to be done then is not to wait until the clock has caught up.
pub(crate) fn work_time(at: i64) -> i64 {
    at.min(Timestamp::now().as_microsecond())
}

/// The columns of an event without its number.
pub(crate) struct NewEvent<'a> {
    pub(crate) space: Uuid,
    /// The name of its [`EventKind`].
    pub(crate) name: String,
    /// The id of the item; of an event about a change set or a proposal, that of the set or the proposal.
    pub(crate) subject: Uuid,
    /// The kind of the item; empty of an event about a change set.
    pub(crate) kind: String,
    pub(crate) version: u64,
    /// The names of the changed fields as JSON.
    pub(crate) changed_fields: String,
    pub(crate) source: &'static str,
    /// In microseconds since 1970.
    pub(crate) at: i64,
    /// Who made the change, and why.
    pub(crate) author: EventAuthor<'a>,
    /// Whether the change asks for enrichment of its item.
    pub(crate) asks_for_enrichment: bool,
}

/// The columns of an event that say who made the change, and why.
#[derive(Clone, Copy)]
pub(crate) struct EventAuthor<'a> {
    pub(crate) user: Uuid,
    pub(crate) token: Option<Uuid>,
    pub(crate) client: &'a Client,
    pub(crate) reason: Option<&'a str>,
    pub(crate) change_set: Uuid,
}

impl EventAuthor<'_> {
    fn from_record(record: &Record) -> EventAuthor<'_> {
        let Attribution { client, reason, change_set, .. } = &record.attribution;
        EventAuthor {
            user: record.user.uuid(),
            token: record.token.map(TokenId::uuid),
            client,
            reason: reason.as_ref().map(Reason::as_str),
            change_set: change_set.id.uuid(),
        }
    }
}

impl NewEvent<'_> {
    /// The event of a write, whose changed fields are already encoded as JSON.
    pub(crate) fn from_write(write: &ItemWrite, changed_fields: String) -> NewEvent<'_> {
        let (item, record) = (&write.after, &write.record);
        NewEvent {
            space: item.space.uuid(),
            name: EventKind::from_write(write).name().to_owned(),
            subject: item.id.uuid(),
            kind: item.kind.name().to_owned(),
            version: item.stamp.version,
            changed_fields,
            source: record.source.name(),
            at: record.event_time().as_microsecond(),
            author: EventAuthor::from_record(record),
            asks_for_enrichment: write.asks_for_enrichment(),
        }
    }

    /// The event of a purge, which removes an item whose stamp was `last`.
    pub(crate) fn for_purge(item: ItemId, space: Uuid, kind: String, last: Stamp, record: &Record) -> NewEvent<'_> {
        NewEvent {
            space,
            name: EventKind::Purged.name().to_owned(),
            subject: item.uuid(),
            kind,
            version: last.version,
            changed_fields: json::encode_strings(record.changed_fields.iter().copied()),
            source: record.source.name(),
            at: record.at.as_microsecond(),
            author: EventAuthor::from_record(record),
            asks_for_enrichment: false,
        }
    }

    /// The event of what happened to a change set or a proposal.
    pub(crate) fn from_announcement(announcement: &Announcement) -> NewEvent<'_> {
        let Announcement { space, subject, record } = announcement;
        let columns = AnnouncedColumns::from_subject(subject);
        NewEvent {
            space: space.uuid(),
            name: columns.event,
            subject: columns.subject,
            kind: columns.kind,
            version: columns.version,
            changed_fields: columns.changed_fields,
            source: record.source.name(),
            at: record.at.as_microsecond(),
            author: EventAuthor::from_record(record),
            asks_for_enrichment: false,
        }
    }
}
