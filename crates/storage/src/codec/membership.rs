//! What a user is a member of, from what the rows say.

use std::collections::BTreeMap;

use interline_items::{Membership, SpaceOwner, UserId};

/// Each space once, with the greatest of its roles: the user's own first, then by id.
pub(crate) fn merged(user: UserId, found: Vec<Membership>) -> Vec<Membership> {
    let mut by_space: BTreeMap<_, Membership> = BTreeMap::new();
    for membership in found {
        let role = membership.role;
        let known = by_space.entry(membership.space.id).or_insert(membership);
        known.role = known.role.max(role);
    }
    let (own, others): (Vec<_>, Vec<_>) =
        by_space.into_values().partition(|membership| membership.space.owner == SpaceOwner::User(user));
    own.into_iter().chain(others).collect()
}
