//! A cache of response bodies: the JSON of items that were read whole, valid while the item is unchanged.
//!
//! Reading an item again then costs only the check that it did not change: its content is neither read from the store nor
//! written as JSON.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use interline_items::{Item, ItemId, ItemState, Stamp};
use jiff::Timestamp;

/// How many bytes of bodies each generation holds.
const GENERATION_BYTES: usize = 16 * 1024 * 1024;
/// The longest body that is cached: one does not push out all others.
const MAX_BODY_BYTES: usize = GENERATION_BYTES / 8;

/// The bodies of the items that were read last.
#[derive(Default)]
pub(in crate::http) struct ResponseCache {
    generations: Mutex<Generations>,
}

/// A full young generation becomes the old one, and the old one before it is dropped with every body that was not read since.
#[derive(Default)]
struct Generations {
    young: HashMap<ItemId, CachedBody>,
    young_bytes: usize,
    old: HashMap<ItemId, CachedBody>,
}

/// The body of an item, and the state of the item that it shows.
#[derive(Clone, Debug)]
pub(in crate::http) struct CachedBody {
    /// The state of everything but the time of the last use, which is no change of the item.
    pub(in crate::http) stamp: Stamp,
    last_used_at: Option<Timestamp>,
    pub(in crate::http) bytes: Bytes,
}

impl CachedBody {
    pub(in crate::http) fn from_item(item: &Item, bytes: Bytes) -> CachedBody {
        CachedBody { stamp: item.stamp, last_used_at: item.last_used_at, bytes }
    }

    /// Whether the item would be sent with the same body now.
    pub(in crate::http) fn is_current(&self, state: &ItemState) -> bool {
        self.stamp == state.stamp && self.last_used_at == state.last_used_at
    }
}

impl ResponseCache {
    /// The body of an item as it was sent last. The item may have changed since, see [`CachedBody::is_current`].
    pub(in crate::http) fn get(&self, id: ItemId) -> Option<CachedBody> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = generations.young.get(&id) {
            return Some(cached.clone());
        }
        let cached = generations.old.remove(&id)?;
        generations.put(id, cached.clone());
        Some(cached)
    }

    /// Caches a body, unless it is too long.
    pub(in crate::http) fn put(&self, id: ItemId, body: CachedBody) {
        if body.bytes.len() <= MAX_BODY_BYTES {
            self.generations.lock().unwrap_or_else(PoisonError::into_inner).put(id, body);
        }
    }
}

impl Generations {
    fn put(&mut self, id: ItemId, body: CachedBody) {
        self.young_bytes += body.bytes.len();
        if let Some(before) = self.young.insert(id, body) {
            self.young_bytes -= before.bytes.len();
        }
        if self.young_bytes > GENERATION_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(version: u64, bytes: usize) -> CachedBody {
        CachedBody { stamp: Stamp { version, revision: 0 }, last_used_at: None, bytes: vec![b'x'; bytes].into() }
    }

    #[test]
    fn the_last_body_of_an_item_is_cached() {
        let (cache, id) = (ResponseCache::default(), ItemId::generate());
        assert!(cache.get(id).is_none());
        cache.put(id, body(1, 10));
        cache.put(id, body(2, 20));
        assert_eq!(cache.get(id).map(|body| (body.stamp.version, body.bytes.len())), Some((2, 20)));
    }

    #[test]
    fn a_body_that_is_read_stays_and_the_others_go() {
        let cache = ResponseCache::default();
        let (used, unused) = (ItemId::generate(), ItemId::generate());
        cache.put(used, body(1, 10));
        cache.put(unused, body(1, 10));
        for _ in 0..100 {
            cache.put(ItemId::generate(), body(1, MAX_BODY_BYTES));
            assert!(cache.get(used).is_some());
            let generations = cache.generations.lock().unwrap();
            let bytes: usize =
                generations.young.values().chain(generations.old.values()).map(|body| body.bytes.len()).sum();
            assert!(bytes <= 2 * GENERATION_BYTES + MAX_BODY_BYTES, "{bytes}");
        }
        assert!(cache.get(unused).is_none());
    }

    #[test]
    fn a_body_that_is_too_long_is_not_cached() {
        let (cache, id) = (ResponseCache::default(), ItemId::generate());
        cache.put(id, body(1, MAX_BODY_BYTES + 1));
        assert!(cache.get(id).is_none());
    }
}
