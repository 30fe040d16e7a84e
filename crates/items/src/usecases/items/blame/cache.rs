//! The blames that were asked for last: to go back through a long history takes seconds.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use interline_edit::LineOrigin;

use crate::ItemId;

/// How many are kept.
const MAX_ENTRIES: usize = 64;
/// How many ranges of lines they have together: 16 megabytes.
const MAX_RANGES: usize = (16 << 20) / size_of::<LineOrigin>();

/// Origins of the lines of some items, each in one version, which never change, unless old versions are forgotten. Who made a
/// version is not kept: tokens get other names.
#[derive(Default)]
pub(in crate::usecases) struct BlameCache(Mutex<VecDeque<Entry>>);

/// One per item; the one that was used last is the last.
struct Entry {
    item: ItemId,
    version: u64,
    lines: Arc<[LineOrigin]>,
}

impl BlameCache {
    /// The origins of an item's lines in a version.
    pub(super) fn get(&self, item: ItemId, version: u64) -> Option<Arc<[LineOrigin]>> {
        let mut entries = self.lock();
        let index = entries.iter().position(|entry| entry.item == item && entry.version == version)?;
        let entry = entries.remove(index)?;
        let lines = Arc::clone(&entry.lines);
        entries.push_back(entry);
        Some(lines)
    }

    /// Keeps them, in the place of those of another version.
    pub(super) fn put(&self, item: ItemId, version: u64, lines: Arc<[LineOrigin]>) {
        let mut entries = self.lock();
        entries.retain(|entry| entry.item != item);
        entries.push_back(Entry { item, version, lines });
        let mut ranges: usize = entries.iter().map(|entry| entry.lines.len()).sum();
        while entries.len() > MAX_ENTRIES || ranges > MAX_RANGES {
            let Some(oldest) = entries.pop_front() else { return };
            ranges -= oldest.lines.len();
        }
    }

    /// Forgets those of an item.
    pub(super) fn remove(&self, item: ItemId) {
        self.lock().retain(|entry| entry.item != item);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(ranges: usize) -> Arc<[LineOrigin]> {
        (1..=ranges).map(|line| LineOrigin { start_line: line, end_line: line, version: 1 }).collect()
    }

    #[test]
    fn what_was_used_last_is_kept_in_bounds() {
        let (cache, first) = (BlameCache::default(), ItemId::generate());
        cache.put(first, 1, lines(1));
        cache.put(first, 2, lines(2));
        assert!(cache.get(first, 1).is_none(), "another version is in its place");
        for _ in 0..MAX_ENTRIES - 1 {
            cache.put(ItemId::generate(), 1, lines(1));
            assert!(cache.get(first, 2).is_some());
        }
        cache.put(ItemId::generate(), 1, lines(1));
        assert_eq!(cache.lock().len(), MAX_ENTRIES);
        assert!(cache.get(first, 2).is_some());
        let large = ItemId::generate();
        cache.put(large, 1, lines(MAX_RANGES));
        assert!(cache.get(first, 2).is_none() && cache.get(large, 1).is_some());
        cache.put(first, 2, lines(MAX_RANGES + 1));
        assert!(cache.lock().is_empty(), "what is too large is not kept");
        cache.put(first, 2, lines(1));
        cache.remove(first);
        assert!(cache.get(first, 2).is_none());
    }
}
