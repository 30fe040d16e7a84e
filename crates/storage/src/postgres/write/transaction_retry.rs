//! Transactions that are retried when they lose a race, and whose commit is looked up when the connection is lost
//! meanwhile. A write runs in a task of its own, to its end, even if the caller goes away.

use std::time::Duration;

use async_trait::async_trait;
use deadpool_postgres::{Client, Pool, Transaction};
use interline_items::{IdempotencyRecord, StoreError, spawn_in_request};
use uuid::Uuid;

use crate::postgres::connection::{Pools, with_timeout};
use crate::postgres::failure::Failure;
use crate::postgres::health;

/// How often a transaction that lost a race is tried in all.
const MAX_ATTEMPTS: u32 = 10;
/// For how long, and at which interval, the database is asked whether a commit succeeded whose connection was lost.
const STATUS_TIMEOUT: Duration = Duration::from_secs(5);
const STATUS_INTERVAL: Duration = Duration::from_millis(200);

/// Work for one transaction, which may be tried several times.
#[async_trait]
pub(crate) trait RetryableTransaction: Send + Sync {
    /// What the caller gets.
    type Outcome: Send;

    /// Does the work. It may be done again from the start, in another transaction.
    async fn run(&self, transaction: &Transaction<'_>) -> Result<(Self::Outcome, CommitProof), Failure>;
}

/// A row that exists if and only if the transaction was committed.
#[derive(Clone, Debug)]
pub(crate) enum CommitProof {
    /// An event; the row of its space is locked until the end of the transaction.
    Event { space: Uuid, number: i64, item: Uuid, at: i64 },
    /// A user.
    User(Uuid),
    /// An organization.
    Organization(Uuid),
    /// An app with this time of its last update.
    App { id: Uuid, updated_at: i64 },
    /// A published version of an app.
    Published { app: Uuid, version: i64, at: i64 },
    /// An idempotency record.
    IdempotencyRecord { user: Uuid, key: String, at: i64 },
    /// The tombstone of a user.
    Tombstone(Uuid),
    /// That there is no such app any more.
    NoApp(Uuid),
    /// Nothing was written that a caller could miss: it makes no difference whether the commit succeeded.
    Nothing,
}

impl From<&IdempotencyRecord> for CommitProof {
    fn from(record: &IdempotencyRecord) -> CommitProof {
        let (user, at) = (record.user.uuid(), record.at.as_microsecond());
        CommitProof::IdempotencyRecord { user, key: record.key.clone(), at }
    }
}

/// Runs work in a transaction, and again where it lost a race.
pub(crate) async fn run_with_retry<W: RetryableTransaction>(pools: &Pools, work: &W) -> Result<W::Outcome, StoreError> {
    let mut attempts = 1;
    loop {
        match attempt(pools, work).await {
            Err(failure) if failure.lost_a_race() && attempts < MAX_ATTEMPTS => attempts += 1,
            outcome => return pools.integrity.count_damage(outcome.map_err(StoreError::from)),
        }
    }
}

/// Runs a write in a task of its own: it goes on when the caller goes away. It begins when the user whose request it is has a
/// permit. Whether a write that panicked was committed is unknown.
pub(crate) async fn run_detached<T: Send + 'static>(
    pools: &Pools,
    write: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    let pools = pools.clone();
    let running = spawn_in_request(async move {
        let _permit = pools.write_permit().await?;
        write.await
    });
    running.await.unwrap_or_else(|gone| Err(StoreError::Unknown(gone.to_string())))
}

/// Runs what takes milliseconds off the threads of the async runtime, which serve other requests too.
pub(crate) async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|gone| StoreError::Failed(gone.to_string()).into())
}

async fn attempt<W: RetryableTransaction>(pools: &Pools, work: &W) -> Result<W::Outcome, Failure> {
    let mut client = pools.work.get().await?;
    let result = transact(&mut client, work).await;
    // Before anything else is waited for, so that other requests can use the connection meanwhile.
    match &result {
        Err(FailedTransaction { failure, .. }) if failure.spoils_the_connection() => {
            drop(Client::take(client));
            pools.work.retain(|_, _| false);
        }
        _ => drop(client),
    }
    match result {
        Ok(outcome) => {
            pools.write_state.committed();
            Ok(outcome)
        }
        Err(FailedTransaction { failure, maybe_committed: None }) => {
            if let Failure::Database(error) = &failure
                && let Some(outage) = health::outage_of_writes(error)
            {
                pools.write_state.failed(outage);
            }
            Err(failure)
        }
        Err(FailedTransaction { failure, maybe_committed: Some((outcome, proof)) }) => {
            match commit_status(&pools.commit_status, &proof).await {
                Some(CommitStatus::Committed) => Ok(outcome),
                Some(CommitStatus::NotCommitted) => Err(failure),
                None => Err(StoreError::Unknown(StoreError::from(failure).to_string()).into()),
            }
        }
    }
}

/// A transaction that failed, or whose commit was not acknowledged.
struct FailedTransaction<T> {
    failure: Failure,
    /// Its outcome, if it may have been committed after all, and the row that would prove it.
    maybe_committed: Option<(T, CommitProof)>,
}

impl<T> From<Failure> for FailedTransaction<T> {
    fn from(failure: Failure) -> FailedTransaction<T> {
        FailedTransaction { failure, maybe_committed: None }
    }
}

async fn transact<W: RetryableTransaction>(
    client: &mut Client,
    work: &W,
) -> Result<W::Outcome, FailedTransaction<W::Outcome>> {
    let running = async {
        let transaction = client.transaction().await?;
        let (outcome, proof) = work.run(&transaction).await?;
        Ok((transaction, outcome, proof))
    };
    let (transaction, outcome, proof) = with_timeout(running).await?;
    match with_timeout(async { Ok(transaction.commit().await?) }).await {
        Ok(()) => Ok(outcome),
        Err(failure) if failure.lost_the_connection() => {
            Err(FailedTransaction { failure, maybe_committed: Some((outcome, proof)) })
        }
        Err(failure) => Err(failure.into()),
    }
}

/// Whether a transaction was committed.
enum CommitStatus {
    Committed,
    NotCommitted,
}

/// Whether a commit whose answer was lost has succeeded; `None` where that cannot be found out in time.
async fn commit_status(commit_status: &Pool, proof: &CommitProof) -> Option<CommitStatus> {
    let asking = async {
        loop {
            tokio::time::sleep(STATUS_INTERVAL).await;
            if let Ok(client) = commit_status.get().await
                && let Ok(Some(status)) = query_commit_status(&client, proof).await
            {
                return status;
            }
        }
    };
    tokio::time::timeout(STATUS_TIMEOUT, asking).await.ok()
}

const AWAIT_SPACE: &str = "SELECT id FROM spaces WHERE id = $1 FOR SHARE";
const EVENT_EXISTS: &str =
    "SELECT EXISTS (SELECT FROM events WHERE space = $1 AND number = $2 AND item = $3 AND at = $4)";
const USER_EXISTS: &str = "SELECT EXISTS (SELECT FROM users WHERE id = $1)";
const ORGANIZATION_EXISTS: &str = "SELECT EXISTS (SELECT FROM organizations WHERE id = $1)";
const APP_EXISTS: &str = "SELECT EXISTS (SELECT FROM apps WHERE id = $1 AND updated_at = $2)";
const APP_IS_GONE: &str = "SELECT NOT EXISTS (SELECT FROM apps WHERE id = $1)";
const PUBLISHED_EXISTS: &str =
    "SELECT EXISTS (SELECT FROM app_versions WHERE app = $1 AND version = $2 AND published_at = $3)";
const IDEMPOTENCY_RECORD_EXISTS: &str =
    "SELECT EXISTS (SELECT FROM idempotency WHERE \"user\" = $1 AND key = $2 AND at = $3)";
const TOMBSTONE_EXISTS: &str = "SELECT EXISTS (SELECT FROM users WHERE id = $1 AND deleted_at IS NOT NULL)";

/// Looks for the proof of a commit. `None` while the server may still be committing.
async fn query_commit_status(client: &Client, proof: &CommitProof) -> Result<Option<CommitStatus>, Failure> {
    let (row, not_found) = match proof {
        CommitProof::Event { space, number, item, at } => {
            // The server may still be committing: it holds the lock of this row until it is done.
            client.query_opt(AWAIT_SPACE, &[space]).await?;
            (client.query_one(EVENT_EXISTS, &[space, number, item, at]).await?, Some(CommitStatus::NotCommitted))
        }
        CommitProof::User(id) => (client.query_one(USER_EXISTS, &[id]).await?, None),
        CommitProof::Organization(id) => (client.query_one(ORGANIZATION_EXISTS, &[id]).await?, None),
        CommitProof::App { id, updated_at } => (client.query_one(APP_EXISTS, &[id, updated_at]).await?, None),
        CommitProof::Published { app, version, at } => {
            (client.query_one(PUBLISHED_EXISTS, &[app, version, at]).await?, None)
        }
        CommitProof::IdempotencyRecord { user, key, at } => {
            (client.query_one(IDEMPOTENCY_RECORD_EXISTS, &[user, key, at]).await?, None)
        }
        CommitProof::Tombstone(id) => (client.query_one(TOMBSTONE_EXISTS, &[id]).await?, None),
        CommitProof::NoApp(id) => (client.query_one(APP_IS_GONE, &[id]).await?, None),
        CommitProof::Nothing => return Ok(Some(CommitStatus::Committed)),
    };
    Ok(if row.try_get(0)? { Some(CommitStatus::Committed) } else { not_found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres::connection::{self, PostgresConnections};

    #[tokio::test]
    async fn the_outcome_of_a_write_that_panics_is_unknown() {
        // No connection is made.
        let pools = connection::pools("postgres://127.0.0.1/none", PostgresConnections::default()).unwrap();
        let panicked = run_detached::<()>(&pools, async { panic!("after the commit") }).await;
        assert!(matches!(panicked, Err(StoreError::Unknown(_))), "{panicked:?}");
    }
}
