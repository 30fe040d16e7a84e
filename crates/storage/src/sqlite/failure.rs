//! Errors of SQLite, and what they mean for the caller.

use interline_items::{Corruption, Outage, StoreError};
use rusqlite::{ErrorCode, ffi};

use crate::codec::CodecError;
use crate::integrity::{Damage, corruption_in};
use crate::sqlite::database_files;

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

impl Damage for Failure {
    fn into_corruption(self) -> Result<Corruption, Failure> {
        match self {
            Failure::Answer(answer) => corruption_in(answer).map_err(Failure::Answer),
            Failure::Sqlite(error) if is_damage(&error) => {
                Ok(Corruption { item: None, version: None, detail: error.to_string() })
            }
            failure => Err(failure),
        }
    }
}

/// Whether an error of SQLite says that the file, or a value in it, is not what was written.
fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(error, _) => {
            matches!(error.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::TooBig)
        }
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::QueryReturnedNoRows => true,
        _ => false,
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

impl From<&Failure> for Outage {
    fn from(failure: &Failure) -> Outage {
        match failure {
            Failure::Sqlite(error) => outage_of(error).unwrap_or(Outage::Failed),
            Failure::Answer(_) | Failure::WholeCopyDue(_) => Outage::Failed,
        }
    }
}

/// What an error of SQLite says about reads or writes in general; `None` if it is about one of them.
pub(super) fn outage_of(error: &rusqlite::Error) -> Option<Outage> {
    let sync_failed = [ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_DIR_FSYNC];
    match error.sqlite_error_code()? {
        _ if database_files::is_moved(error) => Some(Outage::FilesMoved),
        ErrorCode::DiskFull => Some(Outage::DiskFull),
        ErrorCode::SystemIoFailure
            if error.sqlite_extended_error_code().is_some_and(|code| sync_failed.contains(&code)) =>
        {
            Some(Outage::SyncFailed)
        }
        ErrorCode::SystemIoFailure | ErrorCode::CannotOpen => Some(Outage::DiskFailed),
        ErrorCode::ReadOnly => Some(Outage::ReadOnly),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(Outage::Locked),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Some(Outage::Failed),
        _ => None,
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
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Corrupt(Corruption { item: None, version: None, detail: error.to_string() })
        }
        _ => StoreError::Failed(error.to_string()),
    }
}
