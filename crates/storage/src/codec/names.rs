//! Enumerations as stable words. The domain names those that its own doors show; the others are named here.

use interline_items::{Action, DeliveryState, EventKind, Kind, Rank, Role, Scope, Source};
use jiff::Timestamp;

use super::CodecError;

/// The word for what a user may do beyond its spaces.
pub(crate) const fn of_rank(rank: Rank) -> &'static str {
    match rank {
        Rank::Member => "member",
        Rank::Admin => "admin",
    }
}

/// The rank of that word.
pub(crate) fn rank(word: &str) -> Result<Rank, CodecError> {
    find([Rank::Member, Rank::Admin], of_rank, "rank", word)
}

/// The word for what a member may do in a space.
pub(crate) const fn of_role(role: Role) -> &'static str {
    match role {
        Role::Reader => "reader",
        Role::Writer => "writer",
        Role::Owner => "owner",
    }
}

/// The role of that word.
pub(crate) fn role(word: &str) -> Result<Role, CodecError> {
    find([Role::Reader, Role::Writer, Role::Owner], of_role, "role", word)
}

/// The scope of that word.
pub(crate) fn scope(word: &str) -> Result<Scope, CodecError> {
    Scope::from_name(word).ok_or_else(|| unknown("scope", word))
}

/// The action of that word; [`Action::name`] is the way there.
pub(crate) fn action(word: &str) -> Result<Action, CodecError> {
    Action::from_name(word).ok_or_else(|| unknown("action", word))
}

/// The door of that word; [`Source::name`] is the way there.
pub(crate) fn source(word: &str) -> Result<Source, CodecError> {
    Source::from_name(word).ok_or_else(|| unknown("source", word))
}

/// What happened, by its word; [`EventKind::name`] is the way there.
pub(crate) fn happening(word: &str) -> Result<EventKind, CodecError> {
    EventKind::from_name(word).ok_or_else(|| unknown("event", word))
}

/// What has become of a delivery, by its word; [`DeliveryState::name`] is the way there.
pub(crate) fn delivery_state(word: &str, set_aside_until: Option<Timestamp>) -> Result<DeliveryState, CodecError> {
    [DeliveryState::Pending(set_aside_until), DeliveryState::Delivered, DeliveryState::GivenUp]
        .into_iter()
        .find(|state| state.name() == word)
        .ok_or_else(|| unknown("state", word))
}

/// The kind of that word; [`Kind::name`] is the way there.
pub(crate) fn kind(word: &str) -> Result<Kind, CodecError> {
    Kind::from_name(word).ok_or_else(|| unknown("kind", word))
}

fn find<T: Copy, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
    what: &'static str,
    word: &str,
) -> Result<T, CodecError> {
    all.into_iter().find(|one| name(*one) == word).ok_or_else(|| unknown(what, word))
}

fn unknown(what: &'static str, word: &str) -> CodecError {
    CodecError::Name { what, value: word.to_owned() }
}
