//! A cache of response bodies: the JSON of items that were read whole, valid while the item is unchanged.
//!
//! Reading an item again then costs only the check that it did not change: its content is neither read from the store nor
//! written as JSON. Bodies that the memory budget counts are shared by the responses that are being sent: a hundred clients
//! that read one long item take the memory of one, also where the cache has dropped it since. Such a body counts once for each
//! user who is sent it, so that nobody pays for how slowly another reads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use axum::body::Bytes;
use interline_items::{Item, ItemId, ItemState, MemoryHolder, Overloaded, RequestMemory, Stamp};
use jiff::Timestamp;

use crate::connections::HeldBytes;

/// How many bytes of bodies each generation holds.
const GENERATION_BYTES: usize = 16 * 1024 * 1024;
/// The longest body that is cached: one does not push out all others.
const MAX_BODY_BYTES: usize = GENERATION_BYTES / 8;
/// How many bodies may be listed as being sent before those that are sent by now are dropped from the list.
const LEAST_LISTED: usize = 64;

/// The bodies of the items that were read last.
#[derive(Default)]
pub(in crate::http) struct ResponseCache {
    generations: Mutex<Generations>,
    sending: Mutex<SendingBodies>,
}

/// The counted bodies that are being sent, and some that were.
#[derive(Default)]
struct SendingBodies {
    by_item: HashMap<ItemId, SendingBody>,
    /// When there are so many, those that are sent by now are dropped from the list.
    next_sweep: usize,
}

/// A counted body, as long as a response with it is being sent.
struct SendingBody {
    stamp: Stamp,
    last_used_at: Option<Timestamp>,
    bytes: Weak<Bytes>,
    /// The request that holds it for all of its holder's.
    memory: HashMap<MemoryHolder, Weak<RequestMemory>>,
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
        self.sending().by_item.get(&id)?.body()
    }

    /// Caches a body. One that is too long is cached only while it is being sent.
    pub(in crate::http) fn put(&self, id: ItemId, body: CachedBody) {
        if body.bytes.len() <= MAX_BODY_BYTES {
            self.generations.lock().unwrap_or_else(PoisonError::into_inner).put(id, body);
        }
    }

    /// The body to send in the response to the request that `memory` is of: that of another response, if there is the same.
    /// If none of these is of the same holder, the request holds it from now on, instead of what it held before, until the last
    /// response of its holder with it is sent.
    pub(in crate::http) fn send(
        &self,
        id: ItemId,
        body: CachedBody,
        memory: &RequestMemory,
    ) -> Result<CachedBody, Overloaded> {
        let bytes = body.bytes.len();
        if !RequestMemory::counts(bytes) {
            return Ok(body);
        }
        let mut sending = self.sending();
        let CachedBody { stamp, last_used_at, bytes: new } = body;
        let same = sending.by_item.get(&id).filter(|other| (other.stamp, other.last_used_at) == (stamp, last_used_at));
        let shared = same.and_then(|same| same.bytes.upgrade());
        let counted = same.and_then(|same| same.memory.get(&memory.holder())?.upgrade());
        let is_listed = shared.is_some();
        let shared = shared.unwrap_or_else(|| Arc::new(new));
        let memory = match counted {
            Some(memory) => memory,
            None => {
                if let Some(more) = bytes.checked_sub(memory.bytes()) {
                    memory.take(more)?;
                }
                memory.hold(bytes);
                Arc::new(memory.clone())
            }
        };
        if !is_listed {
            let bytes = Arc::downgrade(&shared);
            sending.insert(id, SendingBody { stamp, last_used_at, bytes, memory: HashMap::new() });
        }
        if let Some(listed) = sending.by_item.get_mut(&id) {
            listed.memory.retain(|_, memory| memory.strong_count() > 0);
            listed.memory.insert(memory.holder(), Arc::downgrade(&memory));
        }
        let bytes = Bytes::clone(&shared);
        let bytes = Bytes::from_owner(HeldBytes { bytes, _guard: (shared, memory) });
        Ok(CachedBody { stamp, last_used_at, bytes })
    }

    fn sending(&self) -> MutexGuard<'_, SendingBodies> {
        self.sending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SendingBodies {
    fn insert(&mut self, id: ItemId, body: SendingBody) {
        if self.by_item.len() >= self.next_sweep {
            self.by_item.retain(|_, other| other.bytes.strong_count() > 0);
            self.next_sweep = (2 * self.by_item.len()).max(LEAST_LISTED);
        }
        self.by_item.insert(id, body);
    }
}

impl SendingBody {
    /// The body, if it is still being sent.
    fn body(&self) -> Option<CachedBody> {
        let shared = self.bytes.upgrade()?;
        let bytes = Bytes::from_owner(HeldBytes { bytes: Bytes::clone(&shared), _guard: shared });
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
    use interline_items::{MemoryBudget, MemoryHolder, OverloadCause};

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
    fn a_counted_body_is_shared_while_it_is_sent() {
        for length in [20_000, MAX_BODY_BYTES, MAX_BODY_BYTES + 1] {
            let (cache, id, budget) =
                (ResponseCache::default(), ItemId::generate(), MemoryBudget::new(1 << 30, || None));
            let send = |version| {
                cache.put(id, body(version, length));
                let memory = budget.request(MemoryHolder::Address(0));
                cache.send(id, body(version, length), &memory).unwrap().bytes
            };
            let first = send(1);
            let (second, third) = (send(1), send(1));
            assert_eq!((first.as_ptr(), first.as_ptr()), (second.as_ptr(), third.as_ptr()));
            assert_eq!(budget.used(), length);
            let newer = send(2);
            assert_ne!(newer.as_ptr(), first.as_ptr());
            assert_eq!(budget.used(), 2 * length);
            let end = third.slice(third.len() - 1..);
            drop((first, second, third, newer));
            assert_eq!(budget.used(), length, "a slice keeps the whole");
            drop(end);
            assert_eq!(budget.used(), 0);
            assert_eq!(cache.get(id).is_some(), length <= MAX_BODY_BYTES);
        }
    }

    #[test]
    fn a_shared_body_counts_once_for_each_holder() {
        let (cache, id, budget) = (ResponseCache::default(), ItemId::generate(), MemoryBudget::new(64 << 20, || None));
        let (one, other) = (MemoryHolder::Address(1), MemoryHolder::Address(2));
        let length = 20 << 20;
        let send = |id, holder, body| cache.send(id, body, &budget.request(holder)).map(|body| body.bytes);
        let first = send(id, one, body(1, length)).unwrap();
        let slow = send(id, other, cache.get(id).unwrap()).unwrap();
        let again = send(id, other, cache.get(id).unwrap()).unwrap();
        assert_eq!((first.as_ptr(), first.as_ptr()), (slow.as_ptr(), again.as_ptr()), "there is one copy");
        assert_eq!(budget.used(), 2 * length);
        drop((first, again));
        assert_eq!(budget.used(), length);
        let further = send(ItemId::generate(), one, body(1, length)).expect("it pays for nobody who reads slowly");
        assert_eq!(send(ItemId::generate(), other, body(1, length)).unwrap_err().cause, OverloadCause::Caller);
        drop((slow, further));
        assert_eq!(budget.used(), 0);
        assert!(cache.get(id).is_none());
    }

    #[test]
    fn what_the_cache_dropped_counts_until_it_is_sent_and_what_is_too_much_is_refused() {
        let (cache, budget) = (ResponseCache::default(), MemoryBudget::new(64 << 20, || None));
        let mut sent = Vec::new();
        let refused = loop {
            assert!(sent.len() < 64, "everything was sent");
            let (id, body) = (ItemId::generate(), body(1, 1 << 20));
            cache.put(id, body.clone());
            match cache.send(id, body, &budget.request(MemoryHolder::Address(0))) {
                Ok(body) => sent.push(body.bytes),
                Err(refused) => break refused,
            }
        };
        assert_eq!(refused.cause, OverloadCause::Caller);
        assert_eq!((sent.len(), budget.used()), (32, 32 << 20), "half of the budget");
        cache
            .send(ItemId::generate(), body(1, 1 << 20), &budget.request(MemoryHolder::Address(1)))
            .expect("another has room");
    }

    #[test]
    fn the_list_of_what_is_sent_does_not_grow() {
        let (cache, budget) = (ResponseCache::default(), MemoryBudget::new(64 << 20, || None));
        for _ in 0..1_000 {
            let memory = budget.request(MemoryHolder::Address(0));
            drop(cache.send(ItemId::generate(), body(1, 20_000), &memory).unwrap());
            assert!(cache.sending().by_item.len() <= LEAST_LISTED);
        }
    }
}
