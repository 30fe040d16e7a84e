//! Stable names of enumerations. `items` names those that the API shows; the others are named here.

use interline_items::{Action, DeliveryState, EventKind, Kind, Rank, Role, Scope, Source};
use jiff::Timestamp;

use super::CodecError;

// Aliases for the modules of tables, which call these functions by their names before.
pub(crate) use self::{
    parse_delivery_state as delivery_state, parse_rank as rank, parse_role as role, rank_name as of_rank,
    role_name as of_role,
};

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
