//! What a request has to do with proposals, for its answer: whether it was shown a proposed state, and what it proposed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::usecases::Caller;
use crate::{ItemProposal, Writes};

/// What the request of a proposing caller has to do with proposals; shared by the clones of a caller.
#[derive(Clone, Debug, Default)]
pub(in crate::usecases) struct ProposalTrace(Arc<Mutex<Trace>>);

#[derive(Debug, Default)]
struct Trace {
    has_shown_pending: bool,
    proposed: Option<ItemProposal>,
}

impl ProposalTrace {
    /// The trace of a caller whose writes are kept as proposals; `None` of another.
    pub(in crate::usecases) fn for_writes(writes: Writes) -> Option<ProposalTrace> {
        match writes {
            Writes::Apply => None,
            Writes::Propose => Some(ProposalTrace::default()),
        }
    }

    /// The caller was shown an item as it has proposed it.
    pub(super) fn note_pending(&self) {
        self.lock().has_shown_pending = true;
    }

    /// A write of the caller was kept as this proposal.
    pub(in crate::usecases) fn note_proposed(&self, proposal: ItemProposal) {
        self.lock().proposed = Some(proposal);
    }

    fn lock(&self) -> MutexGuard<'_, Trace> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Caller {
    /// The proposal that the last write of this caller, or of a clone, was kept as.
    pub fn proposed(&self) -> Option<ItemProposal> {
        self.proposal_trace()?.lock().proposed.clone()
    }

    /// Whether this caller, or a clone, was shown an item as it has proposed it.
    pub fn was_shown_pending(&self) -> bool {
        self.proposal_trace().is_some_and(|trace| trace.lock().has_shown_pending)
    }
}
