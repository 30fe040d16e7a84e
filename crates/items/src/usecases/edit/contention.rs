//! Edit contention: which items are being edited in this process, and by how many edits at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{ItemId, UserId};

use super::super::ItemRef;

/// The items that are being edited, and how many edits of each are under way.
#[derive(Clone, Default)]
pub(in crate::usecases) struct EditContention(Arc<Mutex<HashMap<EditedItem, usize>>>);

/// An item as edits name it. The same prompt by its id and by its name counts as two, which costs a race and no more.
#[derive(Clone, PartialEq, Eq, Hash)]
enum EditedItem {
    Id(ItemId),
    Name(UserId, String),
}

/// One edit that is under way, as long as this lives.
pub(super) struct InFlightEdit {
    contention: EditContention,
    item: EditedItem,
}

impl EditContention {
    pub(super) fn begin(&self, user: UserId, item_ref: &ItemRef) -> InFlightEdit {
        let item = match item_ref {
            ItemRef::Id(id, _) => EditedItem::Id(*id),
            ItemRef::PromptName(name) => EditedItem::Name(user, name.as_str().to_owned()),
        };
        *self.counts().entry(item.clone()).or_default() += 1;
        InFlightEdit { contention: self.clone(), item }
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<EditedItem, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InFlightEdit {
    /// Whether other edits of the same item are under way now.
    pub(super) fn is_contended(&self) -> bool {
        self.contention.counts().get(&self.item).is_some_and(|edits| *edits > 1)
    }
}

impl Drop for InFlightEdit {
    fn drop(&mut self) {
        let mut counts = self.contention.counts();
        if let Some(edits) = counts.get_mut(&self.item) {
            *edits -= 1;
            if *edits == 0 {
                counts.remove(&self.item);
            }
        }
    }
}
