//! The transaction that removes a user.

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use interline_items::{RemoveUser, UserId, UserRemoval};
use jiff::Timestamp;

use super::accounts::ONE_AT_A_TIME;
use super::failure::Failure;
use super::write::transaction_retry::{CommitProof, RetryableTransaction};
use crate::tables::removal::remove_user;

/// Removes a user with its own space.
pub(super) struct Removal {
    pub(super) user: UserId,
    pub(super) items: RemoveUser,
    pub(super) at: Timestamp,
}

#[async_trait]
impl RetryableTransaction for Removal {
    type Outcome = UserRemoval;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<(UserRemoval, CommitProof), Failure> {
        transaction.batch_execute(ONE_AT_A_TIME).await?;
        let removal = remove_user(transaction, self.user, self.items, self.at).await?;
        let proof = match removal {
            UserRemoval::Removed(_) => CommitProof::Tombstone(self.user.uuid()),
            UserRemoval::Unknown | UserRemoval::LastAdmin | UserRemoval::HasItems(_) => CommitProof::Nothing,
        };
        Ok((removal, proof))
    }
}
