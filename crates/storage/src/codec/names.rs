//! Enumerations as stable words. The domain names those that its own doors show; the others are named here.

use interline_items::{Action, DeliveryState, EventKind, Kind, Rank, Role, Scope, Source};
use jiff::Timestamp;

use super::CodecError;

// Names before both directions said what they do, for the modules of tables.
pub(crate) use self::{
    parse_delivery_state as delivery_state, parse_rank as rank, parse_role as role, rank_name as of_rank,
    role_name as of_role,
};

/// The word for what a user may do beyond its spaces.
pub(crate) const fn rank_name(rank: Rank) -> &'static str {
    match rank {
        Rank::Member => "member",
        Rank::Admin => "admin",
    }
}

/// The rank of that word.
pub(crate) fn parse_rank(word: &str) -> Result<Rank, CodecError> {
    find([Rank::Member, Rank::Admin], rank_name, "rank", word)
}

/// The word for what a member may do in a space.
pub(crate) const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Reader => "reader",
        Role::Writer => "writer",
        Role::Owner => "owner",
    }
}

/// The role of that word.
pub(crate) fn parse_role(word: &str) -> Result<Role, CodecError> {
    find([Role::Reader, Role::Writer, Role::Owner], role_name, "role", word)
}

/// The scope of that word.
pub(crate) fn parse_scope(word: &str) -> Result<Scope, CodecError> {
    Scope::from_name(word).ok_or_else(|| unknown("scope", word))
}

/// The action of that word; [`Action::name`] is the way there.
pub(crate) fn parse_action(word: &str) -> Result<Action, CodecError> {
    Action::from_name(word).ok_or_else(|| unknown("action", word))
}

/// The door of that word; [`Source::name`] is the way there.
pub(crate) fn parse_source(word: &str) -> Result<Source, CodecError> {
    Source::from_name(word).ok_or_else(|| unknown("source", word))
}

/// What happened, by its word; [`EventKind::name`] is the way there.
pub(crate) fn parse_event_kind(word: &str) -> Result<EventKind, CodecError> {
    EventKind::from_name(word).ok_or_else(|| unknown("event", word))
}

/// What has become of a delivery, by its word; [`DeliveryState::name`] is the way there.
pub(crate) fn parse_delivery_state(
    word: &str,
    set_aside_until: Option<Timestamp>,
) -> Result<DeliveryState, CodecError> {
    [DeliveryState::Pending(set_aside_until), DeliveryState::Delivered, DeliveryState::GivenUp]
        .into_iter()
        .find(|state| state.name() == word)
        .ok_or_else(|| unknown("state", word))
}

/// The kind of that word; [`Kind::name`] is the way there.
pub(crate) fn parse_kind(word: &str) -> Result<Kind, CodecError> {
    Kind::from_name(word).ok_or_else(|| unknown("kind", word))
}

fn find<T: Copy, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
    column: &'static str,
    word: &str,
) -> Result<T, CodecError> {
    all.into_iter().find(|value| name(*value) == word).ok_or_else(|| unknown(column, word))
}

fn unknown(column: &'static str, word: &str) -> CodecError {
    CodecError::Name { column, value: word.to_owned() }
}
