//! Events: what happened to items, change sets and proposals, and the cursor of a listener.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use uuid::Uuid;

use crate::write::{ImportEvent, names};
use crate::{
    Action, ChangeSetId, ChangeSetNews, Client, ItemId, ItemWrite, Kind, NamedId, ProposalNews, ProposalRef, Reason,
    Source, SpaceId, TokenId, UserId,
};

/// An event: something that happened to an item, a change set or a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The space that it happened in.
    pub space: SpaceId,
    /// 1 for the first event of the space and 1 more for each after it: their order is that of their commits.
    pub number: u64,
    /// What happened, and to what.
    pub subject: EventSubject,
    /// The door that the change came through.
    pub source: Source,
    /// When.
    pub at: Timestamp,
    /// Who made it; `None` of an event from before this was stored.
    pub attribution: Option<EventAttribution>,
}

/// What happened, and to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventSubject {
    /// Something happened to an item.
    Item(ItemEvent),
    /// A person has decided about a change set.
    ChangeSet(ChangeSetEvent),
    /// A proposal was made or decided.
    Proposal(ProposalEvent),
}

/// A person has decided about a change set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeSetEvent {
    /// The change set.
    pub set: ChangeSetId,
    /// What was decided.
    pub news: ChangeSetNews,
}

/// A proposal was made or decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProposalEvent {
    /// Which revision of which proposal.
    pub proposal: ProposalRef,
    /// The item that it changes, or makes.
    pub item: ItemId,
    /// The kind of the item.
    pub kind: Kind,
    /// The [`key`](crate::Proposer::key) of who made it: it is told, and those who may decide.
    pub proposer: Uuid,
    /// What happened to it.
    pub news: ProposalNews,
}

/// Something that happened to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemEvent {
    /// What happened.
    pub event_kind: EventKind,
    /// The item, which may have been purged since.
    pub item: ItemId,
    /// Its kind.
    pub kind: Kind,
    /// Its version afterwards.
    pub version: u64,
    /// Names of the fields that changed.
    pub changed_fields: Vec<String>,
}

/// Who made what an event tells of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventAttribution {
    /// The user.
    pub user: NamedId<UserId>,
    /// The token that was used, if one was.
    pub token: Option<NamedId<TokenId>>,
    /// The client.
    pub client: Client,
    /// Why.
    pub reason: Option<Reason>,
    /// The change set that it belongs to.
    pub change_set: ChangeSetId,
}

impl Event {
    /// The event of an item; `None` of another one.
    pub fn item_event(&self) -> Option<&ItemEvent> {
        match &self.subject {
            EventSubject::Item(event) => Some(event),
            EventSubject::ChangeSet(_) | EventSubject::Proposal(_) => None,
        }
    }
}

names! {
    /// What happened to an item.
    EventKind {
        /// It was made.
        Created = "created",
        /// Its content or fields were changed.
        Updated = "updated",
        /// It was archived.
        Archived = "archived",
        /// It was taken from the archive.
        Unarchived = "unarchived",
        /// It went into the trash.
        Deleted = "deleted",
        /// It came back from the trash.
        Restored = "restored",
        /// It was removed with its history.
        Purged = "purged",
    }
}

impl EventKind {
    /// What a write does to its item. One that makes a version of an older one is a change like others.
    pub fn from_write(write: &ItemWrite) -> EventKind {
        if write.record.import.as_ref().is_some_and(|import| import.event == ImportEvent::Created) {
            return EventKind::Created;
        }
        match write.record.action {
            Action::Create => EventKind::Created,
            Action::Update | Action::Undo => EventKind::Updated,
            Action::Archive => EventKind::Archived,
            Action::Unarchive => EventKind::Unarchived,
            Action::Delete => EventKind::Deleted,
            Action::Restore if write.makes_version() => EventKind::Updated,
            Action::Restore => EventKind::Restored,
        }
    }
}

/// Which events of a space are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRange {
    /// The number of the oldest event that is kept; one more than the newest where none is.
    pub oldest: u64,
    /// The number of the newest event; 0 if there was none.
    pub newest: u64,
}

impl EventRange {
    /// Whether all events after a number are kept.
    pub(crate) fn goes_on_after(&self, number: u64) -> bool {
        number <= self.newest && number + 1 >= self.oldest
    }
}

/// A cursor of a listener: the number of the last event that it received, for each space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventCursor(pub(crate) BTreeMap<SpaceId, u64>);

/// How many bytes a space and a number take.
const ENTRY_BYTES: usize = 24;

impl EventCursor {
    /// Parses the text of a cursor; `None` if it is not one.
    pub fn parse(text: &str) -> Option<EventCursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (entries, rest) = bytes.as_chunks::<ENTRY_BYTES>();
        let entry = |entry: &[u8; ENTRY_BYTES]| {
            let (space, number) = entry.split_at_checked(16)?;
            let space = SpaceId::from_uuid(Uuid::from_slice(space).ok()?);
            Some((space, u64::from_be_bytes(number.try_into().ok()?)))
        };
        let positions = entries.iter().map(entry).collect::<Option<BTreeMap<_, _>>>()?;
        (rest.is_empty() && positions.len() == entries.len()).then_some(EventCursor(positions))
    }
}

impl fmt::Display for EventCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::with_capacity(self.0.len() * ENTRY_BYTES);
        for (space, number) in &self.0 {
            bytes.extend_from_slice(space.uuid().as_bytes());
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_what_its_text_says() {
        let spaces = [SpaceId::generate(), SpaceId::generate()];
        let cursor = EventCursor([(spaces[0], 0), (spaces[1], u64::MAX)].into());
        assert_eq!(EventCursor::parse(&cursor.to_string()), Some(cursor));
        assert_eq!(EventCursor::parse(""), Some(EventCursor::default()));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let cursor = EventCursor([(SpaceId::generate(), 7)].into()).to_string();
        let twice = cursor.clone() + &cursor;
        for text in ["7", "ä", &cursor[1..], &cursor[..cursor.len() - 4], &twice, "****"] {
            assert_eq!(EventCursor::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_was_forgotten_or_never_was_cannot_be_gone_on_after() {
        let range = EventRange { oldest: 5, newest: 9 };
        for (number, goes_on) in [(0, false), (3, false), (4, true), (9, true), (10, false), (u64::MAX, false)] {
            assert_eq!(range.goes_on_after(number), goes_on, "{number}");
        }
        assert!(EventRange { oldest: 1, newest: 0 }.goes_on_after(0));
    }
}
