//! The errors of opening a store.

use thiserror::Error;

/// Why a store cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// A newer version of this program has migrated the database, to a schema that this one does not know.
    #[error("the database was written by a newer version of Interline (it has {0}); update this program")]
    Newer(String),
    /// The SQLite that this program was linked with can lose committed writes.
    #[error("this program was built with SQLite {linked}, which can lose writes; it needs {needed} or newer")]
    OldSqlite {
        /// Its version.
        linked: String,
        /// The oldest version that is safe.
        needed: &'static str,
    },
    /// A PostgreSQL server cannot be reached, or refuses what is asked of it.
    #[error("{message}")]
    Postgres {
        /// The server with its port, and why. It never holds a password.
        message: String,
        /// What may help.
        suggestion: String,
    },
    /// The database has no store, or there is no such file, and none was to be made. The text names it.
    #[error("there is no store in {0}")]
    NoStore(String),
    /// The database cannot be read or written. The text says why.
    #[error("the database cannot be opened: {0}")]
    Failed(String),
}

impl OpenError {
    /// What may help, where that is known.
    pub fn suggestion(&self) -> Option<&str> {
        match self {
            OpenError::Postgres { suggestion, .. } => Some(suggestion),
            OpenError::Newer(_) | OpenError::OldSqlite { .. } | OpenError::NoStore(_) | OpenError::Failed(_) => None,
        }
    }
}
