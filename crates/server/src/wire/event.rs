//! Events as listeners and webhook endpoints get them.

use interline_items::{
    ChangeSetEvent, ChangeSetId, ChangeSetNews, Event, EventKind, EventSubject, ItemId, Kind, ProposalNews, Reason,
    ReceivedEvent,
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;
use super::enumerations::{ChangeSource, EventName, ItemField, ItemType};
use super::history::{ClientResponse, NamedIdResponse};

/// Something that happened, as a listener hears it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventMessage<'a> {
    /// From where to go on after it, as `since`.
    cursor: String,
    #[serde(flatten)]
    fields: EventFields<'a>,
}

impl<'a> From<&'a ReceivedEvent> for EventMessage<'a> {
    fn from(received: &'a ReceivedEvent) -> EventMessage<'a> {
        EventMessage { cursor: received.cursor.to_string(), fields: EventFields::from(&*received.event) }
    }
}

/// Something that happened to an item or a proposal, or that a person decided about a change set.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Happened)]
pub(crate) struct EventFields<'a> {
    /// What happened.
    #[schema(value_type = EventName)]
    event: String,
    /// What the item is, of an event of an item or of a proposal for it.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ItemType>, nullable = false)]
    kind: Option<&'static str>,
    /// The item, of an event of an item or of a proposal for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    id: Option<Uuid>,
    /// The version that the item was at afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, nullable = false, minimum = 1)]
    version: Option<u64>,
    /// The fields of the item that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<ItemField>>, nullable = false)]
    changed_fields: Option<&'a [String]>,
    /// The door that the change came through.
    #[schema(value_type = ChangeSource)]
    source: &'static str,
    /// When it happened.
    at: Time,
    /// Who made it; events of older servers do not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    user: Option<NamedIdResponse<'a>>,
    /// The token that was used, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    token: Option<NamedIdResponse<'a>>,
    /// The program that made it, as it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client: Option<ClientResponse<'a>>,
    /// Why, in the words of who made it, if they gave a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<&'a str>,
    /// The change set that the change belongs to, or about which was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    change_set: Option<Uuid>,
    /// The proposal, of an event about one; `type` and `id` are those of its item.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    proposal: Option<Uuid>,
    /// The revision of the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, nullable = false, minimum = 1)]
    revision: Option<u64>,
}

/// The name of an event of an item on the wire.
fn item_event_name(kind: EventKind) -> String {
    format!("item.{kind}")
}

fn change_set_event_name(news: ChangeSetNews) -> String {
    format!("change.{news}")
}

fn proposal_event_name(news: ProposalNews) -> String {
    format!("proposal.{news}")
}

/// The names of all events on the wire.
pub(super) fn event_names() -> impl Iterator<Item = String> {
    let items = EventKind::ALL.iter().copied().map(item_event_name);
    let changes = ChangeSetNews::ALL.iter().copied().map(change_set_event_name);
    items.chain(changes).chain(ProposalNews::ALL.iter().copied().map(proposal_event_name))
}

impl<'a> From<&'a Event> for EventFields<'a> {
    fn from(event: &'a Event) -> EventFields<'a> {
        let (name, decided, proposal) = match &event.subject {
            EventSubject::Item(item) => (item_event_name(item.event_kind), None, None),
            EventSubject::ChangeSet(ChangeSetEvent { set, news }) => (change_set_event_name(*news), Some(*set), None),
            EventSubject::Proposal(event) => (proposal_event_name(event.news), None, Some(event)),
        };
        let (item, made_by) = (event.item_event(), event.attribution.as_ref());
        // The change set of a decision about a proposal is that of the version that it makes, which has an event of its own.
        let joined = made_by.filter(|_| proposal.is_none()).map(|made_by| made_by.change_set);
        let token = made_by.and_then(|made_by| made_by.token.as_ref());
        EventFields {
            event: name,
            kind: item.map(|item| item.kind).or(proposal.map(|proposal| proposal.kind)).map(Kind::name),
            id: item.map(|item| item.item).or(proposal.map(|proposal| proposal.item)).map(ItemId::uuid),
            version: item.map(|item| item.version),
            changed_fields: item.map(|item| item.changed_fields.as_slice()),
            source: event.source.name(),
            at: Time(event.at),
            user: made_by.map(|made_by| NamedIdResponse::new(&made_by.user, made_by.user.id.uuid())),
            token: token.map(|token| NamedIdResponse::new(token, token.id.uuid())),
            client: made_by.map(|made_by| ClientResponse::from(&made_by.client)),
            reason: made_by.and_then(|made_by| made_by.reason.as_ref()).map(Reason::as_str),
            change_set: decided.or(joined).map(ChangeSetId::uuid),
            proposal: proposal.map(|event| event.proposal.id.uuid()),
            revision: proposal.map(|event| event.proposal.revision),
        }
    }
}
