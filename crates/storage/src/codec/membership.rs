//! The memberships of a user, merged from the rows of users and of organizations.

use std::collections::BTreeMap;

use interline_items::{Membership, SpaceOwner, UserId};

/// Each space once, with the greatest of the user's roles in it: the user's own space first, then by id.
pub(crate) fn merged(user: UserId, found: Vec<Membership>) -> Vec<Membership> {
    let mut by_space: BTreeMap<_, Membership> = BTreeMap::new();
    for membership in found {
        let role = membership.role;
        let merged = by_space.entry(membership.space.id).or_insert(membership);
        merged.role = merged.role.max(role);
    }
    let (own, others): (Vec<_>, Vec<_>) =
        by_space.into_values().partition(|membership| membership.space.owner == SpaceOwner::User(user));
    own.into_iter().chain(others).collect()
}
