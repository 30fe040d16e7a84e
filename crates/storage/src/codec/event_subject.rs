//! What an event is about, and who made it happen, to and from its columns.

use interline_items::{
    AnnouncedSubject, ChangeSetEvent, ChangeSetId, Client, EventAttribution, EventSubject, ItemEvent, ItemId, NamedId,
    ProposalEvent, ProposalId, ProposalRef, Reason, TokenId, UserId,
};
use uuid::Uuid;

use super::{CodecError, json, names};

/// The columns of an event that say what happened, and to what.
pub(crate) struct SubjectColumns<'row> {
    pub(crate) event: &'row str,
    /// The id of an item, of a change set or of a proposal.
    pub(crate) subject: Uuid,
    /// Empty of an event about a change set.
    pub(crate) kind: &'row str,
    /// Of a proposal, its revision.
    pub(crate) version: u64,
    /// JSON; of a proposal, its item and who made it.
    pub(crate) changed_fields: &'row str,
}

/// The same columns of an event about a change set or a proposal.
pub(crate) struct AnnouncedColumns {
    pub(crate) event: String,
    pub(crate) subject: Uuid,
    pub(crate) kind: String,
    pub(crate) version: u64,
    pub(crate) changed_fields: String,
}

impl AnnouncedColumns {
    pub(crate) fn from_subject(subject: &AnnouncedSubject) -> AnnouncedColumns {
        match subject {
            AnnouncedSubject::ChangeSet(ChangeSetEvent { set, news }) => AnnouncedColumns {
                event: names::change_set_event_name(*news),
                subject: set.uuid(),
                kind: String::new(),
                version: 0,
                changed_fields: json::encode_strings([]),
            },
            AnnouncedSubject::Proposal(ProposalEvent { proposal, item, kind, proposer, news }) => AnnouncedColumns {
                event: names::proposal_event_name(*news),
                subject: proposal.id.uuid(),
                kind: kind.name().to_owned(),
                version: proposal.revision,
                changed_fields: json::encode_strings([&*item.to_string(), &*proposer.to_string()]),
            },
        }
    }
}

impl SubjectColumns<'_> {
    pub(crate) fn decode(self) -> Result<EventSubject, CodecError> {
        if let Some(news) = names::parse_change_set_event(self.event)? {
            let set = ChangeSetId::from_uuid(self.subject);
            return Ok(EventSubject::ChangeSet(ChangeSetEvent { set, news }));
        }
        if let Some(news) = names::parse_proposal_event(self.event)? {
            let malformed = || json::malformed("item and proposer");
            let ids = json::decode_strings(self.changed_fields, "item and proposer")?;
            let [item, proposer] = ids.as_slice() else { return Err(malformed()) };
            let id = |text: &str| Uuid::try_parse(text).map_err(|_| malformed());
            return Ok(EventSubject::Proposal(ProposalEvent {
                proposal: ProposalRef { id: ProposalId::from_uuid(self.subject), revision: self.version },
                item: ItemId::from_uuid(id(item)?),
                kind: names::parse_kind(self.kind)?,
                proposer: id(proposer)?,
                news,
            }));
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
