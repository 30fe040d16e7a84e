//! Change sets as a storage tells of them, and the requests for them.

mod store;

pub use store::ChangeStore;

use jiff::Timestamp;

use crate::{
    Author, ChangeSetRef, Client, ItemId, Kind, LineCounts, NamedId, Reason, ReviewState, Source, SpaceId, TokenId,
    UserId,
};

/// A request for change sets, newest first.
#[derive(Clone, Debug)]
pub struct ChangeSetQuery {
    /// Their spaces.
    pub spaces: Vec<SpaceId>,
    /// Which of them.
    pub filter: ChangeSetFilter,
    /// Only sets that were begun before this one.
    pub after: Option<ChangeSetRef>,
    /// How many at the most.
    pub limit: usize,
}

/// Which change sets are asked for: those for which all that is given is true.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSetFilter {
    /// They changed this item.
    pub item: Option<ItemId>,
    /// This user made them.
    pub user: Option<UserId>,
    /// They were made with this token.
    pub token: Option<TokenId>,
    /// A client of this name made them.
    pub client: Option<String>,
    /// A person, or an agent, made them.
    pub author: Option<Author>,
    /// What was decided about them.
    pub state: Option<ReviewState>,
    /// They were begun at this time or later.
    pub since: Option<Timestamp>,
    /// They were begun before this time.
    pub before: Option<Timestamp>,
}

/// A change set, as far as it is visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeSetSummary {
    /// Which one.
    pub set: ChangeSetRef,
    /// Who made it.
    pub user: NamedId<UserId>,
    /// With which token, if with one.
    pub token: Option<NamedId<TokenId>>,
    /// With which program.
    pub client: Client,
    /// Whether a person or an agent made it.
    pub author: Author,
    /// The door that its first change came through.
    pub source: Source,
    /// The first reasons that were given.
    pub reasons: Vec<Reason>,
    /// The time of its first change.
    pub first_at: Timestamp,
    /// The time of its last change.
    pub last_at: Timestamp,
    /// What was decided about it.
    pub state: ReviewState,
    /// The items that it changed, in the order of its first change of each; the first of them, as many as were asked for.
    pub items: Vec<ChangedItem>,
    /// How many items it changed.
    pub items_total: u64,
}

/// An item that a change set changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedItem {
    /// The item.
    pub id: ItemId,
    /// Its kind.
    pub kind: Kind,
    /// Its space.
    pub space: SpaceId,
    /// Its title, or its name or path where it has none.
    pub title: Option<String>,
    /// The version before the set; `None` if the set made the item.
    pub from_version: Option<u64>,
    /// The version after the last change of the set.
    pub to_version: u64,
    /// How many lines the versions of the set added and removed, added up.
    pub lines: LineCounts,
    /// What was decided about it.
    pub state: ReviewState,
}

/// How many changes of a set, or of one item in it, are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReviewCounts {
    /// All of them.
    pub all: u64,
    /// Nothing was decided yet.
    pub unreviewed: u64,
    /// They were taken back.
    pub undone: u64,
    /// Some of each was taken back.
    pub partly_undone: u64,
}

impl ReviewCounts {
    /// The state of all together. As long as something is not reviewed, the whole is not.
    pub fn state(self) -> ReviewState {
        match self {
            ReviewCounts { unreviewed: 1.., .. } => ReviewState::Unreviewed,
            ReviewCounts { all, undone, .. } if undone > 0 && undone == all => ReviewState::Undone,
            ReviewCounts { undone: 0, partly_undone: 0, .. } => ReviewState::Kept,
            _ => ReviewState::PartlyUndone,
        }
    }
}

/// A change set that a client has named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedChangeSet {
    /// Which one.
    pub set: ChangeSetRef,
    /// Whose client.
    pub user: UserId,
    /// The token that it used, if it used one.
    pub token: Option<TokenId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_what_its_changes_are_together() {
        let counts = |all, unreviewed, undone, partly_undone| {
            ReviewCounts { all, unreviewed, undone, partly_undone }.state().name()
        };
        assert_eq!(counts(3, 0, 0, 0), "kept");
        assert_eq!(counts(3, 1, 2, 0), "unreviewed");
        assert_eq!(counts(3, 0, 3, 0), "undone");
        assert_eq!(counts(3, 0, 1, 0), "partly_undone");
        assert_eq!(counts(3, 0, 0, 1), "partly_undone");
        assert_eq!(counts(0, 0, 0, 0), "kept");
    }
}
