//! Commits that are planned on the newest state of an item, with its row locked.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use interline_items::{ItemId, PlanOnNewest, Snapshot, StoreError};

use crate::integrity::check_content;
use crate::postgres::failure::Failure;
use crate::postgres::items::lookup;
use crate::postgres::write::commit::EncodedBatch;
use crate::postgres::write::transaction_retry::{CommitProof, RetryableTransaction};

const LOCK: &str = "SELECT FROM items WHERE id = $1 FOR UPDATE";

/// A commit that is planned once the row of its item is locked.
pub(crate) struct CommitOnNewest {
    id: ItemId,
    plan: Arc<Mutex<PlanOnNewest>>,
}

impl CommitOnNewest {
    pub(crate) fn new(id: ItemId, plan: PlanOnNewest) -> CommitOnNewest {
        CommitOnNewest { id, plan: Arc::new(Mutex::new(plan)) }
    }
}

#[async_trait]
impl RetryableTransaction for CommitOnNewest {
    type Outcome = bool;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<(bool, CommitProof), Failure> {
        let lock = transaction.prepare_cached(LOCK).await?;
        transaction.query_opt(&lock, &[&self.id.uuid()]).await?;
        // A statement after the lock: it sees the commit that the lock waited for.
        let newest = lookup::snapshot(transaction, self.id).await?;
        let plan = Arc::clone(&self.plan);
        // Off the threads of the async runtime: it may take milliseconds.
        let encoded = tokio::task::spawn_blocking(move || {
            if let Some(Snapshot { item, content }) = &newest {
                check_content(item, content.as_deref())?;
            }
            let batch = plan.lock().unwrap_or_else(PoisonError::into_inner)(newest);
            batch.map(EncodedBatch::encode).transpose()
        });
        match encoded.await.map_err(|gone| StoreError::Failed(gone.to_string()))?? {
            None => Ok((false, CommitProof::Nothing)),
            Some(commit) => commit.run(transaction).await.map(|((), proof)| (true, proof)),
        }
    }
}
