//! The `ChangeStore` trait: what the use cases need of a storage for change sets.

use std::collections::BTreeSet;

use async_trait::async_trait;
use jiff::Timestamp;

use super::{ChangeSetQuery, ChangeSetSummary, NamedChangeSet};
use crate::{ChangeSetId, ChangeSetRef, ItemId, SpaceId, StoreError, UserId, Visibility};

/// The part of a [`Store`](crate::Store) that finds change sets. A set is nothing but the records that name it: what is known of
/// it is read from them, and it is gone with the last of them. What was decided is known for each item of a set; a record of an
/// agent that comes after a decision makes its item unreviewed again. The promises of the methods are those of a
/// [`Store`](crate::Store).
#[async_trait]
pub trait ChangeStore: Send + Sync {
    /// Sets that have a record in the spaces, newest first. Every filter but the state counts (client and author
    /// as in the first records of the set's items); of states only
    /// [`Unreviewed`](crate::ReviewState::Unreviewed), by which a set is found that has a record which is not reviewed.
    async fn change_sets(&self, query: &ChangeSetQuery) -> Result<Vec<ChangeSetRef>, StoreError>;

    /// Sets with the first of their visible items, as many of each as are asked for, oldest set first. One that has no visible
    /// record is left out.
    async fn change_set_summaries(
        &self,
        sets: &[ChangeSetRef],
        visible: &Visibility,
        max_items: usize,
    ) -> Result<Vec<ChangeSetSummary>, StoreError>;

    /// A set with the first of its visible items, as many as are asked for; `None` if it has no visible record.
    async fn change_set(
        &self,
        set: ChangeSetRef,
        visible: &Visibility,
        max_items: usize,
    ) -> Result<Option<ChangeSetSummary>, StoreError> {
        Ok(self.change_set_summaries(&[set], visible, max_items).await?.pop())
    }

    /// The user whose visible set it is; `None` if it has no visible record.
    async fn change_set_user(&self, set: ChangeSetRef, visible: &Visibility) -> Result<Option<UserId>, StoreError>;

    /// Whether a person has decided about anything of a set that is in one of the spaces.
    async fn is_decided(&self, set: ChangeSetRef, spaces: &BTreeSet<SpaceId>) -> Result<bool, StoreError>;

    /// How many sets in the spaces have a record that is not reviewed; no more than `most` are counted.
    async fn unreviewed_change_sets(&self, spaces: &[SpaceId], most: usize) -> Result<u64, StoreError>;

    /// Names a set, unless its identifier is taken; the set that has the identifier.
    async fn name_change_set(&self, named: &NamedChangeSet) -> Result<NamedChangeSet, StoreError>;

    /// The set that a client has named by an identifier.
    async fn named_change_set(&self, id: ChangeSetId) -> Result<Option<NamedChangeSet>, StoreError>;

    /// The items that a set had changed and that were purged since, of those that were visible. Items that were removed
    /// with their whole space are not among them.
    async fn purged_items(&self, set: ChangeSetRef, visible: &Visibility) -> Result<Vec<ItemId>, StoreError>;

    /// Forgets what [`ChangeStore::purged_items`] tells of items that were purged before a time; how many entries.
    async fn forget_purged_items(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Forgets the names of sets from before a time that have no record; how many.
    async fn forget_change_set_names(&self, before: Timestamp) -> Result<u64, StoreError>;
}
