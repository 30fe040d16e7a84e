//! Change sets in PostgreSQL: the statements are in `tables`.

use std::collections::BTreeSet;

use async_trait::async_trait;
use interline_items::{
    ChangeSetId, ChangeSetQuery, ChangeSetRef, ChangeSetSummary, ChangeStore, ItemId, NamedChangeSet, SpaceId,
    StoreError, UserId, Visibility,
};
use jiff::Timestamp;

use super::PostgresStore;
use super::history::versions::snapshot_transaction;
use crate::tables::{change_sets, changed_items, purged_changes};

#[async_trait]
impl ChangeStore for PostgresStore {
    async fn change_sets(&self, query: &ChangeSetQuery) -> Result<Vec<ChangeSetRef>, StoreError> {
        self.pools.use_one(async { changed_items::sets(&self.client().await?, query).await }).await
    }

    async fn change_set_summaries(
        &self,
        sets: &[ChangeSetRef],
        visible: &Visibility,
        max_items: usize,
    ) -> Result<Vec<ChangeSetSummary>, StoreError> {
        let read = async {
            let mut client = self.client().await?;
            change_sets::summaries(&snapshot_transaction(&mut client).await?, sets, visible, max_items).await
        };
        self.pools.use_one(read).await
    }

    async fn change_set_user(&self, set: ChangeSetRef, visible: &Visibility) -> Result<Option<UserId>, StoreError> {
        self.pools.use_one(async { changed_items::user(&self.client().await?, set, visible).await }).await
    }

    async fn is_decided(&self, set: ChangeSetRef, spaces: &BTreeSet<SpaceId>) -> Result<bool, StoreError> {
        self.pools.use_one(async { changed_items::is_decided(&self.client().await?, set, spaces).await }).await
    }

    async fn unreviewed_change_sets(&self, spaces: &[SpaceId], most: usize) -> Result<u64, StoreError> {
        self.pools.use_one(async { changed_items::count_unreviewed(&self.client().await?, spaces, most).await }).await
    }

    async fn name_change_set(&self, named: &NamedChangeSet) -> Result<NamedChangeSet, StoreError> {
        if let Some(named) = self.named_change_set(named.set.id).await? {
            return Ok(named);
        }
        let named = *named;
        self.write(move |client| async move { change_sets::name(&client, &named).await }).await
    }

    async fn named_change_set(&self, id: ChangeSetId) -> Result<Option<NamedChangeSet>, StoreError> {
        self.pools.use_one(async { change_sets::named(&self.client().await?, id).await }).await
    }

    async fn purged_items(&self, set: ChangeSetRef, visible: &Visibility) -> Result<Vec<ItemId>, StoreError> {
        self.pools.use_one(async { purged_changes::of_set(&self.client().await?, set, visible).await }).await
    }

    async fn forget_purged_items(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            match self.write(move |client| async move { purged_changes::forget(&client, before).await }).await? {
                0 => return Ok(forgotten),
                some => forgotten += some,
            }
        }
    }

    async fn forget_change_set_names(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            match self.write(move |client| async move { change_sets::forget_names(&client, before).await }).await? {
                0 => return Ok(forgotten),
                some => forgotten += some,
            }
        }
    }
}
