//! Bodies that were sent before: of items that were read whole, for as long as the item is the same.
//!
//! To read an item again costs then what it takes to see that it did not change: its content is neither read nor
//! written as JSON.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use interline_items::{Item, ItemId, ItemState, Stamp};
use jiff::Timestamp;

/// How many bytes of bodies each half holds.
const HALF: usize = 16 * 1024 * 1024;
/// The longest body that is kept: one does not push out all others.
const LONGEST: usize = HALF / 8;

/// Bodies of items, the last ones that were asked for.
#[derive(Default)]
pub(super) struct KeptBodies {
    halves: Mutex<Halves>,
}

/// A full young half becomes the old one, which is dropped: whoever was not asked for since is gone.
#[derive(Default)]
struct Halves {
    young: HashMap<ItemId, KeptBody>,
    young_bytes: usize,
    old: HashMap<ItemId, KeptBody>,
}

/// A body, and the state of its item.
#[derive(Clone, Debug)]
pub(super) struct KeptBody {
    /// The state of everything but the last use, which is no change.
    pub(super) stamp: Stamp,
    last_used_at: Option<Timestamp>,
    pub(super) bytes: Bytes,
}

impl KeptBody {
    pub(super) fn of(item: &Item, bytes: Bytes) -> KeptBody {
        KeptBody { stamp: item.stamp, last_used_at: item.last_used_at, bytes }
    }

    /// Whether it is what would be sent for the item.
    pub(super) fn tells(&self, state: &ItemState) -> bool {
        self.stamp == state.stamp && self.last_used_at == state.last_used_at
    }
}

impl KeptBodies {
    /// The body of an item, as it was sent last.
    pub(super) fn get(&self, id: ItemId) -> Option<KeptBody> {
        let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = halves.young.get(&id) {
            return Some(kept.clone());
        }
        let kept = halves.old.remove(&id)?;
        halves.put(id, kept.clone());
        Some(kept)
    }

    /// Keeps a body, unless it is too long.
    pub(super) fn put(&self, id: ItemId, body: KeptBody) {
        if body.bytes.len() <= LONGEST {
            self.halves.lock().unwrap_or_else(PoisonError::into_inner).put(id, body);
        }
    }
}

impl Halves {
    fn put(&mut self, id: ItemId, body: KeptBody) {
        self.young_bytes += body.bytes.len();
        if let Some(before) = self.young.insert(id, body) {
            self.young_bytes -= before.bytes.len();
        }
        if self.young_bytes > HALF {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(version: u64, bytes: usize) -> KeptBody {
        KeptBody { stamp: Stamp { version, revision: 0 }, last_used_at: None, bytes: vec![b'x'; bytes].into() }
    }

    #[test]
    fn the_last_body_of_an_item_is_kept() {
        let (kept, id) = (KeptBodies::default(), ItemId::generate());
        assert!(kept.get(id).is_none());
        kept.put(id, body(1, 10));
        kept.put(id, body(2, 20));
        assert_eq!(kept.get(id).map(|body| (body.stamp.version, body.bytes.len())), Some((2, 20)));
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let kept = KeptBodies::default();
        let (used, unused) = (ItemId::generate(), ItemId::generate());
        kept.put(used, body(1, 10));
        kept.put(unused, body(1, 10));
        for _ in 0..100 {
            kept.put(ItemId::generate(), body(1, LONGEST));
            assert!(kept.get(used).is_some());
            let halves = kept.halves.lock().unwrap();
            let bytes: usize = halves.young.values().chain(halves.old.values()).map(|body| body.bytes.len()).sum();
            assert!(bytes <= 2 * HALF + LONGEST, "{bytes}");
        }
        assert!(kept.get(unused).is_none());
    }

    #[test]
    fn a_body_that_is_too_long_is_not_kept() {
        let (kept, id) = (KeptBodies::default(), ItemId::generate());
        kept.put(id, body(1, LONGEST + 1));
        assert!(kept.get(id).is_none());
    }
}
