//! Keeping what a proposing caller writes as a proposal.

use std::sync::Arc;

use crate::usecases::{Caller, Interline};
use crate::{
    AnnouncedSubject, Announcement, Batch, ContentWrite, Error, Item, ItemProposal, ItemWrite, NamedId, Proposal,
    ProposalEvent, ProposalNews, ProposalRef, ProposalRequest, ProposalState, ProposalSummary, ProposalWrite,
    ProposedContent, ProposedStates, Proposer, Record, Refusal, Stamp,
};

/// How many of the requests that made a proposal are kept.
const MAX_REQUESTS: usize = 100;

impl Caller {
    /// The stamp of an item after a change that gives it `next`. A proposal leaves it at the version that it was made for.
    pub(in crate::usecases) fn stamp_after(&self, before: &Item, next: Stamp) -> Stamp {
        if self.proposer().is_some() { before.stamp } else { next }
    }

    /// The proposal that a change of an item becomes a part of, if the caller's writes are kept as proposals.
    pub(in crate::usecases) fn proposal_after(&self, before: Option<&Item>) -> Option<Box<ItemProposal>> {
        self.proposer()?;
        let known = before.and_then(|item| item.proposal.as_deref()).cloned().unwrap_or_default();
        let pending = Some(known.pending.map_or_else(ProposalRef::generate, ProposalRef::next));
        Some(Box::new(ItemProposal { pending, ..known }))
    }
}

/// Writes that are kept as a proposal.
pub(in crate::usecases) struct KeptProposal {
    /// What is committed instead of them.
    pub(in crate::usecases) batch: Batch,
    /// What the answer tells of it.
    pub(in crate::usecases) shown: ItemProposal,
}

impl Interline {
    /// The batch that keeps the changes of one item as the next revision of the proposer's proposal for it; `None` if that changed
    /// meanwhile. Refused if the batch does anything else.
    pub(in crate::usecases) async fn propose(
        &self,
        caller: &Caller,
        proposer: Proposer,
        batch: Batch,
    ) -> Result<Option<KeptProposal>, Error> {
        let Batch { writes, idempotency, imports, decisions, proposals, announcements } = batch;
        let is_one_item =
            writes.first().is_some_and(|first| writes.iter().all(|write| write.after.id == first.after.id));
        let has_more =
            !imports.is_empty() || !decisions.is_empty() || !proposals.is_empty() || !announcements.is_empty();
        if !is_one_item || has_more {
            return Err(Error::Forbidden(Refusal::OnlyProposes));
        }
        let Some(last) = writes.last() else { return Ok(None) };
        let own = self.proposals_of(caller, proposer, last.after.id).await?;
        let Some(next) = last.after.pending_proposal() else {
            return Err(Error::Internal("a proposed write has no proposal".to_owned()));
        };
        let present = own.pending.as_ref().map(|pending| pending.summary.reference());
        if present.map_or(1, |present| present.revision + 1) != next.revision
            || present.is_some_and(|present| present.id != next.id)
        {
            return Ok(None);
        }
        self.refuse_taken(caller, proposer, &last.after).await?;
        let told = own.rejected.as_ref().map(|rejected| ProposalWrite::Told(rejected.id));
        let proposal = Box::new(proposed(next, own.pending, &writes, last));
        let event = announcement(&proposal.summary, ProposalNews::Made, last.record.clone());
        let write = match next.revision {
            1 => ProposalWrite::Make(proposal),
            _ => ProposalWrite::Replace(proposal),
        };
        let proposals = [write].into_iter().chain(told).collect();
        let batch = Batch { idempotency, proposals, announcements: vec![event], ..Batch::default() };
        Ok(Some(KeptProposal { batch, shown: ItemProposal { pending: Some(next), rejected: own.rejected } }))
    }

    /// Refuses a name, path or address that another item has, or that the same caller proposes for another item.
    async fn refuse_taken(&self, caller: &Caller, proposer: Proposer, item: &Item) -> Result<(), Error> {
        let Some(field) = item.unique_field().filter(|_| item.deleted_at.is_none()) else { return Ok(()) };
        let spaces = [item.space];
        let proposed = self.store.proposed_item(proposer, &spaces, item.kind, field.value()).await?;
        if let Some(other) = proposed.filter(|other| *other != item.id)
            && let Some(pending) = self.proposals_of(caller, proposer, other).await?.pending
        {
            return Err(Error::Duplicate { field, existing: Box::new(pending.item) });
        }
        let stored = self.find_stored(&spaces, item.kind, &field).await?;
        // What the proposer has proposed to rename or to delete has the name no longer, as far as the proposer sees; it is checked
        // again when it is accepted.
        if let Some(other) = stored.filter(|other| *other != item.id)
            && self.proposals_of(caller, proposer, other).await?.pending.is_none()
            && let Some(existing) = self.store.item(other).await?
        {
            return Err(Error::Duplicate { field, existing: Box::new(existing) });
        }
        Ok(())
    }
}

/// What listeners are told about a proposal.
pub(super) fn announcement(summary: &ProposalSummary, news: ProposalNews, record: Record) -> Announcement {
    let ProposalSummary { item, kind, space, .. } = *summary;
    let event = ProposalEvent { proposal: summary.reference(), item, kind, proposer: summary.proposer().key(), news };
    Announcement { space, subject: AnnouncedSubject::Proposal(event), record }
}

/// The proposal after more writes of its item, of which `last` is the last.
fn proposed(next: ProposalRef, before: Option<Proposal>, writes: &[ItemWrite], last: &ItemWrite) -> Proposal {
    let (base, created_at, earlier_reason) = match &before {
        Some(Proposal { summary, .. }) => (summary.base, summary.created_at, summary.reason.clone()),
        None => (writes.first().and_then(|first| first.before), last.record.at, None),
    };
    let (mut content, mut states, mut requests) = match before {
        Some(before) => (before.content, before.states, before.requests),
        None => (ProposedContent::Keep, ProposedStates::default(), Vec::new()),
    };
    for ItemWrite { content: write, record, .. } in writes {
        content = match write {
            ContentWrite::Keep => content,
            ContentWrite::Edit { new, .. } => ProposedContent::Set(Some(Arc::clone(new))),
            ContentWrite::Set { new, .. } | ContentWrite::Repair { new } => ProposedContent::Set(new.clone()),
        };
        states = states.then(record.action);
        requests.push(ProposalRequest {
            at: record.at,
            action: record.action,
            changed_fields: record.changed_fields.iter().map(|field| (*field).to_owned()).collect(),
            reason: record.attribution.reason.clone(),
        });
    }
    requests.drain(..requests.len().saturating_sub(MAX_REQUESTS));
    let ItemWrite { after: item, record, .. } = last;
    let summary = ProposalSummary {
        id: next.id,
        revision: next.revision,
        state: ProposalState::Pending,
        item: item.id,
        kind: item.kind,
        space: item.space,
        title: item.fields.shown_title().map(str::to_owned),
        base,
        // Storages know the names.
        user: NamedId { id: record.user, name: None },
        token: record.token.map(|id| NamedId { id, name: None }),
        author: record.attribution.author,
        source: record.source,
        client: record.attribution.client.clone(),
        reason: record.attribution.reason.clone().or(earlier_reason),
        created_at,
        updated_at: record.at,
        decision: None,
    };
    Proposal { summary, item: Item { proposal: None, ..item.clone() }, content, states, requests }
}
