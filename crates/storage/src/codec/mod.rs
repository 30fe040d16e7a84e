//! What both storages write into a column that a database does not look into.
//!
//! * [`functions`] keeps what is known of code, [`json`] other small structures, as JSON text.
//! * [`membership`] says what a user is a member of.
//! * [`names`] keeps enumerations as stable words, [`owner`] whose a space is.
//! * [`numbers`] keeps numbers short.
//! * [`retention`] says which records of a history are forgotten.
//! * [`undo`] keeps old contents: each version says how the content before it is made from its own.

mod compression;
pub(crate) mod functions;
pub(crate) mod json;
pub(crate) mod membership;
pub(crate) mod names;
pub(crate) mod owner;
pub(crate) mod retention;
mod splices;
pub(crate) mod undo;
pub(crate) mod varint;

use interline_items::StoreError;
use thiserror::Error;

/// A column holds what this program never writes, or a content could not be packed.
#[derive(Debug, Error)]
pub(crate) enum CodecError {
    /// A small structure is not the JSON text that it should be.
    #[error("stored {column} cannot be read: {reason}")]
    Json {
        /// What the column is for.
        column: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A word is not one of an enumeration.
    #[error("stored {column} has the unknown value {value:?}")]
    Name {
        /// What the column is for.
        column: &'static str,
        /// The word.
        value: String,
    },
    /// The record of an old content does not fit the newer one.
    #[error("an old content cannot be rebuilt: {0}")]
    Undo(&'static str),
    /// The search index is not as it was written.
    #[error("the search index is damaged: {0}")]
    Index(&'static str),
    /// zstd refused.
    #[error("zstd: {0}")]
    Zstd(#[from] std::io::Error),
}

impl From<CodecError> for StoreError {
    fn from(error: CodecError) -> StoreError {
        StoreError::Failed(error.to_string())
    }
}
