//! Changing the fields, the whole content, the archive and the trash state of items.

use crate::usecases::commit::{MAX_ROUNDS, lost_every_round, new_version};
use crate::usecases::{Caller, ExpectedVersion, Interline, ItemRef, WriteOutcome};
use crate::{Action, ContentWrite, Error, HashCheck, Item, ItemWrite, MergedFrom, Scope, Snapshot, View};

use super::drafts::{FieldChange, ItemChanges, StateChanges, TrashState, parse_changes};
use super::lifecycle::action_write;
use super::merge::{MergeBase, OnStale};
use super::repair::Before;

/// An item after a change of its fields, content or state.
#[derive(Clone, Debug)]
pub struct Updated {
    /// The item and its content.
    pub after: Snapshot,
    /// The versions that were merged, where the change was merged and made a version.
    pub merged_from: Option<MergedFrom>,
}

/// The step from one state of an item to another.
pub(in crate::usecases) struct Step {
    pub(super) before: Before,
    pub(super) after: Snapshot,
    /// The change of the content.
    pub(super) content: ContentWrite,
    pub(super) states: StateChanges,
    /// The version for which the change was made, where it is merged.
    pub(super) merged_base: Option<u64>,
}

impl Step {
    /// The step of a change that was made for the state before it.
    pub(super) fn between(before: Before, after: Snapshot, states: StateChanges) -> Step {
        let content = before.content_write(&after.content);
        Step { before, after, content, states, merged_base: None }
    }
}

impl Interline {
    /// [`Interline::update`] for a caller who needs no content. To archive, delete or restore alone does not read it: that
    /// works on an item whose content is damaged too.
    pub async fn update_metadata(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        expected: ExpectedVersion,
        changes: ItemChanges,
    ) -> Result<Item, Error> {
        match changes.only_action() {
            Some(action) => self.change_state(caller, item_ref, expected, action).await,
            None => Ok(self.update(caller, item_ref, expected, changes).await?.item),
        }
    }

    /// Changes fields, whole content, archive and trash state in one transaction; what is not given stays. A change that
    /// changes nothing writes nothing. An item in the trash does not exist for it, unless it restores the item.
    pub async fn update(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        expected: ExpectedVersion,
        changes: ItemChanges,
    ) -> Result<Snapshot, Error> {
        Ok(self.update_or_merge(caller, item_ref, expected, None, changes).await?.after)
    }

    /// [`Interline::update`] for changes with a whole content that may be merged: where the item is not at the expected version
    /// any more, `on_stale` says what becomes of them. To give it without a content or an expected version is an error.
    ///
    /// A clean merge is committed; one that adds nothing to what is stored writes nothing. Where both sides changed the same
    /// lines or the same field, where what comes of it is not what the kind demands, and where history does not have the
    /// expected version any more, it is a conflict.
    pub async fn update_or_merge(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        expected: ExpectedVersion,
        on_stale: Option<OnStale>,
        changes: ItemChanges,
    ) -> Result<Updated, Error> {
        let mut base = MergeBase::from_request(expected, on_stale, &changes)?;
        let demanded = if base.is_some() { ExpectedVersion::Existing } else { expected };
        for _ in 0..MAX_ROUNDS {
            let before = match (&changes.content, changes.trash_state) {
                (_, Some(TrashState::Restored)) => Before::Whole(self.restorable(caller, item_ref, demanded).await?),
                (FieldChange::Set(_), _) => self.replaceable(caller, item_ref, demanded).await?,
                (FieldChange::Keep | FieldChange::Clear, _) => {
                    Before::Whole(self.writable(caller, item_ref, demanded).await?)
                }
            };
            let step = match &mut base {
                Some(base) if base.is_behind(before.item()) => {
                    self.plan_merge(caller, base, before, changes.clone()).await?
                }
                Some(_) | None => {
                    let after = self.apply_changes(caller, &before, changes.clone()).await?;
                    Step::between(before, after, changes.states())
                }
            };
            if let Some(saved) = self.save(caller, Action::Update, step).await? {
                return Ok(saved);
            }
        }
        Err(lost_every_round())
    }

    /// Commits a step, at a new version recorded as `action`, then archives, deletes or restores the item; writes nothing if
    /// none of that changes anything. `None` if the item changed meanwhile.
    pub(in crate::usecases) async fn save(
        &self,
        caller: &Caller,
        action: Action,
        step: Step,
    ) -> Result<Option<Updated>, Error> {
        let Step { before, after, content, states, merged_base } = step;
        // The new version first: a restored item can get another name in the same step, where its own is taken.
        let mut change = new_version(caller, action, before.item(), &after.item, content);
        let merged_from = change.as_mut().and_then(|write| {
            write.record.merged_base = merged_base;
            Some(MergedFrom { base: merged_base?, theirs: before.item().stamp.version })
        });
        let mut writes: Vec<ItemWrite> = change.into_iter().collect();
        for action in states.actions() {
            let latest = writes.last().map_or(before.item(), |write| &write.after);
            writes.extend(action_write(caller, latest, action));
        }
        // All of them together are one revision of a proposal.
        let proposal = writes.first().and_then(|write| write.after.proposal.clone());
        for write in &mut writes {
            write.after.proposal.clone_from(&proposal);
        }
        let Some(last) = writes.last() else {
            self.commit_no_change(caller, &WriteOutcome::Changed(before.item())).await?;
            return Ok(Some(Updated { after: before.into_snapshot(), merged_from: None }));
        };
        let saved = Snapshot { item: last.after.clone(), content: after.content };
        let at = last.record.at;
        let outcome = match merged_from {
            Some(merged_from) => WriteOutcome::Merged(&saved.item, merged_from),
            None => WriteOutcome::Changed(&saved.item),
        };
        let batch = caller.batch(writes, &outcome, at);
        Ok(self.commit(caller, batch).await?.map(|()| Updated { after: saved, merged_from }))
    }

    /// The item to change: it exists for the caller, the caller may write it, it is not deleted, and it is at the expected
    /// version. An error otherwise.
    pub(in crate::usecases) async fn writable(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        expected: ExpectedVersion,
    ) -> Result<Snapshot, Error> {
        // Before the item is looked up: a caller who may not read must not learn which items exist.
        caller.require(Scope::Read)?;
        let snapshot = self.visible_snapshot(caller, item_ref, HashCheck::Always).await?;
        let snapshot = Interline::require_writable(caller, item_ref, Some(snapshot))?;
        self.check_expected(caller, expected, &snapshot.item).await?;
        Ok(snapshot)
    }

    /// The item to restore and change: the conditions are those of [`Interline::writable`], but it may be deleted.
    async fn restorable(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        expected: ExpectedVersion,
    ) -> Result<Snapshot, Error> {
        caller.require(Scope::Read)?;
        let snapshot = self.visible_snapshot(caller, item_ref, HashCheck::Always).await?;
        caller.require_write(&snapshot.item)?;
        self.check_expected(caller, expected, &snapshot.item).await?;
        Ok(snapshot)
    }

    /// The item to change: it exists for the caller, the caller may write it, and it is not deleted. An error otherwise.
    pub(in crate::usecases) fn require_writable(
        caller: &Caller,
        item_ref: &ItemRef,
        snapshot: Option<Snapshot>,
    ) -> Result<Snapshot, Error> {
        let snapshot = snapshot.filter(|snapshot| {
            item_ref.exists_for(caller, &snapshot.item) && View::from_item(&snapshot.item) != View::Deleted
        });
        let snapshot = snapshot.ok_or_else(|| item_ref.not_found())?;
        caller.require_write(&snapshot.item)?;
        Ok(snapshot)
    }

    /// The item after changes, checked as a whole.
    async fn apply_changes(&self, caller: &Caller, before: &Before, changes: ItemChanges) -> Result<Snapshot, Error> {
        let (mut item, old) = (before.item().clone(), before.content());
        let (fields, content) = parse_changes(item.kind, &item.fields, changes, &self.limits)?;
        let content = match content {
            FieldChange::Keep => old.cloned(),
            FieldChange::Clear => None,
            FieldChange::Set(content) => Some(content),
        };
        // An unchanged content fits unchanged arguments: both were checked when they were stored.
        if content.as_ref() != old || fields.arguments != item.fields.arguments {
            self.check_content(caller, item.kind, &fields, content.clone()).await?.apply_to(&mut item);
        }
        if fields.path != item.fields.path {
            self.refuse_second_spelling(item.space, item.kind, Some(item.id), fields.path.as_ref()).await?;
        }
        item.fields = fields;
        Ok(Snapshot { item, content })
    }
}
