//! The encoding of column values that the databases do not look into, the same for both storages.
//!
//! * [`event_subject`] decodes what an event is about.
//! * [`functions`] encodes the functions of code, [`json`] other small structures, as JSON text.
//! * [`names`] are the stable names of enumerations, [`owner`] the columns of the owner of a space.
//! * [`undo`] encodes old contents: the record of each version leads to the content before it. It uses [`splices`],
//!   [`compression`] and [`varint`], a short form of numbers. [`undo_steps`] goes back through a history by these records, and
//!   [`text_sources`] finds the older versions from which lines were brought back.
//! * [`membership`] merges the rows of a user's memberships, [`retention`] decides which records of a history are
//!   forgotten, [`whole_versions`] in which order the versions of a damaged item are tried.

mod compression;
pub(crate) mod event_subject;
pub(crate) mod functions;
pub(crate) mod json;
pub(crate) mod membership;
pub(crate) mod names;
pub(crate) mod owner;
pub(crate) mod proposals;
pub(crate) mod retention;
mod splices;
pub(crate) mod text_sources;
pub(crate) mod undo;
pub(crate) mod undo_steps;
pub(crate) mod varint;
pub(crate) mod whole_versions;

use interline_items::StoreError;
use thiserror::Error;

/// A column holds a value that this program never writes, or a content could not be compressed.
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
    /// A name is not one of its enumeration.
    #[error("stored {column} has the unknown value {value:?}")]
    Name {
        /// What the column is for.
        column: &'static str,
        /// The name.
        value: String,
    },
    /// The undo record of an old content does not fit the newer content.
    #[error("an old content cannot be rebuilt: {0}")]
    Undo(&'static str),
    /// A block or a set of the search index is malformed.
    #[error("the search index is damaged: {0}")]
    Index(&'static str),
    /// zstd reported an error.
    #[error("zstd: {0}")]
    Zstd(#[from] std::io::Error),
}

impl From<CodecError> for StoreError {
    fn from(error: CodecError) -> StoreError {
        StoreError::Failed(error.to_string())
    }
}
