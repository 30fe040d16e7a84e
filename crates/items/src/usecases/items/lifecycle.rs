//! Archiving, deleting, restoring and purging items, and tracking their use. None of these makes a version; all can
//! expect one.

use jiff::Timestamp;

use crate::{Action, ContentWrite, Error, Item, ItemWrite, Scope, Stamp, View};

use crate::usecases::commit::{MAX_ROUNDS, lost_every_round, unless_stale};
use crate::usecases::{Caller, ExpectedVersion, Interline, ItemRef, WriteOutcome, now, time_after};

impl Interline {
    /// Archives an item; an archived one stays as it is.
    pub async fn archive(&self, caller: &Caller, item_ref: &ItemRef, expected: ExpectedVersion) -> Result<Item, Error> {
        self.change_state(caller, item_ref, expected, Action::Archive).await
    }

    /// Takes an item from the archive; an active one stays as it is.
    pub async fn unarchive(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        expected: ExpectedVersion,
    ) -> Result<Item, Error> {
        self.change_state(caller, item_ref, expected, Action::Unarchive).await
    }

    /// Puts an item into the trash.
    pub async fn delete(&self, caller: &Caller, item_ref: &ItemRef, expected: ExpectedVersion) -> Result<Item, Error> {
        self.change_state(caller, item_ref, expected, Action::Delete).await
    }

    /// Takes an item from the trash: what was archived before it was deleted is archived again. One that is not in the trash
    /// stays as it is.
    pub async fn restore(&self, caller: &Caller, item_ref: &ItemRef, expected: ExpectedVersion) -> Result<Item, Error> {
        self.change_state(caller, item_ref, expected, Action::Restore).await
    }

    /// Removes an item with its history, whatever its state.
    pub async fn purge(&self, caller: &Caller, item_ref: &ItemRef, expected: ExpectedVersion) -> Result<(), Error> {
        caller.require_person()?;
        caller.require(Scope::Read)?;
        for _ in 0..MAX_ROUNDS {
            let item = self.visible_item(caller, item_ref).await?;
            caller.require_write(&item)?;
            self.check_expected(caller, expected, &item).await?;
            let at = time_after(&item);
            let record = caller.record(Action::Delete, Vec::new(), at, &item);
            let idempotency = caller.idempotency_record(&WriteOutcome::Removed(&item), at);
            if let Some(()) = unless_stale(self.store.purge(item.id, item.stamp, record, idempotency).await)? {
                return Ok(());
            }
        }
        Err(lost_every_round())
    }

    /// Sets the time of an item's last use to now.
    pub async fn track_usage(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        expected: ExpectedVersion,
    ) -> Result<Item, Error> {
        caller.require_apply()?;
        caller.require(Scope::Read)?;
        let mut item = self.visible_item(caller, item_ref).await?;
        caller.require_write(&item)?;
        if View::from_item(&item) == View::Deleted {
            return Err(item_ref.not_found());
        }
        self.check_expected(caller, expected, &item).await?;
        let at = now();
        self.store.mark_used(item.id, at).await?;
        item.last_used_at = Some(at);
        Ok(item)
    }

    pub(super) async fn change_state(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        expected: ExpectedVersion,
        action: Action,
    ) -> Result<Item, Error> {
        caller.require(Scope::Read)?;
        for _ in 0..MAX_ROUNDS {
            let before = self.visible_item(caller, item_ref).await?;
            caller.require_write(&before)?;
            let at = time_after(&before);
            let after = after_action(&before, action, at).ok_or_else(|| item_ref.not_found())?;
            self.check_expected(caller, expected, &before).await?;
            let Some(after) = after else {
                self.commit_no_change(caller, &WriteOutcome::Changed(&before)).await?;
                return Ok(before);
            };
            let write = state_write(caller, &before, after, action, at);
            let after = write.after.clone();
            let outcome = match action {
                Action::Delete => WriteOutcome::Removed(&after),
                Action::Create
                | Action::Update
                | Action::Archive
                | Action::Unarchive
                | Action::Restore
                | Action::Undo => WriteOutcome::Changed(&after),
            };
            if let Some(()) = self.commit(caller, caller.batch(vec![write], &outcome, at)).await? {
                return Ok(after);
            }
        }
        Err(lost_every_round())
    }
}

/// The write that archives, deletes or restores an item for which the action exists; `None` if it is so already.
pub(in crate::usecases) fn action_write(caller: &Caller, before: &Item, action: Action) -> Option<ItemWrite> {
    let at = time_after(before);
    after_action(before, action, at)?.map(|after| state_write(caller, before, after, action, at))
}

fn state_write(caller: &Caller, before: &Item, mut after: Item, action: Action, at: Timestamp) -> ItemWrite {
    after.stamp = caller.stamp_after(before, after.stamp);
    after.proposal = caller.proposal_after(Some(before));
    let record = caller.record(action, Vec::new(), at, &after);
    ItemWrite { before: Some(before.stamp), after, content: ContentWrite::Keep, record }
}

/// The item after an action: `None` if the item does not exist for the action, `Some(None)` if nothing changes.
fn after_action(before: &Item, action: Action, at: Timestamp) -> Option<Option<Item>> {
    let mut after = before.clone();
    match (action, View::from_item(before)) {
        (Action::Archive, View::Active) => after.archived_at = Some(at),
        (Action::Unarchive, View::Archived) => after.archived_at = None,
        (Action::Delete, View::Active | View::Archived) => after.deleted_at = Some(at),
        (Action::Restore, View::Deleted) => after.deleted_at = None,
        (Action::Archive, View::Archived)
        | (Action::Unarchive, View::Active)
        | (Action::Restore, View::Active | View::Archived) => return Some(None),
        (Action::Archive | Action::Unarchive | Action::Delete, View::Deleted) => return None,
        (Action::Create | Action::Update | Action::Undo, _) => return Some(None),
    }
    after.stamp = Stamp { revision: before.stamp.revision + 1, ..before.stamp };
    Some(Some(after))
}
