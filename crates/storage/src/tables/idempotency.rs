//! The table `idempotency`: responses to requests that a client may send again under the same key.

use interline_items::{IdempotencyRecord, StoreError, UserId};
use jiff::Timestamp;

use crate::sql::{RowReader, Sql, Statement, query_first, statement, values};

/// PostgreSQL waits for another transaction that puts the same key, and then knows whether it is taken.
const PUT: Statement = statement!(
    "INSERT INTO idempotency (\"user\", key, request, answer, at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING"
);

const GET: Statement = statement!("SELECT request, answer, at FROM idempotency WHERE \"user\" = ?1 AND key = ?2");

const FORGET: Statement = statement!(
    "DELETE FROM idempotency WHERE (\"user\", key) IN (
         SELECT \"user\", key FROM idempotency WHERE at < ?1 ORDER BY at LIMIT 1000
     )"
);

/// Keeps a record, unless its key is taken. It is part of the transaction that makes the change.
pub(crate) async fn put<S: Sql>(sql: &S, record: &IdempotencyRecord) -> Result<(), S::Failure> {
    let IdempotencyRecord { user, key, request, answer, at } = record;
    match sql.execute(PUT, values![*user, key, request, answer, *at]).await? {
        0 => Err(StoreError::KeyTaken.into()),
        _ => Ok(()),
    }
}

/// The record under a user's key.
pub(crate) async fn get<S: Sql>(sql: &S, user: UserId, key: &str) -> Result<Option<IdempotencyRecord>, S::Failure> {
    let read = |row: &mut RowReader<'_>| {
        Ok(IdempotencyRecord { user, key: key.to_owned(), request: row.get()?, answer: row.get()?, at: row.get()? })
    };
    query_first(sql, GET, values![user, key], read).await
}

/// Forgets some records that are too old; how many, 0 if there are no more. Some, so that neither SQLite's writer is held up
/// by years of them nor a transaction of PostgreSQL is long.
pub(crate) async fn forget<S: Sql>(sql: &S, before: Timestamp) -> Result<u64, S::Failure> {
    sql.execute(FORGET, values![before]).await
}
