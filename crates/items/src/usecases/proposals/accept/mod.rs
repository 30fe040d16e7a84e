//! Accepting proposals: what they change is carried onto what the item is now, by a merge and never by a search.

mod merge;
mod plan;

use crate::fields::Content;
use crate::usecases::commit::{MAX_ROUNDS, lost_every_round};
use crate::usecases::{Caller, Interline, ItemRef};
use crate::{
    Action, Error, HashCheck, Item, Proposal, ProposalError, ProposalId, ProposalNews, ProposalState, ProposalSummary,
    ProposedContent, ProposedStates, Snapshot, UnfitCause, View,
};

use super::decide::require_reviewer;
use merge::ChosenChange;
use plan::{PlannedAcceptance, acceptance_batch, planned};

/// A request to apply a proposal.
#[derive(Clone, Debug)]
pub struct AcceptProposal {
    /// The revision that the reviewer has seen.
    pub revision: u64,
    /// What of it is applied.
    pub part: AcceptedPart,
}

/// What of a proposal is applied.
#[derive(Clone, Debug)]
pub enum AcceptedPart {
    /// All of it.
    Whole,
    /// These hunks of its text; the rest stays pending.
    Hunks(Vec<String>),
    /// Its fields, with the reviewer's own text as the content.
    Text(String),
}

/// A proposal that was applied.
#[derive(Clone, Debug)]
pub struct ProposalAcceptance {
    /// The proposal afterwards: accepted, or pending with what is left of it.
    pub proposal: ProposalSummary,
    /// The item afterwards.
    pub item: Item,
}

impl Interline {
    /// Applies a proposal, or some hunks of it, as a new version by who made it. What others changed since stays: where both
    /// changed the same, nothing is applied, and a proposal that was to be applied whole is stale from then on.
    pub async fn accept_proposal(
        &self,
        caller: &Caller,
        id: ProposalId,
        request: AcceptProposal,
    ) -> Result<ProposalAcceptance, Error> {
        require_reviewer(caller)?;
        if let AcceptedPart::Text(text) = &request.part {
            Content::parse(text.as_str(), &self.limits)?;
        }
        let caller = &caller.with_own_change_set();
        for _ in 0..MAX_ROUNDS {
            let proposal = self.decidable(caller, id, Some(request.revision)).await?;
            let planned = match self.plan_acceptance(caller, &proposal, &request.part).await? {
                Ok(planned) => planned,
                Err(cause) => match self.unfit(caller, &proposal, cause, &request.part).await? {
                    Some(error) => return Err(error),
                    None => continue,
                },
            };
            let item = planned.item.clone();
            if let Some(()) = self.commit(caller, acceptance_batch(caller, &proposal, &request.part, planned)).await? {
                return Ok(ProposalAcceptance { proposal: self.visible_proposal(caller, id).await?.summary, item });
            }
        }
        Err(lost_every_round())
    }

    /// The error of a proposal that does not fit, which is stale from now on if all of it was to be applied; `None` if it changed
    /// meanwhile.
    async fn unfit(
        &self,
        caller: &Caller,
        proposal: &Proposal,
        cause: UnfitCause,
        part: &AcceptedPart,
    ) -> Result<Option<Error>, Error> {
        let state = match part {
            AcceptedPart::Whole => ProposalState::Stale,
            AcceptedPart::Hunks(_) | AcceptedPart::Text(_) => ProposalState::Pending,
        };
        if state == ProposalState::Stale
            && self.close(caller, proposal, state, None, Some(ProposalNews::Stale)).await?.is_none()
        {
            return Ok(None);
        }
        Ok(Some(Error::Proposal(ProposalError::Unfit { cause, state })))
    }

    async fn plan_acceptance(
        &self,
        caller: &Caller,
        proposal: &Proposal,
        part: &AcceptedPart,
    ) -> Result<Result<PlannedAcceptance, UnfitCause>, Error> {
        let present = match self.present_state(caller, proposal).await? {
            Ok(present) => present,
            Err(cause) => return Ok(Err(cause)),
        };
        let base = match self.base_of(caller, proposal).await {
            Ok(base) => base,
            Err(Error::VersionNotFound { .. } | Error::CorruptContent { .. }) => return Ok(Err(UnfitCause::Forgotten)),
            Err(error) => return Err(error),
        };
        let proposed = match &proposal.content {
            ProposedContent::Keep => base.content.clone(),
            ProposedContent::Set(text) => text.clone(),
        };
        let whole = ChosenChange { fields: &proposal.item.fields, content: proposed.clone(), states: proposal.states };
        let wanted = match part {
            AcceptedPart::Whole => whole.clone(),
            AcceptedPart::Text(text) => ChosenChange { content: Some(text.as_str().into()), ..whole.clone() },
            AcceptedPart::Hunks(ids) => ChosenChange {
                fields: if proposal.summary.base.is_some() { &base.fields } else { &proposal.item.fields },
                content: Some(self.with_hunks(caller, proposal, &base, &proposed, ids).await?),
                states: ProposedStates::default(),
            },
        };
        let merged = match self.merged(caller, proposal, &base, present.as_ref(), wanted).await? {
            Ok(merged) => merged,
            Err(cause) => return Ok(Err(cause)),
        };
        let rest = match part {
            AcceptedPart::Whole | AcceptedPart::Text(_) => None,
            AcceptedPart::Hunks(_) => match self.merged(caller, proposal, &base, present.as_ref(), whole).await? {
                Ok(all) => Some(all),
                Err(cause) => return Ok(Err(cause)),
            },
        };
        Ok(Ok(planned(caller, proposal, present, merged, rest)))
    }

    /// The item as it is now; `None` if the proposal makes it.
    async fn present_state(
        &self,
        caller: &Caller,
        proposal: &Proposal,
    ) -> Result<Result<Option<Snapshot>, UnfitCause>, Error> {
        if proposal.summary.base.is_none() {
            return Ok(Ok(None));
        }
        let item_ref = ItemRef::Id(proposal.item.id, Some(proposal.item.kind));
        match self.visible_snapshot(caller, &item_ref, HashCheck::Always).await {
            Ok(present) => {
                let comes_back = proposal.states.trash == Some(Action::Restore);
                let is_gone = View::from_item(&present.item) == View::Deleted && !comes_back;
                Ok(if is_gone { Err(UnfitCause::Gone) } else { Ok(Some(present)) })
            }
            Err(Error::NotFound { .. }) => Ok(Err(UnfitCause::Gone)),
            Err(error) => Err(error),
        }
    }
}
