//! Searches through many files of code.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use interline_search::Search;

use crate::fair::Checkpoint;
use crate::fields::{CodePath, sort_key};
use crate::{CodeKind, SpaceId};

/// A search through files of code.
#[derive(Clone, Debug)]
pub struct FileSearch {
    /// The search; files that do not match it may be left out.
    pub search: Arc<Search>,
    /// The spaces to look in.
    pub spaces: BTreeSet<SpaceId>,
    /// The kind.
    pub kind: CodeKind,
    /// The paths.
    pub paths: Paths,
    /// The checkpoint at which the storage asks whether it may go on.
    pub checkpoint: Checkpoint,
}

/// Paths of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Paths {
    /// This one.
    Is(CodePath),
    /// The paths that begin with this; all begin with the empty text.
    BeginWith(String),
}

impl Paths {
    /// Whether a path is one of them.
    pub fn contain(&self, path: &str) -> bool {
        match self {
            Paths::Is(only) => path == only.as_str(),
            Paths::BeginWith(start) => path.starts_with(start.as_str()),
        }
    }
}

/// A file that may match the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileText<'a> {
    /// Where it lives.
    pub space: SpaceId,
    /// Its path.
    pub path: &'a str,
    /// Its content.
    pub text: &'a str,
}

/// Receives one file after the other from the storage, until it breaks off.
pub type FileReader = Box<dyn FnMut(FileText<'_>) -> ControlFlow<()> + Send>;

/// The sort key of files.
pub fn file_order(path: &str, space: SpaceId) -> impl Ord + use<> {
    (sort_key(path), path.to_owned(), space)
}
