//! Which items are being edited in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{ItemId, UserId};

use super::super::ItemRef;

/// The items that are being edited, and how many edits of each are under way.
#[derive(Clone, Default)]
pub(in crate::usecases) struct Crowd(Arc<Mutex<HashMap<Edited, usize>>>);

/// An item as edits name it. The same prompt by its id and by its name counts as two, which costs a race and no more.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Edited {
    Id(ItemId),
    Name(UserId, String),
}

/// One edit in the crowd, as long as this lives.
pub(super) struct Place {
    crowd: Crowd,
    item: Edited,
}

impl Crowd {
    pub(super) fn enter(&self, user: UserId, which: &ItemRef) -> Place {
        let item = match which {
            ItemRef::Id(id, _) => Edited::Id(*id),
            ItemRef::PromptName(name) => Edited::Name(user, name.as_str().to_owned()),
        };
        *self.all().entry(item.clone()).or_default() += 1;
        Place { crowd: self.clone(), item }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Edited, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Whether others edit the same item now.
    pub(super) fn is_shared(&self) -> bool {
        self.crowd.all().get(&self.item).is_some_and(|edits| *edits > 1)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut all = self.crowd.all();
        if let Some(edits) = all.get_mut(&self.item) {
            *edits -= 1;
            if *edits == 0 {
                all.remove(&self.item);
            }
        }
    }
}
