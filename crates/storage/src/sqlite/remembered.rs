//! Answers to requests that a client may send again.

use interline_items::{IdempotencyRecord, StoreError, UserId};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::failure::Failure;
use super::rows::Columns;

const PUT: &str = "
    INSERT INTO idempotency (user, key, request, answer, at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING";

const GET: &str = "SELECT request, answer, at FROM idempotency WHERE user = ?1 AND key = ?2";

/// In steps, so that the writer is not held up by years of them.
const FORGET: &str = "
    DELETE FROM idempotency WHERE (user, key) IN (
        SELECT user, key FROM idempotency WHERE at < ?1 ORDER BY at LIMIT 1000
    )";

/// Remembers an answer, unless its key is taken.
pub(super) fn put(connection: &Connection, answer: &IdempotencyRecord) -> Result<(), Failure> {
    let written = connection.prepare_cached(PUT)?.execute(params![
        answer.user.uuid().into_bytes(),
        answer.key,
        answer.request,
        answer.answer,
        answer.at.as_microsecond(),
    ])?;
    if written == 0 { Err(StoreError::KeyTaken.into()) } else { Ok(()) }
}

/// The answer under a key.
pub(super) fn get(connection: &Connection, user: UserId, key: &str) -> Result<Option<IdempotencyRecord>, Failure> {
    let mut statement = connection.prepare_cached(GET)?;
    let found = statement.query_and_then(params![user.uuid().into_bytes(), key], |row| {
        let mut columns = Columns::of(row);
        Ok(IdempotencyRecord {
            user,
            key: key.to_owned(),
            request: columns.next()?,
            answer: columns.next()?,
            at: columns.time()?,
        })
    });
    found?.next().transpose()
}

/// Forgets some answers that are too old; how many, 0 if there are no more.
pub(super) fn forget(connection: &Connection, before: Timestamp) -> Result<u64, Failure> {
    Ok(connection.prepare_cached(FORGET)?.execute([before.as_microsecond()])? as u64)
}
