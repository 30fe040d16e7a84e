//! Errors of SQLite, and what they mean for the caller.

use interline_items::StoreError;
use rusqlite::{ErrorCode, ffi};

use crate::codec::CodecError;

/// Why an operation on the database failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of the store, for the caller.
    Answer(StoreError),
    /// An error of SQLite.
    Sqlite(rusqlite::Error),
    /// The undo record of the write with this index would make its chain too long: it must hold a whole copy.
    WholeCopyDue(usize),
}

impl Failure {
    /// Whether a row was refused because another has the same value in a unique index.
    pub(super) fn is_duplicate(&self) -> bool {
        matches!(self, Failure::Sqlite(rusqlite::Error::SqliteFailure(error, _))
            if error.extended_code == ffi::SQLITE_CONSTRAINT_UNIQUE)
    }
}

impl From<StoreError> for Failure {
    fn from(answer: StoreError) -> Failure {
        Failure::Answer(answer)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure::Sqlite(error)
    }
}

impl From<CodecError> for Failure {
    fn from(error: CodecError) -> Failure {
        Failure::Answer(error.into())
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> StoreError {
        match failure {
            Failure::Answer(answer) => answer,
            Failure::Sqlite(error) => answer_for(&error),
            Failure::WholeCopyDue(_) => StoreError::Failed("a whole copy was due and not made".to_owned()),
        }
    }
}

/// The error of the store that a caller gets for an error of SQLite.
pub(super) fn answer_for(error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::CannotOpen
            | ErrorCode::OutOfMemory
            | ErrorCode::ReadOnly,
        ) => StoreError::Unavailable(error.to_string()),
        // By the checkpoint of a long read.
        Some(ErrorCode::OperationInterrupted) => StoreError::OutOfTime,
        _ => StoreError::Failed(error.to_string()),
    }
}
