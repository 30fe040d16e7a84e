//! Taking back what a set did to the state of an item: archived or not, in the trash or not.

use crate::{Action, ChangeSetRef, HistoryRecord, Item};

/// The actions that take the state back, in this order. The version that takes back the rest comes after the first: an item in
/// the trash takes none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LifecycleUndo {
    /// Out of the trash.
    pub(super) restore: Option<Action>,
    /// Into the archive, or out of it.
    pub(super) archive: Option<Action>,
    /// Into the trash.
    pub(super) delete: Option<Action>,
}

/// A state that an item has or has not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flag {
    Archived,
    Deleted,
}

/// What takes back the changes of an item's state by a set; `None` if others changed it since.
pub(super) fn undo_lifecycle(records: &[HistoryRecord], set: ChangeSetRef, now: &Item) -> Option<LifecycleUndo> {
    let archived = undo_flag(records, set, Flag::Archived, now.archived_at.is_some())?;
    let deleted = undo_flag(records, set, Flag::Deleted, now.deleted_at.is_some())?;
    let archive = archived.map(|archive| if archive { Action::Archive } else { Action::Unarchive });
    Some(LifecycleUndo {
        restore: (deleted == Some(false)).then_some(Action::Restore),
        archive,
        delete: (deleted == Some(true)).then_some(Action::Delete),
    })
}

/// The value to which a flag goes back: `Some(None)` if it has that value already, `None` if others changed it since.
fn undo_flag(records: &[HistoryRecord], set: ChangeSetRef, flag: Flag, now: bool) -> Option<Option<bool>> {
    let changes: Vec<(bool, bool)> = records
        .iter()
        .filter_map(|record| {
            let after = match (record.action, record.version) {
                (Action::Archive, _) => (Flag::Archived, true),
                (Action::Unarchive, _) => (Flag::Archived, false),
                (Action::Delete, _) => (Flag::Deleted, true),
                (Action::Restore, None) => (Flag::Deleted, false),
                (Action::Create | Action::Update | Action::Restore | Action::Undo, _) => return None,
            };
            (after.0 == flag).then_some((record.attribution.change_set == set, after.1))
        })
        .collect();
    let Some(first) = changes.iter().find(|(is_of_set, _)| *is_of_set) else { return Some(None) };
    let before = !first.1;
    if now == before {
        return Some(None);
    }
    let is_last = changes.last().is_some_and(|(is_of_set, _)| *is_of_set);
    is_last.then_some(Some(before))
}
