//! Change sets in SQLite: the statements are in `tables`.

use std::collections::BTreeSet;

use async_trait::async_trait;
use interline_items::{
    ChangeSetId, ChangeSetQuery, ChangeSetRef, ChangeSetSummary, ChangeStore, ItemId, NamedChangeSet, SpaceId,
    StoreError, UserId, Visibility,
};
use jiff::Timestamp;

use super::SqliteStore;
use super::sql::poll_once;
use crate::tables::{change_sets, changed_items, purged_changes};

#[async_trait]
impl ChangeStore for SqliteStore {
    async fn change_sets(&self, query: &ChangeSetQuery) -> Result<Vec<ChangeSetRef>, StoreError> {
        let query = query.clone();
        self.readers.read_long(move |connection| poll_once(changed_items::sets(connection, &query))).await
    }

    async fn change_set_summaries(
        &self,
        sets: &[ChangeSetRef],
        visible: &Visibility,
        max_items: usize,
    ) -> Result<Vec<ChangeSetSummary>, StoreError> {
        let (sets, visible) = (sets.to_vec(), visible.clone());
        let read = move |connection: &_| poll_once(change_sets::summaries(connection, &sets, &visible, max_items));
        self.readers.read_long(read).await
    }

    async fn change_set_user(&self, set: ChangeSetRef, visible: &Visibility) -> Result<Option<UserId>, StoreError> {
        self.readers.read(|connection| poll_once(changed_items::user(connection, set, visible)))
    }

    async fn is_decided(&self, set: ChangeSetRef, spaces: &BTreeSet<SpaceId>) -> Result<bool, StoreError> {
        self.readers.read(|connection| poll_once(changed_items::is_decided(connection, set, spaces)))
    }

    async fn unreviewed_change_sets(&self, spaces: &[SpaceId], most: usize) -> Result<u64, StoreError> {
        let spaces = spaces.to_vec();
        let count = move |connection: &_| poll_once(changed_items::count_unreviewed(connection, &spaces, most));
        self.readers.read_long(count).await
    }

    async fn name_change_set(&self, named: &NamedChangeSet) -> Result<NamedChangeSet, StoreError> {
        if let Some(named) = self.named_change_set(named.set.id).await? {
            return Ok(named);
        }
        let named = *named;
        Ok(self.writer.run(move |connection| poll_once(change_sets::name(connection, &named))).await?)
    }

    async fn named_change_set(&self, id: ChangeSetId) -> Result<Option<NamedChangeSet>, StoreError> {
        self.readers.read(|connection| poll_once(change_sets::named(connection, id)))
    }

    async fn purged_items(&self, set: ChangeSetRef, visible: &Visibility) -> Result<Vec<ItemId>, StoreError> {
        self.readers.read(|connection| poll_once(purged_changes::of_set(connection, set, visible)))
    }

    async fn forget_purged_items(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            match self.writer.run(move |connection| poll_once(purged_changes::forget(connection, before))).await? {
                0 => return Ok(forgotten),
                some => forgotten += some,
            }
        }
    }

    async fn forget_change_set_names(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            match self.writer.run(move |connection| poll_once(change_sets::forget_names(connection, before))).await? {
                0 => return Ok(forgotten),
                some => forgotten += some,
            }
        }
    }
}
