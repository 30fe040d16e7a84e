//! Why a change set is not joined, or not taken back.

use std::fmt;

use crate::ChangeSetId;
use crate::usecases::UndoConflict;

/// Why a change set is not joined, or not taken back. Each is a conflict.
#[derive(Clone, Debug)]
pub enum ChangeSetError {
    /// The change set that a request names takes no more writes, or none of this token.
    Closed(ChangeSetId),
    /// Changes that cannot be taken back without harming what came later; nothing was taken back.
    Conflicts(Vec<UndoConflict>),
    /// A hunk that a change set does not have, or not any more.
    UnknownHunk(String),
}

impl ChangeSetError {
    /// What to do next.
    pub(super) fn suggestion(&self) -> &'static str {
        match self {
            ChangeSetError::Closed(_) => "nothing was applied: name another change set, or none",
            ChangeSetError::Conflicts(_) => {
                "nothing was taken back: leave out the items in `conflicts`, or repeat the request with \
                 `skip_conflicts`: true"
            }
            ChangeSetError::UnknownHunk(_) => "read the change set again, and take the ids from it",
        }
    }
}

impl fmt::Display for ChangeSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChangeSetError::Closed(set) => {
                write!(f, "the change set {set} takes no more changes, or none of this token")
            }
            ChangeSetError::Conflicts(conflicts) => {
                let (count, s) = (conflicts.len(), if conflicts.len() == 1 { "" } else { "s" });
                write!(f, "{count} item{s} changed since in a way that taking this back would harm")
            }
            ChangeSetError::UnknownHunk(id) => write!(f, "the change set has no hunk {id:?}"),
        }
    }
}
