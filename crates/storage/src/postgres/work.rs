//! Writes that are carried out to the end, whoever waits for them.

use std::time::Duration;

use async_trait::async_trait;
use deadpool_postgres::{Client, Pool, Transaction};
use interline_items::{IdempotencyRecord, StoreError};
use uuid::Uuid;

use super::connect::{Pools, in_time};
use super::failure::Failure;

/// How often work that lost a race is done again before it is given up.
const TRIES: u32 = 10;
/// How long, and how soon after each other, it is asked what became of a commit whose connection was lost.
const INQUIRY_TIME: Duration = Duration::from_secs(5);
const INQUIRY_PAUSE: Duration = Duration::from_millis(200);

/// Something to do in one transaction.
#[async_trait]
pub(super) trait RetryableTransaction: Send + Sync {
    /// What it tells whoever waits for it.
    type Outcome: Send;

    /// Does it. It may be done again from the start, in another transaction.
    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<(Self::Outcome, CommitProof), Failure>;
}

/// A row that is there if and only if the transaction was committed.
#[derive(Clone, Debug)]
pub(super) enum CommitProof {
    /// An event; the row of its space is locked until the transaction's end.
    Event { space: Uuid, number: i64, item: Uuid, at: i64 },
    /// A user.
    User(Uuid),
    /// An organization.
    Organization(Uuid),
    /// An app as it was then.
    App { id: Uuid, updated_at: i64 },
    /// A published version of an app.
    Published { app: Uuid, version: i64, at: i64 },
    /// An answer that is remembered.
    Answer { user: Uuid, key: String, at: i64 },
    /// The tombstone of a user.
    Tombstone(Uuid),
    /// Nothing was written, so that it makes no difference.
    Nothing,
}

impl From<&IdempotencyRecord> for CommitProof {
    fn from(record: &IdempotencyRecord) -> CommitProof {
        let (user, at) = (record.user.uuid(), record.at.as_microsecond());
        CommitProof::Answer { user, key: record.key.clone(), at }
    }
}

/// Carries out work in a transaction, again where it lost a race.
pub(super) async fn carry_out<W: RetryableTransaction>(pools: &Pools, work: &W) -> Result<W::Outcome, StoreError> {
    let mut tries = 1;
    loop {
        match attempt(pools, work).await {
            Err(failure) if failure.lost_a_race() && tries < TRIES => tries += 1,
            outcome => return Ok(outcome?),
        }
    }
}

/// Runs a write in a task of its own: a caller that goes away changes nothing about it.
pub(super) async fn to_the_end<T: Send + 'static>(
    write: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::spawn(write).await.unwrap_or_else(|gone| Err(StoreError::Failed(gone.to_string())))
}

/// What takes milliseconds to compute, off the threads that serve everybody.
pub(super) async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|gone| StoreError::Failed(gone.to_string()).into())
}

async fn attempt<W: RetryableTransaction>(pools: &Pools, work: &W) -> Result<W::Outcome, Failure> {
    let mut client = pools.work.get().await?;
    let done = transact(&mut client, work).await;
    // Before anything is waited for: whoever needs a connection need not wait for it too.
    match &done {
        Err(Undone { failure, .. }) if failure.spoils_the_connection() => {
            drop(Client::take(client));
            pools.work.retain(|_, _| false);
        }
        _ => drop(client),
    }
    match done {
        Ok(outcome) => Ok(outcome),
        Err(Undone { failure, perhaps: None }) => Err(failure),
        Err(Undone { failure, perhaps: Some((outcome, proof)) }) => match fate(&pools.inquiries, &proof).await {
            Some(Fate::Committed) => Ok(outcome),
            Some(Fate::NotCommitted) => Err(failure),
            None => Err(StoreError::Unknown(StoreError::from(failure).to_string()).into()),
        },
    }
}

/// A transaction that did not come to its end.
struct Undone<T> {
    failure: Failure,
    /// Its outcome, if it may have been committed after all, and what would show it.
    perhaps: Option<(T, CommitProof)>,
}

impl<T> From<Failure> for Undone<T> {
    fn from(failure: Failure) -> Undone<T> {
        Undone { failure, perhaps: None }
    }
}

async fn transact<W: RetryableTransaction>(client: &mut Client, work: &W) -> Result<W::Outcome, Undone<W::Outcome>> {
    let working = async {
        let transaction = client.transaction().await?;
        let (outcome, proof) = work.carry_out(&transaction).await?;
        Ok((transaction, outcome, proof))
    };
    let (transaction, outcome, proof) = in_time(working).await?;
    match in_time(async { Ok(transaction.commit().await?) }).await {
        Ok(()) => Ok(outcome),
        Err(failure) if failure.lost_the_connection() => Err(Undone { failure, perhaps: Some((outcome, proof)) }),
        Err(failure) => Err(failure.into()),
    }
}

/// What became of a transaction.
enum Fate {
    Committed,
    NotCommitted,
}

/// What became of a commit whose answer was lost; `None` where that cannot be known in time.
async fn fate(inquiries: &Pool, proof: &CommitProof) -> Option<Fate> {
    let asking = async {
        loop {
            tokio::time::sleep(INQUIRY_PAUSE).await;
            if let Ok(client) = inquiries.get().await
                && let Ok(Some(fate)) = inquire(&client, proof).await
            {
                return fate;
            }
        }
    };
    tokio::time::timeout(INQUIRY_TIME, asking).await.ok()
}

const AWAIT_SPACE: &str = "SELECT id FROM spaces WHERE id = $1 FOR SHARE";
const EVENT_EXISTS: &str =
    "SELECT EXISTS (SELECT FROM events WHERE space = $1 AND number = $2 AND item = $3 AND at = $4)";
const USER_EXISTS: &str = "SELECT EXISTS (SELECT FROM users WHERE id = $1)";
const ORGANIZATION_EXISTS: &str = "SELECT EXISTS (SELECT FROM organizations WHERE id = $1)";
const APP_EXISTS: &str = "SELECT EXISTS (SELECT FROM apps WHERE id = $1 AND updated_at = $2)";
const PUBLISHED_EXISTS: &str =
    "SELECT EXISTS (SELECT FROM app_versions WHERE app = $1 AND version = $2 AND published_at = $3)";
const ANSWER_EXISTS: &str = "SELECT EXISTS (SELECT FROM idempotency WHERE \"user\" = $1 AND key = $2 AND at = $3)";
const TOMBSTONE_EXISTS: &str = "SELECT EXISTS (SELECT FROM users WHERE id = $1 AND deleted_at IS NOT NULL)";

/// `None` while the server may still be at the commit.
async fn inquire(client: &Client, proof: &CommitProof) -> Result<Option<Fate>, Failure> {
    let (row, not_found) = match proof {
        CommitProof::Event { space, number, item, at } => {
            // The server may still be at the commit: it holds this row until it is done.
            client.query_opt(AWAIT_SPACE, &[space]).await?;
            (client.query_one(EVENT_EXISTS, &[space, number, item, at]).await?, Some(Fate::NotCommitted))
        }
        CommitProof::User(id) => (client.query_one(USER_EXISTS, &[id]).await?, None),
        CommitProof::Organization(id) => (client.query_one(ORGANIZATION_EXISTS, &[id]).await?, None),
        CommitProof::App { id, updated_at } => (client.query_one(APP_EXISTS, &[id, updated_at]).await?, None),
        CommitProof::Published { app, version, at } => {
            (client.query_one(PUBLISHED_EXISTS, &[app, version, at]).await?, None)
        }
        CommitProof::Answer { user, key, at } => (client.query_one(ANSWER_EXISTS, &[user, key, at]).await?, None),
        CommitProof::Tombstone(id) => (client.query_one(TOMBSTONE_EXISTS, &[id]).await?, None),
        CommitProof::Nothing => return Ok(Some(Fate::Committed)),
    };
    Ok(if row.try_get(0)? { Some(Fate::Committed) } else { not_found })
}
