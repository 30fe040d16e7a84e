//! Planning the undo of one item: its state, its fields and its content, on what it is now.

use std::collections::BTreeSet;

use crate::usecases::commit::new_version;
use crate::usecases::items::action_write;
use crate::usecases::{Caller, Interline, ItemRef};
use crate::{
    Action, ChangeSetId, ChangeSetRef, ChangedItem, ContentWrite, Error, HashCheck, HistoryRecord, ItemWrite,
    ReviewState, Snapshot, View,
};

use super::super::net_change::{HunkRef, TextPart};
use super::fields::undo_fields;
use super::lifecycle::{LifecycleUndo, undo_lifecycle};
use super::text::UndoneText;
use super::{UndoCause, UndoConflict};

/// What takes the changes of an item back.
pub(super) struct PlannedUndo {
    /// The writes, one after the other; none if there is nothing to take back.
    pub(super) writes: Vec<ItemWrite>,
    /// What was decided about the item in the set by it; `None` if the undo does not concern it.
    pub(super) state: Option<ReviewState>,
    /// The sets that the set itself had taken back: they are done again.
    pub(super) redone: BTreeSet<ChangeSetId>,
}

impl PlannedUndo {
    fn nothing() -> PlannedUndo {
        PlannedUndo { writes: Vec::new(), state: None, redone: BTreeSet::new() }
    }
}

/// The undo of an item as it was asked for.
pub(super) struct PlannedItem {
    /// The hunks that were asked for and are of this item.
    pub(super) found_hunks: BTreeSet<String>,
    /// What takes the changes back, or why that cannot be.
    pub(super) undo: Result<PlannedUndo, UndoConflict>,
}

impl PlannedItem {
    fn without_hunks(undo: Result<PlannedUndo, UndoConflict>) -> PlannedItem {
        PlannedItem { found_hunks: BTreeSet::new(), undo }
    }
}

/// The item, its history since the set, and what of it is asked for.
struct ItemUndo<'u> {
    before: Snapshot,
    records: &'u [HistoryRecord],
    set: ChangeSetRef,
}

impl Interline {
    /// Plans the undo of what a set did to an item, whole or by hunks.
    pub(super) async fn plan_item_undo(
        &self,
        caller: &Caller,
        set: ChangeSetRef,
        changed: &ChangedItem,
        hunks: Option<&BTreeSet<String>>,
    ) -> Result<PlannedItem, Error> {
        let item_ref = ItemRef::Id(changed.id, None);
        let before = self.visible_snapshot(caller, &item_ref, HashCheck::Always).await?;
        let forgotten = || {
            Ok(PlannedItem::without_hunks(match hunks {
                // What history has lost has no hunks that could be asked for.
                Some(_) => Ok(PlannedUndo::nothing()),
                None => Err(UndoConflict::new(changed.id, UndoCause::Forgotten)),
            }))
        };
        let Some(records) = self.records_since(caller, set, changed).await? else { return forgotten() };
        let parts = match self.net_text(caller, &before.item, &records, set).await {
            Ok(Some(parts)) => parts,
            Ok(None) => return forgotten(),
            Err(Error::VersionNotFound { .. } | Error::CorruptContent { .. }) => return forgotten(),
            Err(error) => return Err(error),
        };
        let undo = ItemUndo { before, records: &records, set };
        match hunks {
            Some(hunks) => {
                let id = changed.id;
                let refs = move |parts: &[TextPart]| -> Vec<HunkRef> {
                    parts.iter().flat_map(|part| part.hunk_refs(id)).collect()
                };
                let refs = self.compared(caller, parts.clone(), refs).await?.into_iter().map(|hunk| hunk.id);
                let (found, others): (BTreeSet<String>, BTreeSet<String>) = refs.partition(|id| hunks.contains(id));
                let extent = if others.is_empty() { ReviewState::Undone } else { ReviewState::PartlyUndone };
                let planned = match found.is_empty() {
                    true => Ok(PlannedUndo::nothing()),
                    false => self.plan_hunks(caller, undo, &parts, &found, extent).await?,
                };
                Ok(PlannedItem { found_hunks: found, undo: planned })
            }
            None => match self.plan_whole(caller, undo, changed, &parts).await {
                Err(Error::VersionNotFound { .. } | Error::CorruptContent { .. }) => forgotten(),
                planned => Ok(PlannedItem::without_hunks(planned?)),
            },
        }
    }

    /// Plans the undo of some hunks of a content, which are all of them or a part.
    async fn plan_hunks(
        &self,
        caller: &Caller,
        undo: ItemUndo<'_>,
        parts: &[TextPart],
        hunks: &BTreeSet<String>,
        extent: ReviewState,
    ) -> Result<Result<PlannedUndo, UndoConflict>, Error> {
        if View::from_item(&undo.before.item) == View::Deleted {
            return Ok(Err(UndoConflict::new(undo.before.item.id, UndoCause::Lifecycle)));
        }
        let is_whole = extent == ReviewState::Undone && undo.changes_content_alone();
        let text = match self.undone_text(caller, &undo.before, parts, Some(hunks)).await? {
            Ok(text) => text,
            Err(conflict) => return Ok(Err(conflict)),
        };
        let after = undo.before.item.clone();
        let version = match self.checked_version(caller, &undo, &undo.before, after, text).await? {
            Ok(version) => version,
            Err(conflict) => return Ok(Err(conflict)),
        };
        let state = if is_whole { ReviewState::Undone } else { ReviewState::PartlyUndone };
        let redone = if is_whole { undo.undone_sets() } else { BTreeSet::new() };
        Ok(Ok(PlannedUndo { writes: version.into_iter().collect(), state: Some(state), redone }))
    }

    /// Plans the undo of everything that a set did to an item.
    async fn plan_whole(
        &self,
        caller: &Caller,
        undo: ItemUndo<'_>,
        changed: &ChangedItem,
        parts: &[TextPart],
    ) -> Result<Result<PlannedUndo, UndoConflict>, Error> {
        let conflict = |cause| Ok(Err(UndoConflict::new(changed.id, cause)));
        let planned = |writes: Vec<ItemWrite>, redone| PlannedUndo { writes, state: Some(ReviewState::Undone), redone };
        let redone = undo.undone_sets();
        if changed.from_version.is_none() {
            // The set made the item: it goes to the trash, unless it is there or others have worked on it.
            if View::from_item(&undo.before.item) == View::Deleted {
                return Ok(Ok(planned(Vec::new(), redone)));
            }
            if undo.has_foreign_version() {
                return conflict(UndoCause::Edited);
            }
            let delete = action_write(caller, &undo.before.item, Action::Delete);
            return Ok(Ok(planned(delete.map(|write| undo.signed(write)).into_iter().collect(), redone)));
        }
        let LifecycleUndo { restore, archive, delete } = match undo_lifecycle(undo.records, undo.set, &undo.before.item)
        {
            Some(lifecycle) => lifecycle,
            None => return conflict(UndoCause::Lifecycle),
        };
        let mut writes: Vec<ItemWrite> = Vec::new();
        let restored = restore.and_then(|action| action_write(caller, &undo.before.item, action));
        writes.extend(restored.map(|write| undo.signed(write)));
        let current = writes.last().map_or_else(|| undo.before.item.clone(), |write| write.after.clone());
        let fields = self.undone_fields(caller, &undo).await?;
        let text = self.undone_text(caller, &undo.before, parts, None).await?;
        let (fields, text) = match (fields, text) {
            (Ok(fields), Ok(text)) => (fields, text),
            (Err(fields), Err(text)) => return Ok(Err(UndoConflict { fields: fields.fields, ..text })),
            (Err(conflict), Ok(_)) | (Ok(_), Err(conflict)) => return Ok(Err(conflict)),
        };
        let changes = text.is_some() || fields != current.fields;
        if changes && View::from_item(&current) == View::Deleted {
            return conflict(UndoCause::Lifecycle);
        }
        let mut after = current.clone();
        after.fields = fields;
        let start = Snapshot { item: current, content: undo.before.content.clone() };
        match self.checked_version(caller, &undo, &start, after, text).await? {
            Ok(version) => writes.extend(version),
            Err(conflict) => return Ok(Err(conflict)),
        }
        for action in [archive, delete].into_iter().flatten() {
            let current = writes.last().map_or(&undo.before.item, |write| &write.after);
            writes.extend(action_write(caller, current, action).map(|write| undo.signed(write)));
        }
        Ok(Ok(planned(writes, redone)))
    }

    async fn undone_fields(
        &self,
        caller: &Caller,
        undo: &ItemUndo<'_>,
    ) -> Result<Result<crate::Fields, UndoConflict>, Error> {
        let mut steps = Vec::new();
        for record in undo.records {
            let (Some(version), true) = (record.version, record.changed_fields.iter().any(|field| field != "content"))
            else {
                continue;
            };
            let after = self.version(caller, &undo.before.item, version).await?.fields;
            let before = match version {
                1 => crate::Fields::default(),
                version => self.version(caller, &undo.before.item, version - 1).await?.fields,
            };
            steps.push((record.attribution.change_set == undo.set, before, after));
        }
        Ok(undo_fields(&steps, &undo.before.item.fields)
            .map_err(|fields| UndoConflict { fields, ..UndoConflict::new(undo.before.item.id, UndoCause::Field) }))
    }

    /// The write that gives an item the fields of `after` and a text; `None` if nothing changes. A conflict if that is not what
    /// its kind demands.
    async fn checked_version(
        &self,
        caller: &Caller,
        undo: &ItemUndo<'_>,
        before: &Snapshot,
        mut after: crate::Item,
        text: Option<UndoneText>,
    ) -> Result<Result<Option<ItemWrite>, UndoConflict>, Error> {
        let content = text.as_ref().map_or_else(|| before.content.clone(), |text| text.content.clone());
        let tags = |item: &crate::Item| item.fields.tags.as_slice().len();
        if tags(&after) > self.limits.tags.max(tags(&before.item)) {
            return Ok(Err(UndoConflict::new(after.id, UndoCause::Check)));
        }
        if text.is_some() || after.fields.arguments != before.item.fields.arguments {
            match self.check_content(caller, after.kind, &after.fields, content).await {
                Ok(checked) => checked.apply_to(&mut after),
                Err(
                    Error::InvalidTemplate { .. }
                    | Error::InvalidCode(_)
                    | Error::EntityTypeMismatch(_)
                    | Error::TooLarge { .. }
                    | Error::ValidationFailed(_),
                ) => return Ok(Err(UndoConflict::new(after.id, UndoCause::Check))),
                Err(error) => return Err(error),
            }
        }
        let write = match text {
            Some(text) => text.write,
            None => ContentWrite::Keep,
        };
        let version = new_version(caller, Action::Undo, &before.item, &after, write);
        Ok(Ok(version.map(|version| undo.signed(version))))
    }
}

impl ItemUndo<'_> {
    /// A write that says what it takes back.
    fn signed(&self, mut write: ItemWrite) -> ItemWrite {
        write.record.undoes = Some(self.set.id);
        write
    }

    fn of_set(&self) -> impl Iterator<Item = &HistoryRecord> {
        self.records.iter().filter(|record| record.attribution.change_set == self.set)
    }

    /// Whether a version was made that is not of the set, and takes nothing of it back.
    fn has_foreign_version(&self) -> bool {
        let is_foreign =
            |record: &&HistoryRecord| record.attribution.change_set != self.set && record.undoes != Some(self.set.id);
        self.records.iter().filter(is_foreign).any(|record| record.version.is_some())
    }

    /// Whether the set did nothing to the item but change its content.
    fn changes_content_alone(&self) -> bool {
        self.of_set().all(|record| {
            record.action != Action::Create
                && record.version.is_some()
                && record.changed_fields.iter().all(|field| field == "content")
        })
    }

    /// The sets that this one has taken back.
    fn undone_sets(&self) -> BTreeSet<ChangeSetId> {
        self.of_set().filter_map(|record| record.undoes).collect()
    }
}
