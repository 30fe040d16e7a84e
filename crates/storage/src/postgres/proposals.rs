//! Proposals in PostgreSQL: the statements are in `tables`.

use async_trait::async_trait;
use interline_items::{
    ItemId, Kind, OwnProposals, Proposal, ProposalId, ProposalQuery, ProposalStore, ProposalSummary, Proposer, SpaceId,
    StoreError,
};
use jiff::Timestamp;

use super::PostgresStore;
use super::history::versions::snapshot_transaction;
use crate::tables::proposals;

#[async_trait]
impl ProposalStore for PostgresStore {
    async fn own_proposals(&self, proposer: Proposer, item: ItemId) -> Result<OwnProposals, StoreError> {
        let read = async {
            let mut client = self.client().await?;
            proposals::own(&snapshot_transaction(&mut client).await?, proposer, item).await
        };
        self.pools.use_one(read).await
    }

    async fn proposed_item(
        &self,
        proposer: Proposer,
        spaces: &[SpaceId],
        kind: Kind,
        unique_value: &str,
    ) -> Result<Option<ItemId>, StoreError> {
        let find =
            async { proposals::proposed_item(&self.client().await?, proposer, spaces, kind, unique_value).await };
        self.pools.use_one(find).await
    }

    async fn proposal(&self, id: ProposalId) -> Result<Option<Proposal>, StoreError> {
        self.pools.use_one(async { proposals::get(&self.client().await?, id).await }).await
    }

    async fn proposals(&self, query: &ProposalQuery) -> Result<Vec<ProposalSummary>, StoreError> {
        self.pools.use_one(async { proposals::list(&self.client().await?, query).await }).await
    }

    async fn old_proposals(&self, before: Timestamp, limit: usize) -> Result<Vec<ProposalSummary>, StoreError> {
        self.pools.use_one(async { proposals::old(&self.client().await?, before, limit).await }).await
    }

    async fn forget_proposals(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            match self.write(move |client| async move { proposals::forget(&client, before).await }).await? {
                0 => return Ok(forgotten),
                some => forgotten += some,
            }
        }
    }
}
