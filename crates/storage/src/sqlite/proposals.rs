//! Proposals in SQLite: the statements are in `tables`.

use async_trait::async_trait;
use interline_items::{
    ItemId, Kind, OwnProposals, Proposal, ProposalId, ProposalQuery, ProposalStore, ProposalSummary, Proposer, SpaceId,
    StoreError,
};
use jiff::Timestamp;

use super::SqliteStore;
use super::sql::poll_once;
use crate::tables::proposals;

#[async_trait]
impl ProposalStore for SqliteStore {
    async fn own_proposals(&self, proposer: Proposer, item: ItemId) -> Result<OwnProposals, StoreError> {
        self.readers.read_long(move |connection| poll_once(proposals::own(connection, proposer, item))).await
    }

    async fn proposed_item(
        &self,
        proposer: Proposer,
        spaces: &[SpaceId],
        kind: Kind,
        unique_value: &str,
    ) -> Result<Option<ItemId>, StoreError> {
        let find =
            |connection: &_| poll_once(proposals::proposed_item(connection, proposer, spaces, kind, unique_value));
        self.readers.read(find)
    }

    async fn proposal(&self, id: ProposalId) -> Result<Option<Proposal>, StoreError> {
        self.readers.read_long(move |connection| poll_once(proposals::get(connection, id))).await
    }

    async fn proposals(&self, query: &ProposalQuery) -> Result<Vec<ProposalSummary>, StoreError> {
        let query = query.clone();
        self.readers.read_long(move |connection| poll_once(proposals::list(connection, &query))).await
    }

    async fn old_proposals(&self, before: Timestamp, limit: usize) -> Result<Vec<ProposalSummary>, StoreError> {
        self.readers.read_long(move |connection| poll_once(proposals::old(connection, before, limit))).await
    }

    async fn forget_proposals(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            match self.writer.run(move |connection| poll_once(proposals::forget(connection, before))).await? {
                0 => return Ok(forgotten),
                some => forgotten += some,
            }
        }
    }
}
