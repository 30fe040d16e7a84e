//! Stable names of enumerations. `items` names those that the API shows; the others are named here.

use interline_items::{
    Action, Author, ChangeSetNews, DeliveryState, EventKind, Kind, ProposalNews, Rank, Record, ReviewState, Role,
    Scope, Source, Writes,
};
use jiff::Timestamp;

use super::CodecError;

/// The name of a rank: what a user may do beyond its spaces.
pub(crate) const fn rank_name(rank: Rank) -> &'static str {
    match rank {
        Rank::Member => "member",
        Rank::Admin => "admin",
    }
}

/// The rank of a name.
pub(crate) fn parse_rank(name: &str) -> Result<Rank, CodecError> {
    find([Rank::Member, Rank::Admin], rank_name, "rank", name)
}

/// The name of a role: what a member may do in a space.
pub(crate) const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Reader => "reader",
        Role::Writer => "writer",
        Role::Owner => "owner",
    }
}

/// The role of a name.
pub(crate) fn parse_role(name: &str) -> Result<Role, CodecError> {
    find([Role::Reader, Role::Writer, Role::Owner], role_name, "role", name)
}

/// The scope of a name.
pub(crate) fn parse_scope(name: &str) -> Result<Scope, CodecError> {
    Scope::from_name(name).ok_or_else(|| unknown("scope", name))
}

/// The action of an [`Action::name`].
pub(crate) fn parse_action(name: &str) -> Result<Action, CodecError> {
    Action::from_name(name).ok_or_else(|| unknown("action", name))
}

/// The source of a [`Source::name`].
pub(crate) fn parse_source(name: &str) -> Result<Source, CodecError> {
    Source::from_name(name).ok_or_else(|| unknown("source", name))
}

/// The kind of event of an [`EventKind::name`].
pub(crate) fn parse_event_kind(name: &str) -> Result<EventKind, CodecError> {
    EventKind::from_name(name).ok_or_else(|| unknown("event", name))
}

/// What the names of events about change sets begin with.
const CHANGE_SET_EVENT: &str = "change.";

/// The name of an event about a change set.
pub(crate) fn change_set_event_name(news: ChangeSetNews) -> String {
    format!("{CHANGE_SET_EVENT}{news}")
}

/// What an event tells about a change set; `None` of an event about an item.
pub(crate) fn parse_change_set_event(name: &str) -> Result<Option<ChangeSetNews>, CodecError> {
    let news = name.strip_prefix(CHANGE_SET_EVENT);
    news.map(|news| ChangeSetNews::from_name(news).ok_or_else(|| unknown("event", name))).transpose()
}

/// What the names of events about proposals begin with.
const PROPOSAL_EVENT: &str = "proposal.";

/// The name of an event about a proposal.
pub(crate) fn proposal_event_name(news: ProposalNews) -> String {
    format!("{PROPOSAL_EVENT}{news}")
}

/// What an event tells about a proposal; `None` of another event.
pub(crate) fn parse_proposal_event(name: &str) -> Result<Option<ProposalNews>, CodecError> {
    let news = name.strip_prefix(PROPOSAL_EVENT);
    news.map(|news| ProposalNews::from_name(news).ok_or_else(|| unknown("event", name))).transpose()
}

/// The author of a column that is null for people.
pub(crate) fn parse_author(name: Option<&str>) -> Result<Author, CodecError> {
    name.map_or(Ok(Author::Person), |name| Author::from_name(name).ok_or_else(|| unknown("author", name)))
}

/// The column of an author.
pub(crate) fn stored_author(author: Author) -> Option<&'static str> {
    Some(author.name()).filter(|_| author != Author::Person)
}

/// What becomes of a token's writes, of a column that is null where they are applied.
pub(crate) fn parse_writes(name: Option<&str>) -> Result<Writes, CodecError> {
    name.map_or(Ok(Writes::Apply), |name| Writes::from_name(name).ok_or_else(|| unknown("writes", name)))
}

/// The column of what becomes of a token's writes.
pub(crate) fn stored_writes(writes: Writes) -> Option<&'static str> {
    Some(writes.name()).filter(|_| writes != Writes::Apply)
}

/// The state of a column that is null for what was kept from the start.
pub(crate) fn parse_review(name: Option<&str>) -> Result<ReviewState, CodecError> {
    name.map_or(Ok(ReviewState::Kept), |name| ReviewState::from_name(name).ok_or_else(|| unknown("review", name)))
}

/// The column of the state of a new change.
pub(crate) fn stored_initial_review(record: &Record) -> Option<&'static str> {
    let state = record.initial_review();
    Some(state.name()).filter(|_| state != ReviewState::Kept)
}

/// The state of a delivery of a [`DeliveryState::name`].
pub(crate) fn parse_delivery_state(
    name: &str,
    set_aside_until: Option<Timestamp>,
) -> Result<DeliveryState, CodecError> {
    [DeliveryState::Pending(set_aside_until), DeliveryState::Delivered, DeliveryState::GivenUp]
        .into_iter()
        .find(|state| state.name() == name)
        .ok_or_else(|| unknown("state", name))
}

/// The kind of a [`Kind::name`].
pub(crate) fn parse_kind(name: &str) -> Result<Kind, CodecError> {
    Kind::from_name(name).ok_or_else(|| unknown("kind", name))
}

fn find<T: Copy, const N: usize>(
    all: [T; N],
    name_of: fn(T) -> &'static str,
    column: &'static str,
    name: &str,
) -> Result<T, CodecError> {
    all.into_iter().find(|value| name_of(*value) == name).ok_or_else(|| unknown(column, name))
}

fn unknown(column: &'static str, name: &str) -> CodecError {
    CodecError::Name { column, value: name.to_owned() }
}
