//! Errors of PostgreSQL, and what they mean for the caller and for a retry.

use std::error::Error;
use std::io;

use deadpool_postgres::{HookError, PoolError};
use interline_items::{Corruption, StoreError};
use tokio_postgres::error::SqlState;

use crate::codec::CodecError;
use crate::integrity::{Damage, corruption_in};

/// Why an operation on the database failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of the store, for the caller.
    Answer(StoreError),
    /// An error of the database, or of the connection to it.
    Database(tokio_postgres::Error),
    /// No connection was available.
    NoConnection(String),
    /// The server did not answer in time.
    NoAnswer,
}

impl Damage for Failure {
    fn into_corruption(self) -> Result<Corruption, Failure> {
        match self {
            Failure::Answer(answer) => corruption_in(answer).map_err(Failure::Answer),
            Failure::Database(error) if is_damage(&error) => {
                Ok(Corruption { item: None, version: None, detail: error_chain(&error) })
            }
            failure => Err(failure),
        }
    }
}

/// Whether the database says that a page, an index or a text is not what was written, or a value is of another type.
fn is_damage(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => [
            SqlState::DATA_CORRUPTED,
            SqlState::INDEX_CORRUPTED,
            SqlState::INTERNAL_ERROR,
            SqlState::CHARACTER_NOT_IN_REPERTOIRE,
        ]
        .contains(code),
        None => !is_unavailable(error),
    }
}

impl From<StoreError> for Failure {
    fn from(answer: StoreError) -> Failure {
        Failure::Answer(answer)
    }
}

impl From<CodecError> for Failure {
    fn from(error: CodecError) -> Failure {
        Failure::Answer(error.into())
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Failure {
        Failure::Database(error)
    }
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Failure {
        match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                Failure::Database(error)
            }
            other => Failure::NoConnection(other.to_string()),
        }
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> StoreError {
        match failure {
            Failure::Answer(answer) => answer,
            Failure::NoConnection(why) => StoreError::Unavailable(why),
            Failure::NoAnswer => StoreError::Unavailable("the server did not answer in time".to_owned()),
            Failure::Database(error) if is_unavailable(&error) => StoreError::Unavailable(error_chain(&error)),
            Failure::Database(error) if error.code().is_some() && is_damage(&error) => {
                StoreError::Corrupt(Corruption { item: None, version: None, detail: error_chain(&error) })
            }
            Failure::Database(error) => StoreError::Failed(error_chain(&error)),
        }
    }
}

impl Failure {
    /// Whether the same transaction can succeed at the next try, because it only lost a race.
    pub(super) fn lost_a_race(&self) -> bool {
        let Failure::Database(error) = self else { return false };
        error.code().is_some_and(|code| {
            *code == SqlState::T_R_SERIALIZATION_FAILURE
                || *code == SqlState::T_R_DEADLOCK_DETECTED
                || *code == SqlState::UNIQUE_VIOLATION
                // What a new row refers to was removed meanwhile.
                || *code == SqlState::FOREIGN_KEY_VIOLATION
        })
    }

    /// Whether the server stopped a statement that took too long.
    pub(super) fn took_too_long(&self) -> bool {
        matches!(self, Failure::Database(error) if error.code() == Some(&SqlState::QUERY_CANCELED))
    }

    /// Whether the connection was lost, so that a commit may have succeeded or not.
    pub(super) fn lost_the_connection(&self) -> bool {
        match self {
            Failure::Database(error) => is_unavailable(error) && error.code().is_none_or(is_shutdown),
            Failure::NoAnswer => true,
            Failure::Answer(_) | Failure::NoConnection(_) => false,
        }
    }

    /// Whether the connection must not be used again: its server is silent, or no longer takes writes.
    pub(super) fn spoils_the_connection(&self) -> bool {
        match self {
            Failure::Database(error) => error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION),
            Failure::NoAnswer => true,
            Failure::Answer(_) | Failure::NoConnection(_) => false,
        }
    }
}

/// Whether the error is temporary: the same operation may succeed later.
fn is_unavailable(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => is_shutdown(code) || lacks_a_resource(code),
        None => error.is_closed() || error.source().is_some_and(<dyn Error>::is::<io::Error>),
    }
}

/// Whether the server, or this connection, shuts down.
fn is_shutdown(code: &SqlState) -> bool {
    let connection_exceptions = "08";
    code.code().starts_with(connection_exceptions)
        || [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        ]
        .contains(code)
}

/// Whether the server lacks disk, memory, connections, time, or the right to write (a standby after a failover).
fn lacks_a_resource(code: &SqlState) -> bool {
    let insufficient_resources = "53";
    code.code().starts_with(insufficient_resources)
        || [
            SqlState::IO_ERROR,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::QUERY_CANCELED,
            SqlState::READ_ONLY_SQL_TRANSACTION,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
        ]
        .contains(code)
}

/// An error with the chain of its causes: PostgreSQL's own message is among them.
pub(super) fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text.push_str(": ");
        text.push_str(&next.to_string());
        cause = next.source();
    }
    text
}
