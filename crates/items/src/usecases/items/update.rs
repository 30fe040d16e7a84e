//! Changing the fields, the whole content, the archive and the trash state of items.

use crate::usecases::commit::{MAX_ROUNDS, lost_every_round, new_version};
use crate::usecases::{Caller, ExpectedVersion, Interline, ItemRef, WriteOutcome};
use crate::{Action, Error, HashCheck, Item, ItemWrite, Scope, Snapshot, View};

use super::drafts::{FieldChange, ItemChanges, StateChanges, TrashState, parse_changes};
use super::lifecycle::action_write;
use super::repair::Before;

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
        for _ in 0..MAX_ROUNDS {
            let before = match (&changes.content, changes.trash_state) {
                (_, Some(TrashState::Restored)) => Before::Whole(self.restorable(caller, item_ref, expected).await?),
                (FieldChange::Set(_), _) => self.replaceable(caller, item_ref, expected).await?,
                (FieldChange::Keep | FieldChange::Clear, _) => {
                    Before::Whole(self.writable(caller, item_ref, expected).await?)
                }
            };
            let after = self.apply_changes(caller, &before, changes.clone()).await?;
            if let Some(saved) = self.save(caller, Action::Update, before, after, changes.states()).await? {
                return Ok(saved);
            }
        }
        Err(lost_every_round())
    }

    /// Commits the step from one state of an item to another, at a new version recorded as `action`, then archives, deletes or
    /// restores it; writes nothing if none of that changes anything. `None` if the item changed meanwhile.
    pub(in crate::usecases) async fn save(
        &self,
        caller: &Caller,
        action: Action,
        before: Before,
        after: Snapshot,
        states: StateChanges,
    ) -> Result<Option<Snapshot>, Error> {
        let content = before.content_write(&after.content);
        // The new version first: a restored item can get another name in the same step, where its own is taken.
        let change = new_version(caller, action, before.item(), &after.item, content);
        let mut writes: Vec<ItemWrite> = change.into_iter().collect();
        for action in states.actions() {
            let latest = writes.last().map_or(before.item(), |write| &write.after);
            writes.extend(action_write(caller, latest, action));
        }
        let Some(last) = writes.last() else {
            self.commit_no_change(caller, &WriteOutcome::Changed(before.item())).await?;
            return Ok(Some(before.into_snapshot()));
        };
        let saved = Snapshot { item: last.after.clone(), content: after.content };
        let at = last.record.at;
        let batch = caller.batch(writes, &WriteOutcome::Changed(&saved.item), at);
        Ok(self.commit(caller, batch).await?.map(|()| saved))
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
