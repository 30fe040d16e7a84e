//! A cache of response bodies: the JSON of items that were read whole, valid while the item is unchanged.
//!
//! Reading an item again then costs only the check that it did not change: its content is neither read from the store nor
//! written as JSON. Bodies that are too long to be kept are shared by the responses that are being sent: a hundred clients that
//! read one long item take the memory of one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::body::Bytes;
use interline_items::{Item, ItemId, ItemState, RequestMemory, Stamp};
use jiff::Timestamp;

use super::answer_memory::HeldBytes;

/// How many bytes of bodies each generation holds.
const GENERATION_BYTES: usize = 16 * 1024 * 1024;
/// The longest body that is cached: one does not push out all others.
const MAX_BODY_BYTES: usize = GENERATION_BYTES / 8;

/// The bodies of the items that were read last.
#[derive(Default)]
pub(in crate::http) struct ResponseCache {
    generations: Mutex<Generations>,
    sending: Mutex<HashMap<ItemId, SendingBody>>,
}

/// A long body, as long as a response with it is being sent.
struct SendingBody {
    stamp: Stamp,
    last_used_at: Option<Timestamp>,
    bytes: Weak<HeldBytes>,
}

/// A part in a long body.
struct SharedBytes(Arc<HeldBytes>);

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref().as_ref()
    }
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
        if let Some(cached) = generations.old.remove(&id) {
            generations.put(id, cached.clone());
            return Some(cached);
        }
        drop(generations);
        self.sending.lock().unwrap_or_else(PoisonError::into_inner).get(&id)?.body()
    }

    /// Caches a body. One that is too long is cached while it is being sent, and held in `memory` until then. Returns the
    /// body to send: that of another response, if there is the same.
    pub(in crate::http) fn put(&self, id: ItemId, body: CachedBody, memory: Option<RequestMemory>) -> CachedBody {
        if body.bytes.len() <= MAX_BODY_BYTES {
            self.generations.lock().unwrap_or_else(PoisonError::into_inner).put(id, body.clone());
            return body;
        }
        let Some(memory) = memory else { return body };
        let mut sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = sending.get(&id).and_then(SendingBody::body)
            && (same.stamp, same.last_used_at) == (body.stamp, body.last_used_at)
        {
            return same;
        }
        sending.retain(|_, other| other.bytes.strong_count() > 0);
        memory.hold(body.bytes.len());
        let held = Arc::new(HeldBytes { bytes: body.bytes, _memory: memory });
        let CachedBody { stamp, last_used_at, .. } = body;
        sending.insert(id, SendingBody { stamp, last_used_at, bytes: Arc::downgrade(&held) });
        CachedBody { stamp, last_used_at, bytes: Bytes::from_owner(SharedBytes(held)) }
    }
}

impl SendingBody {
    /// The body, if it is still being sent.
    fn body(&self) -> Option<CachedBody> {
        let bytes = Bytes::from_owner(SharedBytes(self.bytes.upgrade()?));
        Some(CachedBody { stamp: self.stamp, last_used_at: self.last_used_at, bytes })
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
    use interline_items::{MemoryBudget, MemoryHolder};

    use super::*;

    fn body(version: u64, bytes: usize) -> CachedBody {
        CachedBody { stamp: Stamp { version, revision: 0 }, last_used_at: None, bytes: vec![b'x'; bytes].into() }
    }

    #[test]
    fn the_last_body_of_an_item_is_cached() {
        let (cache, id) = (ResponseCache::default(), ItemId::generate());
        assert!(cache.get(id).is_none());
        cache.put(id, body(1, 10), None);
        cache.put(id, body(2, 20), None);
        assert_eq!(cache.get(id).map(|body| (body.stamp.version, body.bytes.len())), Some((2, 20)));
    }

    #[test]
    fn a_body_that_is_read_stays_and_the_others_go() {
        let cache = ResponseCache::default();
        let (used, unused) = (ItemId::generate(), ItemId::generate());
        cache.put(used, body(1, 10), None);
        cache.put(unused, body(1, 10), None);
        for _ in 0..100 {
            cache.put(ItemId::generate(), body(1, MAX_BODY_BYTES), None);
            assert!(cache.get(used).is_some());
            let generations = cache.generations.lock().unwrap();
            let bytes: usize =
                generations.young.values().chain(generations.old.values()).map(|body| body.bytes.len()).sum();
            assert!(bytes <= 2 * GENERATION_BYTES + MAX_BODY_BYTES, "{bytes}");
        }
        assert!(cache.get(unused).is_none());
    }

    #[test]
    fn a_body_that_is_too_long_is_shared_while_it_is_sent() {
        let (cache, id, budget) = (ResponseCache::default(), ItemId::generate(), MemoryBudget::new(1 << 30));
        let put = |version| {
            let memory = budget.request(MemoryHolder::Address(0));
            cache.put(id, body(version, MAX_BODY_BYTES + 1), Some(memory)).bytes
        };
        let first = put(1);
        let (second, third) = (cache.get(id).unwrap().bytes, put(1));
        assert_eq!((first.as_ptr(), first.as_ptr()), (second.as_ptr(), third.as_ptr()));
        assert_eq!(budget.used(), MAX_BODY_BYTES + 1);
        let newer = put(2);
        assert_ne!(newer.as_ptr(), first.as_ptr());
        assert_eq!(budget.used(), 2 * (MAX_BODY_BYTES + 1));
        let end = third.slice(third.len() - 1..);
        drop((first, second, third, newer));
        assert_eq!(budget.used(), MAX_BODY_BYTES + 1, "a slice keeps the whole");
        drop(end);
        assert_eq!(budget.used(), 0);
        assert!(cache.get(id).is_none());
    }
}
