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
    /// The database cannot be reached, read or written. The text says why.
    #[error("the database cannot be opened: {0}")]
    Failed(String),
}
