//! Answers to requests that a client may send again.

use deadpool_postgres::{Client, Transaction};
use interline_items::{IdempotencyRecord, StoreError, UserId};
use jiff::Timestamp;

use super::failure::Failure;
use super::rows::time;
use super::work::CommitProof;

/// Waits for another transaction that puts the same key, and then knows whether it is taken.
const PUT: &str = "
    INSERT INTO idempotency (\"user\", key, request, answer, at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";

const GET: &str = "SELECT request, answer, at FROM idempotency WHERE \"user\" = $1 AND key = $2";

/// In steps, so that no transaction is long.
const FORGET: &str = "
    DELETE FROM idempotency WHERE (\"user\", key) IN (
        SELECT \"user\", key FROM idempotency WHERE at < $1 ORDER BY at LIMIT 1000
    )";

/// Remembers an answer, unless its key is taken.
pub(super) async fn put(transaction: &Transaction<'_>, answer: &IdempotencyRecord) -> Result<CommitProof, Failure> {
    let (user, at) = (answer.user.uuid(), answer.at.as_microsecond());
    let statement = transaction.prepare_cached(PUT).await?;
    let written =
        transaction.execute(&statement, &[&user, &answer.key, &answer.request.as_slice(), &answer.answer, &at]).await?;
    if written == 0 {
        Err(StoreError::KeyTaken.into())
    } else {
        Ok(CommitProof::Answer { user, key: answer.key.clone(), at })
    }
}

/// The answer under a key.
pub(super) async fn get(client: &Client, user: UserId, key: &str) -> Result<Option<IdempotencyRecord>, Failure> {
    let statement = client.prepare_cached(GET).await?;
    let Some(row) = client.query_opt(&statement, &[&user.uuid(), &key]).await? else { return Ok(None) };
    let request: &[u8] = row.try_get("request")?;
    let request =
        request.try_into().map_err(|_| StoreError::Failed("the hash of a request has another length".to_owned()))?;
    let answer = row.try_get("answer")?;
    Ok(Some(IdempotencyRecord { user, key: key.to_owned(), request, answer, at: time(&row, "at")? }))
}

/// Forgets answers that are too old; how many.
pub(super) async fn forget(client: &Client, before: Timestamp) -> Result<u64, Failure> {
    let statement = client.prepare_cached(FORGET).await?;
    let mut forgotten = 0;
    loop {
        match client.execute(&statement, &[&before.as_microsecond()]).await? {
            0 => return Ok(forgotten),
            some => forgotten += some,
        }
    }
}
