//! Finding proposals: the list, and one with its diff.

use std::sync::Arc;

use crate::memory_budget::take_for_work;
use crate::usecases::changes::TextPart;
use crate::usecases::commit::changed_field_names;
use crate::usecases::{Caller, DiffPart, Interline, ItemRef};
use crate::{
    Action, Author, Error, Fields, Item, Kind, Proposal, ProposalFilter, ProposalId, ProposalQuery, ProposalRequest,
    ProposalState, ProposalSummary, ProposedContent, RejectedProposal, Scope, SpaceId, Version, Writes,
};

/// How many of the last refused proposals an item's history tells of.
const TOLD_REJECTIONS: usize = 10;

/// A request for proposals, newest first.
#[derive(Clone, Debug)]
pub struct FindProposals {
    /// Which of them.
    pub filter: ProposalFilter,
    /// After which proposal in that order; `None` begins with the newest.
    pub after: Option<ProposalId>,
    /// How many at the most.
    pub limit: usize,
}

/// A page of proposals.
#[derive(Clone, Debug)]
pub struct ProposalPage {
    /// The proposals, newest first.
    pub proposals: Vec<ProposalSummary>,
    /// After which proposal to go on; `None` if there are no more.
    pub next: Option<ProposalId>,
}

/// A proposal with what it changes.
#[derive(Clone, Debug)]
pub struct ProposalDetails {
    /// The proposal.
    pub summary: ProposalSummary,
    /// Names of the fields that it changes; the content is among them.
    pub changed_fields: Vec<&'static str>,
    /// The item as it is proposed, without its content.
    pub item: Item,
    /// What it does beside changing content and fields: archive, delete, …
    pub actions: Vec<Action>,
    /// The diff of the content from the version that it was made for; `None` if it leaves the content, or if that version is not
    /// kept any more.
    pub diff: Option<DiffPart>,
    /// The requests that made it, oldest first.
    pub requests: Vec<ProposalRequest>,
}

/// The fields and the content that a proposal was made for.
pub(super) struct ProposalBase {
    pub(super) fields: Fields,
    pub(super) content: Option<Arc<str>>,
}

impl Caller {
    /// Whether the caller decides about proposals for items of a kind in a space: a person with the scope `review` who could write
    /// the same there.
    pub(in crate::usecases) fn may_decide(&self, kind: Kind, space: SpaceId) -> bool {
        self.author() == Author::Person
            && self.writes() == Writes::Apply
            && self.has(Scope::Review)
            && self.sees(kind, space)
            && self.require_write_in(space).is_ok()
    }

    /// Whether a proposal exists for the caller: who made it, and who may decide about it, see it.
    fn sees_proposal(&self, proposal: &ProposalSummary) -> bool {
        let is_own = proposal.proposer() == self.author_key() && self.sees(proposal.kind, proposal.space);
        is_own || self.may_decide(proposal.kind, proposal.space)
    }
}

impl Interline {
    /// The caller's own proposals, and those that the caller may decide about.
    pub async fn proposals(&self, caller: &Caller, find: FindProposals) -> Result<ProposalPage, Error> {
        caller.require(Scope::Read)?;
        let FindProposals { filter, after, limit } = find;
        if !(1..=100).contains(&limit) {
            return Err(Error::InvalidParameters("limit must be from 1 to 100"));
        }
        let decides = |space: &SpaceId| caller.kinds().iter().any(|kind| caller.may_decide(*kind, *space));
        let query = ProposalQuery {
            spaces: caller.spaces().into_iter().filter(decides).collect(),
            kinds: caller.kinds().clone(),
            proposer: caller.author_key(),
            filter,
            after,
            limit: limit + 1,
        };
        let _permit = self.read_permit(caller).await?;
        let mut proposals = self.store.proposals(&query).await?;
        let has_more = proposals.len() > limit;
        proposals.truncate(limit);
        let next = proposals.last().map(|last| last.id).filter(|_| has_more);
        // A token that was narrowed since does not see what it proposed elsewhere.
        proposals.retain(|proposal| caller.sees_proposal(proposal));
        Ok(ProposalPage { proposals, next })
    }

    /// A proposal with what it changes.
    pub async fn proposal(&self, caller: &Caller, id: ProposalId) -> Result<ProposalDetails, Error> {
        caller.require(Scope::Read)?;
        let proposal = self.visible_proposal(caller, id).await?;
        let base = match self.base_of(caller, &proposal).await {
            Ok(base) => Some(base),
            Err(Error::NotFound { .. } | Error::VersionNotFound { .. } | Error::CorruptContent { .. }) => None,
            Err(error) => return Err(error),
        };
        let mut changed_fields =
            base.as_ref().map_or_else(Vec::new, |base| changed_field_names(&base.fields, &proposal.item.fields));
        let diff = match (&base, &proposal.content) {
            (Some(base), ProposedContent::Set(text)) if *text != base.content => {
                changed_fields.push("content");
                let part = text_part(&proposal, base, text);
                let item = proposal.item.id;
                let compare = move |parts: &[TextPart]| parts.first().map(|part| part.diff_part(item).0);
                self.compared(caller, vec![part], compare).await?
            }
            _ => None,
        };
        let Proposal { summary, item, states, requests, .. } = proposal;
        let actions = [states.archive, states.trash].into_iter().flatten().collect();
        Ok(ProposalDetails { summary, changed_fields, item, actions, diff, requests })
    }

    /// The caller's last proposals for an item that were refused, newest first: for its history.
    pub async fn own_rejections(&self, caller: &Caller, item_ref: &ItemRef) -> Result<Vec<RejectedProposal>, Error> {
        if caller.writes() == Writes::Apply {
            return Ok(Vec::new());
        }
        let item = self.visible_item(&caller.seeing_stored(), item_ref).await?.id;
        let filter =
            ProposalFilter { state: Some(ProposalState::Rejected), item: Some(item), ..ProposalFilter::default() };
        let page = self.proposals(caller, FindProposals { filter, after: None, limit: TOLD_REJECTIONS }).await?;
        let rejected = |proposal: ProposalSummary| {
            let decision = proposal.decision?;
            Some(RejectedProposal { id: proposal.id, reason: decision.reason, at: decision.at })
        };
        Ok(page.proposals.into_iter().filter_map(rejected).collect())
    }

    /// A proposal, if it exists for the caller.
    pub(super) async fn visible_proposal(&self, caller: &Caller, id: ProposalId) -> Result<Proposal, Error> {
        let _permit = self.read_permit(caller).await?;
        let found = self.store.proposal(id).await?.filter(|found| caller.sees_proposal(&found.summary));
        take_for_work(found.as_ref().map_or(0, |found| found.content.bytes()))?;
        found.ok_or_else(|| Error::Missing {
            what: "proposal",
            requested: id.to_string(),
            hint: "list the proposals that there are: `GET /proposals`",
        })
    }

    /// What a proposal was made for; nothing, if it makes its item.
    pub(super) async fn base_of(&self, caller: &Caller, proposal: &Proposal) -> Result<ProposalBase, Error> {
        let Some(base) = proposal.summary.base else {
            return Ok(ProposalBase { fields: Fields::default(), content: None });
        };
        let item_ref = ItemRef::Id(proposal.item.id, Some(proposal.item.kind));
        let item = self.visible_item(&caller.seeing_stored(), &item_ref).await?;
        let Version { fields, content, .. } = self.version(caller, &item, base.version).await?;
        Ok(ProposalBase { fields, content })
    }
}

/// The change of the content that a proposal shows: its hunks have ids that change with the revision.
pub(super) fn text_part(proposal: &Proposal, base: &ProposalBase, text: &Option<Arc<str>>) -> TextPart {
    TextPart {
        from_version: proposal.summary.base.map_or(0, |base| base.version),
        to_version: proposal.summary.revision,
        before: base.content.clone().unwrap_or_default(),
        after: text.clone().unwrap_or_default(),
    }
}
