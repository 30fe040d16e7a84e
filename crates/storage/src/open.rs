//! Why a store does not open.

use thiserror::Error;

/// Why a store does not open.
#[derive(Debug, Error)]
pub enum OpenError {
    /// A newer version of this program has changed the database. It holds what this one does not understand.
    #[error("the database was written by a newer version of Interline (it has {0}); update this program")]
    Newer(String),
    /// The SQLite that this program was linked with can lose committed writes.
    #[error("this program was built with SQLite {linked}, which can lose writes; it needs {needed} or newer")]
    OldSqlite {
        /// Its version.
        linked: String,
        /// The oldest version that is good.
        needed: &'static str,
    },
    /// It cannot be reached, read or written. The text says why.
    #[error("the database cannot be opened: {0}")]
    Failed(String),
}
