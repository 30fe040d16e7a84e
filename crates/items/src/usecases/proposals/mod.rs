//! Proposals: writes that wait until a person accepts them.
//!
//! * `propose` keeps what a proposing caller writes, and `overlay` shows such a caller the items as it has proposed them. Every
//!   use case in between is the same for all callers; `trace` tells the answer of a request what has happened.
//! * `find` lists proposals and reads one with its diff.
//! * `accept` and `decide` are what people decide; `expire` is what time decides.

mod accept;
mod decide;
mod expire;
mod find;
mod overlay;
mod propose;
mod trace;

pub use accept::{AcceptProposal, AcceptedPart, ProposalAcceptance};
pub use decide::{DecidedProposal, ProposalChoice};
pub use find::{FindProposals, ProposalDetails, ProposalPage};
pub(super) use overlay::shown;
pub(super) use propose::KeptProposal;
pub(super) use trace::ProposalTrace;
