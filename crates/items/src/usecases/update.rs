//! Changing the fields and the whole content of items.

use crate::{Action, ContentWrite, Error, Fields, Item, ItemWrite, Scope, Snapshot, Stamp, View};

use super::input::{ArchiveState, FieldChange, ItemChanges, parse_changes};
use super::lifecycle;
use super::{
    Caller, ExpectedVersion, Interline, ItemRef, MAX_ROUNDS, WriteOutcome, lost_every_round, now, unless_stale,
};

impl Interline {
    /// Changes fields, whole content and place, all together; what is not given stays. A change that changes nothing
    /// writes nothing.
    pub async fn update(
        &self,
        caller: &Caller,
        which: &ItemRef,
        expected: ExpectedVersion,
        changes: ItemChanges,
    ) -> Result<Snapshot, Error> {
        for _ in 0..MAX_ROUNDS {
            let before = self.writable(caller, which, expected).await?;
            let after = self.changed(&before, changes.clone()).await?;
            if let Some(saved) = self.save(caller, before, after, changes.shelf).await? {
                return Ok(saved);
            }
        }
        Err(lost_every_round())
    }

    /// Makes an item of one state another, at a new version, and moves it; nothing is written if neither changes anything.
    /// `None` if the item changed meanwhile.
    pub(super) async fn save(
        &self,
        caller: &Caller,
        before: Snapshot,
        after: Snapshot,
        shelf: Option<ArchiveState>,
    ) -> Result<Option<Snapshot>, Error> {
        let content = ContentWrite::between(&before.content, &after.content);
        let change = write(caller, &before.item, &after.item, content);
        let changed = change.as_ref().map_or(&before.item, |write| &write.after);
        let moved = shelf.and_then(|shelf| lifecycle::moved(caller, changed, shelf));
        let writes: Vec<ItemWrite> = change.into_iter().chain(moved).collect();
        let Some(last) = writes.last() else {
            self.nothing_changed(caller, &WriteOutcome::Changed(&before.item)).await?;
            return Ok(Some(before));
        };
        let saved = Snapshot { item: last.after.clone(), content: after.content };
        let at = last.record.at;
        let batch = caller.batch(writes, &WriteOutcome::Changed(&saved.item), at);
        Ok(unless_stale(self.store.commit(batch).await)?.map(|()| saved))
    }

    /// The item as the caller may change it: seen, writable, not deleted, at the expected version.
    pub(super) async fn writable(
        &self,
        caller: &Caller,
        which: &ItemRef,
        expected: ExpectedVersion,
    ) -> Result<Snapshot, Error> {
        // Before the item is looked for: who may not read must not learn what is there.
        caller.needs(Scope::Read)?;
        let snapshot = self.snapshot(caller, which).await?;
        let snapshot = Interline::changeable(caller, which, Some(snapshot))?;
        self.check_expected(expected, &snapshot.item).await?;
        Ok(snapshot)
    }

    /// The item if the caller may change it: seen, writable and not deleted.
    pub(super) fn changeable(caller: &Caller, which: &ItemRef, snapshot: Option<Snapshot>) -> Result<Snapshot, Error> {
        let there = snapshot
            .filter(|snapshot| which.exists_for(caller, &snapshot.item) && View::of(&snapshot.item) != View::Deleted);
        let snapshot = there.ok_or_else(|| which.not_found())?;
        caller.may_write(&snapshot.item)?;
        Ok(snapshot)
    }

    /// The item after changes, checked as a whole.
    async fn changed(&self, before: &Snapshot, changes: ItemChanges) -> Result<Snapshot, Error> {
        let mut item = before.item.clone();
        let (fields, content) = parse_changes(item.kind, &item.fields, changes, &self.limits)?;
        let content = match content {
            FieldChange::Keep => before.content.clone(),
            FieldChange::Clear => None,
            FieldChange::Set(content) => Some(content),
        };
        // What neither changes fits together as it did when it was stored.
        if content != before.content || fields.arguments != item.fields.arguments {
            self.examined(item.kind, &fields, content.clone()).await?.put_into(&mut item);
        }
        item.fields = fields;
        Ok(Snapshot { item, content })
    }
}

/// The write that leads from one state of an item to the other, at a new version; `None` if nothing changes.
pub(super) fn write(caller: &Caller, before: &Item, after: &Item, content: ContentWrite) -> Option<ItemWrite> {
    let changed_fields = changed_fields(Some(before), after);
    if changed_fields.is_empty() {
        return None;
    }
    let at = now();
    let mut after = after.clone();
    after.stamp = Stamp { version: before.stamp.version + 1, ..before.stamp };
    after.updated_at = at;
    let record = caller.record(Action::Update, changed_fields, at);
    Some(ItemWrite { before: Some(before.stamp), after, content, record })
}

/// Names of the fields in which two states differ, in the order of the wire; all that are there for a new item.
pub(super) fn changed_fields(before: Option<&Item>, after: &Item) -> Vec<&'static str> {
    let default = Fields::default();
    let mut names = changed_names(before.map_or(&default, |item| &item.fields), &after.fields);
    if before.and_then(hash) != hash(after) {
        names.push("content");
    }
    names
}

/// The same without the content.
pub(super) fn changed_names(old: &Fields, new: &Fields) -> Vec<&'static str> {
    [
        ("title", old.title != new.title),
        ("description", old.description != new.description),
        ("tags", old.tags != new.tags),
        ("url", old.url != new.url),
        ("name", old.name != new.name),
        ("arguments", old.arguments != new.arguments),
        ("path", old.path != new.path),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}

fn hash(item: &Item) -> Option<[u8; 32]> {
    item.content.as_ref().map(|content| content.hash)
}
