//! Items as a proposing caller sees them: with the state that it has proposed.

use std::sync::Arc;

use crate::memory_budget::take_for_work;
use crate::usecases::{Caller, Interline};
use crate::{
    Error, Item, ItemId, ItemProposal, ItemState, Kind, OwnProposals, Proposal, ProposedContent, Proposer, SpaceId,
    UniqueField,
};

impl Interline {
    /// What the caller has proposed for an item; nothing for a caller who does not propose.
    pub(in crate::usecases) async fn own_proposals(&self, caller: &Caller, id: ItemId) -> Result<OwnProposals, Error> {
        let Some(proposer) = caller.sees_proposals_of() else { return Ok(OwnProposals::default()) };
        let own = self.proposals_of(caller, proposer, id).await?;
        if let (Some(trace), Some(_)) = (caller.proposal_trace(), &own.pending) {
            trace.note_pending();
        }
        Ok(own)
    }

    /// The proposals of a proposer for an item. They come with their text: that is a long read, which the caller of this has no
    /// permit of, and it counts as the request's memory.
    pub(super) async fn proposals_of(
        &self,
        caller: &Caller,
        proposer: Proposer,
        id: ItemId,
    ) -> Result<OwnProposals, Error> {
        let _permit = self.read_permit(caller).await?;
        let own = self.store.own_proposals(proposer, id).await?;
        take_for_work(own.pending.as_ref().map_or(0, |pending| pending.content.bytes()))?;
        Ok(own)
    }

    /// An item in the caller's spaces and kinds, as the caller sees it.
    pub(in crate::usecases) async fn shown_item(&self, caller: &Caller, id: ItemId) -> Result<Option<Item>, Error> {
        let stored = self.store.visible_item(id, caller.visible()).await?;
        let own = self.own_proposals(caller, id).await?;
        let base = self.base_content(caller, stored.as_ref(), &own).await?;
        let Some(mut item) = shown(stored, &own) else { return Ok(None) };
        if let Some(content) = base {
            self.check_content(caller, item.kind, &item.fields, content).await?.apply_to(&mut item);
        }
        Ok(Some(item))
    }

    /// The content of the version that a pending proposal was made for, where the proposal leaves the content and the item has
    /// another version by now: what its token sees, and edits, is what it has proposed. `None` where the stored content is that,
    /// and where history does not have the version any more.
    pub(in crate::usecases) async fn base_content(
        &self,
        caller: &Caller,
        stored: Option<&Item>,
        own: &OwnProposals,
    ) -> Result<Option<Option<Arc<str>>>, Error> {
        let (Some(stored), Some(Proposal { summary, content: ProposedContent::Keep, .. })) = (stored, &own.pending)
        else {
            return Ok(None);
        };
        let Some(base) = summary.base.filter(|base| base.version != stored.stamp.version) else { return Ok(None) };
        match self.version(caller, stored, base.version).await {
            Ok(version) => Ok(Some(version.content)),
            Err(Error::VersionNotFound { .. } | Error::CorruptContent { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The state of an item as the caller sees it.
    pub(in crate::usecases) async fn shown_state(
        &self,
        caller: &Caller,
        id: ItemId,
    ) -> Result<Option<ItemState>, Error> {
        let stored = self.store.state(id).await?;
        let Some(Proposal { summary, item, .. }) = self.own_proposals(caller, id).await?.pending else {
            return Ok(stored);
        };
        if summary.base.is_some() && stored.is_none() {
            return Ok(None);
        }
        Ok(Some(ItemState {
            kind: item.kind,
            space: item.space,
            stamp: item.stamp,
            last_used_at: stored.and_then(|stored| stored.last_used_at),
            proposal: Some(summary.reference()),
        }))
    }

    /// The item of a kind that is not deleted and has this name, path or address in one of the spaces, as the caller sees them.
    pub(in crate::usecases) async fn find_unique(
        &self,
        caller: &Caller,
        spaces: &[SpaceId],
        kind: Kind,
        field: &UniqueField,
    ) -> Result<Option<ItemId>, Error> {
        let Some(proposer) = caller.sees_proposals_of() else { return self.find_stored(spaces, kind, field).await };
        if let Some(id) = self.store.proposed_item(proposer, spaces, kind, field.value()).await? {
            return Ok(Some(id));
        }
        let Some(id) = self.find_stored(spaces, kind, field).await? else { return Ok(None) };
        // The caller has proposed to give it another name, or to delete it.
        let is_elsewhere = self.proposals_of(caller, proposer, id).await?.pending.is_some();
        Ok(Some(id).filter(|_| !is_elsewhere))
    }

    /// The stored item of a kind that is not deleted and has this name, path or address in one of the spaces.
    pub(super) async fn find_stored(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        field: &UniqueField,
    ) -> Result<Option<ItemId>, Error> {
        match field {
            UniqueField::Name(name) => Ok(self.store.find_by_name(spaces, kind, name).await?),
            UniqueField::Path(path) => Ok(self.store.find_by_path(spaces, kind, path).await?),
            UniqueField::Url(url) => {
                for space in spaces {
                    if let Some(id) = self.store.find_by_url(*space, url).await? {
                        return Ok(Some(id));
                    }
                }
                Ok(None)
            }
        }
    }
}

/// An item as it is shown to who has these proposals for it; `None` if it is neither stored nor proposed.
pub(in crate::usecases) fn shown(stored: Option<Item>, own: &OwnProposals) -> Option<Item> {
    let rejected = own.rejected.clone();
    let Some(Proposal { summary, item, content, .. }) = &own.pending else {
        let proposal = rejected.map(|rejected| ItemProposal { pending: None, rejected: Some(rejected) });
        return stored.map(|stored| Item { proposal: proposal.map(Box::new), ..stored });
    };
    let proposal = Some(Box::new(ItemProposal { pending: Some(summary.reference()), rejected }));
    match (stored, summary.base) {
        (None, Some(_)) => None,
        (None, None) => Some(Item { proposal, ..item.clone() }),
        (Some(stored), _) => {
            let (content, functions) = match content {
                ProposedContent::Keep => (stored.content, stored.functions),
                ProposedContent::Set(_) => (item.content.clone(), item.functions.clone()),
            };
            let last_used_at = stored.last_used_at;
            Some(Item { proposal, content, functions, last_used_at, ..item.clone() })
        }
    }
}
