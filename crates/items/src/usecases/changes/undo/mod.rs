//! Undo: taking back what a change set did, over what came later.
//!
//! Text is taken back by hunks that are carried over later changes (a merge, never a search), fields one by one, and the state
//! of an item by its flags. What others changed since is never lost: where that would happen, the item is in conflict.

mod fields;
mod item;
mod lifecycle;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use crate::memory_budget::take_for_work;
use crate::usecases::commit::{MAX_ROUNDS, lost_every_round};
use crate::usecases::{Caller, Interline};
use crate::{
    Batch, ChangeSetError, ChangeSetId, ChangeSetNews, ChangeSetRef, ChangeSetSummary, ChangedItem, ConflictPlace,
    Decision, Error, ItemId, ItemWrite, ReviewState, SpaceId, UniqueField,
};

use super::find::ALL_ITEMS;
use super::keep::{announcements, chosen_items};
use crate::write::names;
use item::PlannedUndo;

/// How many items are taken back in one transaction.
const ITEMS_AT_ONCE: usize = 100;
/// How many bytes their contents have together at the most, before and after: a request that is alone may take more than the
/// memory budget has.
const MAX_BYTES_AT_ONCE: usize = 128 << 20;

/// A request to take back what a change set did.
#[derive(Clone, Debug, Default)]
pub struct UndoChangeSet {
    /// Only these items; `None` is all that the caller sees.
    pub items: Option<Vec<ItemId>>,
    /// Only these hunks of their contents, and nothing else of the items that have them; `None` is everything.
    pub hunks: Option<Vec<String>>,
    /// What becomes of the other items where some are in conflict.
    pub on_conflict: OnUndoConflict,
}

/// What becomes of the other items of a set where some are in conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnUndoConflict {
    /// Nothing is taken back.
    #[default]
    Refuse,
    /// They are taken back, and those in conflict are left as they are.
    Skip,
}

/// An item whose changes cannot be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoConflict {
    /// The item.
    pub item: ItemId,
    /// Why.
    pub cause: UndoCause,
    /// The first places of the content that were changed since.
    pub places: Vec<ConflictPlace>,
    /// Names of the fields that were changed since.
    pub fields: Vec<&'static str>,
}

names! {
    /// Why changes of an item cannot be taken back.
    UndoCause {
        /// Others changed the same lines since.
        Lines = "lines",
        /// Others changed the same field since.
        Field = "field",
        /// Others archived, deleted or restored the item since.
        Lifecycle = "lifecycle",
        /// Others edited an item that the set made.
        Edited = "edited",
        /// Another item has the name, url or path.
        Taken = "taken",
        /// What comes of it is not what the kind demands.
        Check = "check",
        /// The history does not have the versions any more.
        Forgotten = "forgotten",
        /// The item was removed for good.
        Purged = "purged",
    }
}

/// The result of taking changes back.
#[derive(Clone, Debug)]
pub struct UndoneChanges {
    /// The set that the undo is; `None` if there was nothing to take back.
    pub set: Option<ChangeSetSummary>,
    /// Those that are in conflict and were left as they are.
    pub skipped: Vec<UndoConflict>,
}

/// What is to be taken back.
struct UndoPlan {
    summary: ChangeSetSummary,
    items: Vec<ChangedItem>,
    hunks: Option<BTreeSet<String>>,
}

impl UndoPlan {
    /// Refuses a request for hunks that no item has.
    fn require_known_hunks(&self, found: &BTreeSet<String>) -> Result<(), Error> {
        match self.hunks.iter().flatten().find(|hunk| !found.contains(*hunk)) {
            Some(unknown) => Err(Error::ChangeSet(ChangeSetError::UnknownHunk(unknown.clone()))),
            None => Ok(()),
        }
    }
}

/// Some items that were taken back in one transaction.
struct UndoneItems {
    set: Option<ChangeSetRef>,
    skipped: Vec<UndoConflict>,
}

/// What became of a planned undo.
enum Committed {
    /// It is stored as this change set; there was nothing to store without one.
    Done(Option<ChangeSetRef>),
    /// An item changed meanwhile.
    Stale,
}

/// The planned undo of some items.
#[derive(Default)]
struct PlannedStep {
    writes: Vec<ItemWrite>,
    decisions: Vec<Decision>,
    conflicts: Vec<UndoConflict>,
    found_hunks: BTreeSet<String>,
}

impl Interline {
    /// Takes back what a change set did, to all its items or to some, whole or by hunks: a new change set, which can be taken
    /// back itself. To take something back twice changes nothing.
    ///
    /// Up to a hundred items are one transaction. Of more, all are checked first; then a hundred at a time are taken back, and
    /// the same request goes on where an interrupted one ended. What is in conflict only then, because a name is taken or others
    /// are at work, is skipped after the first hundred. Items whose contents are too large together are refused.
    pub async fn undo_changes(
        &self,
        caller: &Caller,
        id: ChangeSetId,
        request: UndoChangeSet,
    ) -> Result<UndoneChanges, Error> {
        caller.require_person()?;
        caller.require_change()?;
        let UndoChangeSet { mut items, hunks, on_conflict } = request;
        let purged = self.purged_items(caller, id, &mut items).await?;
        let summary = match self.visible_change_set(caller, id).await {
            Err(Error::Missing { .. }) if !purged.is_empty() => {
                return match on_conflict {
                    OnUndoConflict::Refuse => Err(Error::ChangeSet(ChangeSetError::Conflicts(purged))),
                    OnUndoConflict::Skip => Ok(UndoneChanges { set: None, skipped: purged }),
                };
            }
            summary => summary?,
        };
        let mut items: Vec<ChangedItem> = chosen_items(&summary, items.as_deref())?.into_iter().cloned().collect();
        // The last first: a name that the set took for a later item is free again for the item that had it before.
        items.reverse();
        for item in &items {
            caller.require_write_in(item.space)?;
        }
        let plan = UndoPlan { summary, items, hunks: hunks.map(|hunks| hunks.into_iter().collect()) };
        let caller = caller.with_own_change_set();
        if plan.items.len() > ITEMS_AT_ONCE || !purged.is_empty() {
            self.check_undo(&caller, &plan, purged.clone(), on_conflict).await?;
        }
        let (mut own_set, mut skipped) = (None, purged);
        for items in plan.items.chunks(ITEMS_AT_ONCE) {
            // When something is taken back, "nothing was" would be wrong: what is found to be in conflict now is told.
            let on_conflict = if own_set.is_some() { OnUndoConflict::Skip } else { on_conflict };
            let step = self.undo_items(&caller, &plan, items, on_conflict).await?;
            own_set = step.set.or(own_set);
            skipped.extend(step.skipped);
        }
        self.open_sets.close(id);
        let set = match own_set {
            Some(set) => self.store.change_set(set, caller.visible(), ALL_ITEMS).await?,
            None => None,
        };
        Ok(UndoneChanges { set, skipped })
    }

    /// The items of a set that were purged, of those that are asked for, as conflicts; they are taken out of the request.
    async fn purged_items(
        &self,
        caller: &Caller,
        id: ChangeSetId,
        items: &mut Option<Vec<ItemId>>,
    ) -> Result<Vec<UndoConflict>, Error> {
        let mut purged = Vec::new();
        for set in self.change_set_refs(id).await? {
            purged.extend(self.store.purged_items(set, caller.visible()).await?);
        }
        if let Some(items) = items {
            purged.retain(|item| items.contains(item));
            items.retain(|item| !purged.contains(item));
        }
        Ok(purged.into_iter().map(|item| UndoConflict::new(item, UndoCause::Purged)).collect())
    }

    /// Refuses an undo that is in conflict or of unknown hunks, before anything is taken back.
    async fn check_undo(
        &self,
        caller: &Caller,
        plan: &UndoPlan,
        mut conflicts: Vec<UndoConflict>,
        on_conflict: OnUndoConflict,
    ) -> Result<(), Error> {
        let mut found_hunks = BTreeSet::new();
        for items in plan.items.chunks(ITEMS_AT_ONCE) {
            let step = self.plan_undo(caller, plan, items, &BTreeMap::new()).await?;
            conflicts.extend(step.conflicts);
            found_hunks.extend(step.found_hunks);
        }
        plan.require_known_hunks(&found_hunks)?;
        match on_conflict {
            OnUndoConflict::Refuse if !conflicts.is_empty() => {
                Err(Error::ChangeSet(ChangeSetError::Conflicts(conflicts)))
            }
            OnUndoConflict::Refuse | OnUndoConflict::Skip => Ok(()),
        }
    }

    /// Takes some items back in one transaction, planned again when one of them changed meanwhile.
    async fn undo_items(
        &self,
        caller: &Caller,
        plan: &UndoPlan,
        items: &[ChangedItem],
        on_conflict: OnUndoConflict,
    ) -> Result<UndoneItems, Error> {
        let mut taken: BTreeMap<ItemId, UndoConflict> = BTreeMap::new();
        for _ in 0..MAX_ROUNDS {
            let step = self.plan_undo(caller, plan, items, &taken).await?;
            if plan.items.len() <= ITEMS_AT_ONCE {
                plan.require_known_hunks(&step.found_hunks)?;
            }
            if !step.conflicts.is_empty() && on_conflict == OnUndoConflict::Refuse {
                return Err(Error::ChangeSet(ChangeSetError::Conflicts(step.conflicts)));
            }
            match self.commit_undo(caller, plan, &step).await {
                Ok(Committed::Done(set)) => return Ok(UndoneItems { set, skipped: step.conflicts }),
                Ok(Committed::Stale) => {}
                Err(Error::Duplicate { field, existing }) => {
                    let of_write = |write: &&ItemWrite| write.after.id != existing.id && has_field(write, &field);
                    let Some(write) = step.writes.iter().find(of_write) else {
                        return Err(Error::Duplicate { field, existing });
                    };
                    let conflict = UndoConflict::new(write.after.id, UndoCause::Taken);
                    taken.insert(write.after.id, conflict);
                }
                Err(error) => return Err(error),
            }
        }
        Err(lost_every_round())
    }

    /// Commits a planned undo, unless an item changed meanwhile.
    async fn commit_undo(&self, caller: &Caller, plan: &UndoPlan, step: &PlannedStep) -> Result<Committed, Error> {
        if step.writes.is_empty() && step.decisions.is_empty() {
            return Ok(Committed::Done(None));
        }
        let spaces: BTreeSet<SpaceId> = step.writes.iter().map(|write| write.after.space).collect();
        let set = step.writes.first().map(|write| write.record.attribution.change_set);
        let announcements = announcements(caller, &plan.summary, spaces, ChangeSetNews::Undone);
        let (writes, decisions) = (step.writes.clone(), step.decisions.clone());
        let batch = Batch { writes, decisions, announcements, ..Batch::default() };
        Ok(self.commit(caller, batch).await?.map_or(Committed::Stale, |()| Committed::Done(set)))
    }

    /// Plans the undo of some items, each on its newest state.
    async fn plan_undo(
        &self,
        caller: &Caller,
        plan: &UndoPlan,
        items: &[ChangedItem],
        taken: &BTreeMap<ItemId, UndoConflict>,
    ) -> Result<PlannedStep, Error> {
        let (mut step, mut bytes) = (PlannedStep::default(), 0);
        for changed in items {
            if let Some(conflict) = taken.get(&changed.id) {
                step.conflicts.push(conflict.clone());
                continue;
            }
            let planned = self.plan_item_undo(caller, plan.summary.set, changed, plan.hunks.as_ref()).await?;
            step.found_hunks.extend(planned.found_hunks);
            let PlannedUndo { writes, state, redone } = match planned.undo {
                Ok(undo) => undo,
                Err(conflict) => {
                    step.conflicts.push(conflict);
                    continue;
                }
            };
            let is_decided = Some(changed.state) == state && writes.is_empty();
            if let Some(state) = state.filter(|_| !is_decided) {
                step.decisions.push(Decision { set: plan.summary.set, item: changed.id, state });
            }
            for redone in redone {
                let sets = self.change_set_refs(redone).await?;
                let redone = |set| Decision { set, item: changed.id, state: ReviewState::Kept };
                step.decisions.extend(sets.into_iter().map(redone));
            }
            // All of them are in memory together until they are committed.
            bytes += writes.iter().map(ItemWrite::bytes).sum::<usize>();
            if bytes > MAX_BYTES_AT_ONCE {
                return Err(Error::field("items", "are too large to be taken back at once: name some of them"));
            }
            take_for_work(bytes)?;
            step.writes.extend(writes);
        }
        Ok(step)
    }
}

impl UndoConflict {
    fn new(item: ItemId, cause: UndoCause) -> UndoConflict {
        UndoConflict { item, cause, places: Vec::new(), fields: Vec::new() }
    }
}

/// Whether an item has a value in a field that must be unique.
fn has_field(write: &ItemWrite, field: &UniqueField) -> bool {
    let fields = &write.after.fields;
    match field {
        UniqueField::Url(url) => fields.url.as_ref() == Some(url),
        UniqueField::Name(name) => fields.name.as_ref() == Some(name),
        UniqueField::Path(path) => fields.path.as_ref() == Some(path),
    }
}
