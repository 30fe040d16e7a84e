//! Rejecting and withdrawing proposals, and deciding about several at once.

use crate::usecases::commit::{MAX_ROUNDS, lost_every_round};
use crate::usecases::{Caller, Interline, now};
use crate::{
    Action, Batch, ChangeSetRef, Error, NamedId, Proposal, ProposalDecision, ProposalError, ProposalId, ProposalNews,
    ProposalRef, ProposalState, ProposalSummary, ProposalWrite, Reason, Record, Scope,
};

use super::accept::{AcceptProposal, AcceptedPart};
use super::propose::announcement;

/// How many proposals are decided by one request.
const PROPOSALS_AT_ONCE: usize = 100;

/// What is decided about several proposals.
#[derive(Clone, Debug)]
pub enum ProposalChoice {
    /// They are applied.
    Accept,
    /// They are refused, for this reason.
    Reject(Option<Reason>),
}

/// What became of one of several proposals.
#[derive(Debug)]
pub struct DecidedProposal {
    /// Which one.
    pub id: ProposalId,
    /// The proposal afterwards, or why it was not decided.
    pub result: Result<ProposalSummary, Error>,
}

impl Interline {
    /// Refuses a proposal; if a revision is given, only that one.
    pub async fn reject_proposal(
        &self,
        caller: &Caller,
        id: ProposalId,
        revision: Option<u64>,
        reason: Option<Reason>,
    ) -> Result<ProposalSummary, Error> {
        require_reviewer(caller)?;
        for _ in 0..MAX_ROUNDS {
            let proposal = self.decidable(caller, id, revision).await?;
            let news = Some(ProposalNews::Rejected);
            if self.close(caller, &proposal, ProposalState::Rejected, reason.clone(), news).await?.is_some() {
                return Ok(self.visible_proposal(caller, id).await?.summary);
            }
        }
        Err(lost_every_round())
    }

    /// Takes a proposal back: who made it may, and who may decide about it.
    pub async fn withdraw_proposal(&self, caller: &Caller, id: ProposalId) -> Result<ProposalSummary, Error> {
        caller.require_change()?;
        for _ in 0..MAX_ROUNDS {
            let proposal = self.visible_proposal(caller, id).await?;
            require_pending(&proposal, None)?;
            if self.close(caller, &proposal, ProposalState::Withdrawn, None, None).await?.is_some() {
                return Ok(self.visible_proposal(caller, id).await?.summary);
            }
        }
        Err(lost_every_round())
    }

    /// Decides about several proposals, each by itself: one that cannot be decided keeps none of the others.
    pub async fn decide_proposals(
        &self,
        caller: &Caller,
        proposals: &[ProposalRef],
        choice: &ProposalChoice,
    ) -> Result<Vec<DecidedProposal>, Error> {
        require_reviewer(caller)?;
        if proposals.is_empty() || proposals.len() > PROPOSALS_AT_ONCE {
            return Err(Error::field("ids", format!("must have from 1 to {PROPOSALS_AT_ONCE} proposals")));
        }
        let mut decided = Vec::new();
        for ProposalRef { id, revision } in proposals.iter().copied() {
            let result = match choice {
                ProposalChoice::Accept => {
                    let request = AcceptProposal { revision, part: AcceptedPart::Whole };
                    self.accept_proposal(caller, id, request).await.map(|accepted| accepted.proposal)
                }
                ProposalChoice::Reject(reason) => {
                    self.reject_proposal(caller, id, Some(revision), reason.clone()).await
                }
            };
            decided.push(DecidedProposal { id, result });
        }
        Ok(decided)
    }

    /// A pending proposal that the caller may decide about, at the given revision if one is given.
    pub(super) async fn decidable(
        &self,
        caller: &Caller,
        id: ProposalId,
        revision: Option<u64>,
    ) -> Result<Proposal, Error> {
        let proposal = self.visible_proposal(caller, id).await?;
        caller.require_write_in(proposal.summary.space)?;
        require_pending(&proposal, revision)?;
        Ok(proposal)
    }

    /// Commits what was decided about a proposal without applying it; `None` if it changed meanwhile.
    pub(super) async fn close(
        &self,
        caller: &Caller,
        proposal: &Proposal,
        state: ProposalState,
        reason: Option<Reason>,
        news: Option<ProposalNews>,
    ) -> Result<Option<()>, Error> {
        let summary = &proposal.summary;
        let record = decision_record(caller);
        let by = Some(NamedId { id: caller.user(), name: Some(caller.user_name().to_owned()) });
        let decision = ProposalDecision { by, at: record.at, reason };
        let write = ProposalWrite::Decide { proposal: summary.reference(), item: summary.item, state, decision };
        let announce = |news| announcement(summary, news, record);
        let announcements = news.map(announce).into_iter().collect();
        self.commit_decision(Batch { proposals: vec![write], announcements, ..Batch::default() }).await
    }

    /// Commits what was decided about a proposal; `None` if it changed meanwhile.
    pub(super) async fn commit_decision(&self, batch: Batch) -> Result<Option<()>, Error> {
        crate::usecases::commit::unless_stale(self.store.commit(batch).await)
    }
}

/// Refused unless the caller is a person whose token decides.
pub(super) fn require_reviewer(caller: &Caller) -> Result<(), Error> {
    caller.require_person()?;
    caller.require(Scope::Review)?;
    caller.require_change()
}

/// The record of a decision of the caller, for its event.
pub(super) fn decision_record(caller: &Caller) -> Record {
    caller.record_in(Action::Update, Vec::new(), now(), ChangeSetRef::generate())
}

fn require_pending(proposal: &Proposal, revision: Option<u64>) -> Result<(), Error> {
    let ProposalSummary { state, revision: current, .. } = proposal.summary;
    match state {
        ProposalState::Pending if revision.is_none_or(|revision| revision == current) => Ok(()),
        ProposalState::Pending => Err(Error::Proposal(ProposalError::OtherRevision { current })),
        ProposalState::Accepted | ProposalState::Rejected | ProposalState::Stale | ProposalState::Withdrawn => {
            Err(Error::Proposal(ProposalError::Decided(state)))
        }
    }
}
