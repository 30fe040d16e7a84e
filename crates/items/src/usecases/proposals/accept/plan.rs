//! The writes that apply a proposal, in the name of who made it, and what is left of it.

use std::sync::Arc;

use crate::usecases::Caller;
use crate::usecases::commit::{changed_fields, line_counts, new_version};
use crate::usecases::items::action_write;
use crate::usecases::now;
use crate::{
    AcceptedProposal, AcceptedText, Action, Batch, ContentWrite, Item, ItemWrite, NamedId, Proposal, ProposalDecision,
    ProposalNews, ProposalState, ProposalSummary, ProposalWrite, ProposedContent, ProposedStates, Snapshot,
};

use super::super::decide::decision_record;
use super::super::propose::announcement;
use super::AcceptedPart;
use super::merge::Merged;

/// What accepting a proposal does.
pub(super) struct PlannedAcceptance {
    /// The writes, one after the other; none if the item is so already.
    writes: Vec<ItemWrite>,
    /// The item afterwards.
    pub(super) item: Item,
    /// What is left of the proposal.
    rest: Option<Proposal>,
}

/// The writes that lead to the merged state, and the proposal that is left.
pub(super) fn planned(
    caller: &Caller,
    proposal: &Proposal,
    present: Option<Snapshot>,
    merged: Merged,
    rest: Option<Merged>,
) -> PlannedAcceptance {
    let Merged { item: after, content, states } = merged;
    let mut writes: Vec<ItemWrite> = Vec::new();
    let before = match present {
        Some(Snapshot { item: before, content: old }) => {
            let write = ContentWrite::between(&old, &content);
            writes.extend(new_version(caller, Action::Update, &before, &after, write));
            before
        }
        None => {
            let write = created(caller, after, &content);
            let item = write.after.clone();
            writes.push(write);
            item
        }
    };
    // After the version: an item that comes back may have another name, where its own is taken.
    let restore = states.trash.filter(|action| *action == Action::Restore);
    let delete = states.trash.filter(|action| *action == Action::Delete);
    for action in [restore, states.archive, delete].into_iter().flatten() {
        let latest = writes.last().map_or(&before, |write| &write.after);
        writes.extend(action_write(caller, latest, action));
    }
    let item = writes.last().map_or(before, |write| write.after.clone());
    let rest = rest.and_then(|rest| left_pending(proposal, &item, &content, rest));
    PlannedAcceptance { writes, item, rest }
}

/// The write that makes a proposed item.
fn created(caller: &Caller, item: Item, content: &Option<Arc<str>>) -> ItemWrite {
    let at = now();
    let after =
        Item { created_at: at, updated_at: at, archived_at: None, deleted_at: None, last_used_at: None, ..item };
    let content = ContentWrite::Set { old: None, new: content.clone() };
    let mut record = caller.record(Action::Create, changed_fields(None, &after), at, &after);
    record.lines = line_counts(&content);
    ItemWrite { before: None, after, content, record }
}

/// What is left of a proposal after some of its hunks were applied: the way from the item as it is then to all that was proposed.
fn left_pending(proposal: &Proposal, item: &Item, content: &Option<Arc<str>>, all: Merged) -> Option<Proposal> {
    let states = proposal.states;
    if all.content == *content && all.item.fields == item.fields && states == ProposedStates::default() {
        return None;
    }
    let Proposal { summary, requests, .. } = proposal.clone();
    let Item { archived_at, deleted_at, .. } = proposal.item;
    let left = Item { stamp: item.stamp, created_at: item.created_at, archived_at, deleted_at, ..all.item };
    let proposed = if all.content == *content { ProposedContent::Keep } else { ProposedContent::Set(all.content) };
    let summary = ProposalSummary { base: Some(item.stamp), revision: summary.revision + 1, ..summary };
    Some(Proposal { summary, item: left, content: proposed, states, requests })
}

/// The batch that applies a proposal, in the name of who made it.
pub(super) fn acceptance_batch(
    caller: &Caller,
    proposal: &Proposal,
    part: &AcceptedPart,
    planned: PlannedAcceptance,
) -> Batch {
    let PlannedAcceptance { mut writes, rest, .. } = planned;
    let summary = &proposal.summary;
    let by = NamedId { id: caller.user(), name: Some(caller.user_name().to_owned()) };
    let text = match part {
        AcceptedPart::Whole | AcceptedPart::Hunks(_) => AcceptedText::Proposed,
        AcceptedPart::Text(_) => AcceptedText::Reviewer,
    };
    for write in &mut writes {
        let record = &mut write.record;
        record.user = summary.user.id;
        record.token = summary.token.as_ref().map(|token| token.id);
        record.source = summary.source;
        record.attribution.client = summary.client.clone();
        record.attribution.reason = summary.reason.clone();
        record.attribution.author = summary.author;
        record.accepted = Some(AcceptedProposal { proposal: summary.id, by: by.clone(), text });
    }
    let record = decision_record(caller);
    let write = match rest {
        Some(rest) => ProposalWrite::Replace(Box::new(rest)),
        None => ProposalWrite::Decide {
            proposal: summary.reference(),
            item: summary.item,
            state: ProposalState::Accepted,
            decision: ProposalDecision { by: Some(by), at: record.at, reason: None },
        },
    };
    let event = announcement(summary, ProposalNews::Accepted, record);
    Batch { writes, proposals: vec![write], announcements: vec![event], ..Batch::default() }
}
