//! The `ProposalStore` trait: what the use cases need of a storage for proposals.

use async_trait::async_trait;
use jiff::Timestamp;

use super::{OwnProposals, Proposal, ProposalQuery, ProposalSummary, Proposer};
use crate::{ItemId, Kind, ProposalId, SpaceId, StoreError};

/// The part of a [`Store`](crate::Store) for proposals. They are written as a part of a [`Batch`](crate::Batch), in its
/// transaction; the promises of the methods are those of a [`Store`](crate::Store).
#[async_trait]
pub trait ProposalStore: Send + Sync {
    /// The proposals of a proposer for an item that matter for its next write.
    async fn own_proposals(&self, proposer: Proposer, item: ItemId) -> Result<OwnProposals, StoreError>;

    /// The item that a pending proposal of a proposer gives this name, path or address, in the first of the spaces that has one.
    async fn proposed_item(
        &self,
        proposer: Proposer,
        spaces: &[SpaceId],
        kind: Kind,
        unique_value: &str,
    ) -> Result<Option<ItemId>, StoreError>;

    /// A proposal, whatever its state.
    async fn proposal(&self, id: ProposalId) -> Result<Option<Proposal>, StoreError>;

    /// Proposals, newest first.
    async fn proposals(&self, query: &ProposalQuery) -> Result<Vec<ProposalSummary>, StoreError>;

    /// Pending proposals whose last revision was made before a time, the oldest first; at most `limit`.
    async fn old_proposals(&self, before: Timestamp, limit: usize) -> Result<Vec<ProposalSummary>, StoreError>;

    /// Removes the proposals that were decided before a time; how many.
    async fn forget_proposals(&self, before: Timestamp) -> Result<u64, StoreError>;
}
