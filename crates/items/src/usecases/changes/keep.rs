//! Keeping changes: a person has seen them.

use crate::usecases::{Caller, Interline, now};
use crate::{
    Action, AnnouncedSubject, Announcement, Batch, ChangeSetEvent, ChangeSetId, ChangeSetNews, ChangeSetSummary,
    ChangedItem, Decision, Error, ItemId, Record, ReviewState, Scope, SpaceId,
};

use std::collections::BTreeSet;

/// How many sets are kept by one request.
const SETS_AT_ONCE: usize = 100;

impl Interline {
    /// Keeps several change sets, each by itself. If one of them does not exist, none is kept.
    pub async fn keep_change_sets(&self, caller: &Caller, ids: &[ChangeSetId]) -> Result<Vec<ChangeSetSummary>, Error> {
        caller.require_person()?;
        caller.require(Scope::Review)?;
        caller.require(Scope::Read)?;
        if ids.is_empty() || ids.len() > SETS_AT_ONCE {
            return Err(Error::field("ids", format!("must have from 1 to {SETS_AT_ONCE} change sets")));
        }
        for id in ids {
            self.visible_change_set(caller, *id).await?;
        }
        let mut kept = Vec::new();
        for id in ids {
            kept.push(self.keep_changes(caller, *id, None).await?);
        }
        Ok(kept)
    }

    /// Keeps what a change set did to some items, or to all that the caller sees. What was taken back stays so, and to keep
    /// something twice changes nothing.
    pub async fn keep_changes(
        &self,
        caller: &Caller,
        id: ChangeSetId,
        items: Option<&[ItemId]>,
    ) -> Result<ChangeSetSummary, Error> {
        caller.require_person()?;
        caller.require(Scope::Review)?;
        caller.require(Scope::Read)?;
        let summary = self.visible_change_set(caller, id).await?;
        let chosen = chosen_items(&summary, items)?;
        let unreviewed: Vec<&ChangedItem> =
            chosen.into_iter().filter(|item| item.state == ReviewState::Unreviewed).collect();
        if unreviewed.is_empty() {
            return Ok(summary);
        }
        let decision = |item: &&ChangedItem| Decision { set: summary.set, item: item.id, state: ReviewState::Kept };
        let decisions = unreviewed.iter().map(decision).collect();
        let spaces: BTreeSet<SpaceId> = unreviewed.iter().map(|item| item.space).collect();
        let announcements = announcements(caller, &summary, spaces, ChangeSetNews::Kept);
        self.store.commit(Batch { decisions, announcements, ..Batch::default() }).await?;
        self.open_sets.close(id);
        self.visible_change_set(caller, id).await
    }
}

/// The items of a set that a request names, in the order of the set; all, if it names none. What the set did not change does not exist for it.
pub(super) fn chosen_items<'s>(
    summary: &'s ChangeSetSummary,
    items: Option<&[ItemId]>,
) -> Result<Vec<&'s ChangedItem>, Error> {
    let Some(ids) = items else { return Ok(summary.items.iter().collect()) };
    let mut ids: BTreeSet<ItemId> = ids.iter().copied().collect();
    let chosen = summary.items.iter().filter(|item| ids.remove(&item.id)).collect();
    match ids.first() {
        Some(id) => Err(Error::NotFound { kind: None, requested: id.to_string(), actual: None }),
        None => Ok(chosen),
    }
}

/// What listeners in the spaces are told about a set.
pub(super) fn announcements(
    caller: &Caller,
    summary: &ChangeSetSummary,
    spaces: BTreeSet<SpaceId>,
    news: ChangeSetNews,
) -> Vec<Announcement> {
    let record = decision_record(caller, summary);
    let subject = AnnouncedSubject::ChangeSet(ChangeSetEvent { set: summary.set.id, news });
    let one = |space| Announcement { space, subject: subject.clone(), record: record.clone() };
    spaces.into_iter().map(one).collect()
}

fn decision_record(caller: &Caller, summary: &ChangeSetSummary) -> Record {
    caller.record_in(Action::Update, Vec::new(), now(), summary.set)
}
