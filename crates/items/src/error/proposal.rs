//! Why a proposal is not made, or not decided.

use std::fmt;

use super::FailedMerge;
use crate::{MAX_PENDING_PROPOSALS, ProposalState};

/// Why a proposal is not made, or not decided. Each is a conflict; nothing was applied.
#[derive(Debug)]
pub enum ProposalError {
    /// Its user has as many pending ones as a user may have.
    TooMany,
    /// It was decided already.
    Decided(ProposalState),
    /// The request is about another revision than the present one.
    OtherRevision {
        /// The present revision.
        current: u64,
    },
    /// A hunk that it does not have, or not any more.
    UnknownHunk(String),
    /// It does not fit what the item is now.
    Unfit {
        /// Why.
        cause: UnfitCause,
        /// What became of the proposal by it.
        state: ProposalState,
    },
}

/// Why a proposal does not fit what an item is now.
#[derive(Debug)]
pub enum UnfitCause {
    /// The item was changed since in the same places, or what comes of both is not what its kind demands.
    Merge(Box<FailedMerge>),
    /// The history does not have the version any more that it was made for.
    Forgotten,
    /// The item is in the trash, or was removed for good.
    Gone,
}

impl ProposalError {
    /// What to do next.
    pub(super) fn suggestion(&self) -> String {
        match self {
            ProposalError::TooMany => "ask a person to decide about them, or withdraw some".to_owned(),
            ProposalError::Decided(_) => "there is nothing left to decide".to_owned(),
            ProposalError::OtherRevision { current } => {
                format!("read the proposal again, and decide about revision {current}")
            }
            ProposalError::UnknownHunk(_) => "read the proposal again, and take the ids from it".to_owned(),
            ProposalError::Unfit { state: ProposalState::Pending, .. } => {
                "nothing was applied: accept other hunks, or send the text as it should be as `content`".to_owned()
            }
            ProposalError::Unfit { .. } => {
                "nothing was applied: the token can propose it again, on what the item is now".to_owned()
            }
        }
    }
}

impl fmt::Display for ProposalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProposalError::TooMany => {
                write!(f, "{MAX_PENDING_PROPOSALS} proposals of this user wait for a decision, and no more are kept")
            }
            ProposalError::Decided(state) => write!(f, "the proposal is {state} already"),
            ProposalError::OtherRevision { current } => write!(f, "the proposal is at revision {current}"),
            ProposalError::UnknownHunk(id) => write!(f, "the proposal has no hunk {id:?}"),
            ProposalError::Unfit { cause, .. } => {
                f.write_str("the proposal does not fit the item any more: ")?;
                match cause {
                    UnfitCause::Merge(merge) => merge.fmt(f),
                    UnfitCause::Forgotten => f.write_str("the version that it was made for is not kept any more"),
                    UnfitCause::Gone => f.write_str("the item was deleted"),
                }
            }
        }
    }
}
