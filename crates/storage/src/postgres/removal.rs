//! The transactions that remove users and apps.

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use interline_items::{AppId, RemoveUser, UserId, UserRemoval};
use jiff::Timestamp;

use super::accounts::ONE_AT_A_TIME;
use super::failure::Failure;
use super::write::transaction_retry::{CommitProof, RetryableTransaction};
use crate::tables::app_purge::{PurgeStep, purge_step};
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

/// Removes as much of an app that was deleted before a time as one transaction should.
pub(super) struct PurgeApp {
    pub(super) app: AppId,
    pub(super) before: Timestamp,
}

#[async_trait]
impl RetryableTransaction for PurgeApp {
    type Outcome = PurgeStep;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<(PurgeStep, CommitProof), Failure> {
        let step = purge_step(transaction, self.app, self.before).await?;
        let proof = match step {
            PurgeStep::Finished => CommitProof::NoApp(self.app.uuid()),
            // A step that was not committed is done by the next one.
            PurgeStep::Unknown | PurgeStep::Unfinished => CommitProof::Nothing,
        };
        Ok((step, proof))
    }
}
