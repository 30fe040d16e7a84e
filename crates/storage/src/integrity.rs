//! The check of contents against their stored hashes, and the count of damage that was met.
//!
//! A content is hashed before something is built on it, and otherwise once an hour for each version of an item: the table of
//! [`CheckedVersions`] remembers when. Both storages share this module, so that no text of theirs gets around it.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use interline_items::{
    Corruption, DamageCount, HashCheck, Item, ItemId, PointRead, Snapshot, StoreError, Version, content_hash,
};
use tokio::task::spawn_blocking;

/// How many versions are remembered; one that takes the place of another is only checked again.
const REMEMBERED: usize = 1 << 16;
/// How long a check is remembered, in minutes.
const MEMORY_MINUTES: u64 = 60;
/// How many damaged items are told apart.
const MAX_DAMAGED: usize = 10_000;
/// From how many bytes on hashing is too long for a thread of the async runtime, which serves other requests too.
const BLOCKING_FROM: usize = 256 * 1024;

/// What a store knows about the integrity of its contents.
pub(crate) struct Integrity {
    checked: CheckedVersions,
    damaged: Mutex<BTreeSet<ItemId>>,
    /// How many items are in `damaged`, so that a read need not lock it.
    damaged_items: AtomicU64,
    damaged_reads: AtomicU64,
}

impl Integrity {
    pub(crate) fn new() -> Integrity {
        Integrity {
            checked: CheckedVersions::new(),
            damaged: Mutex::default(),
            damaged_items: AtomicU64::new(0),
            damaged_reads: AtomicU64::new(0),
        }
    }

    /// How much damage was met.
    pub(crate) fn count(&self) -> DamageCount {
        DamageCount {
            reads: self.damaged_reads.load(Ordering::Relaxed),
            items: self.damaged_items.load(Ordering::Relaxed),
        }
    }

    /// Counts the damage that made an operation fail, if that is why it failed.
    pub(crate) fn count_damage<T>(&self, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(StoreError::Corrupt(corruption)) = &outcome {
            self.add_damage(corruption);
        }
        outcome
    }

    /// Counts damage that made nothing fail: what is damaged was left out.
    pub(crate) fn add_damage(&self, corruption: &Corruption) {
        self.damaged_reads.fetch_add(1, Ordering::Relaxed);
        if let Corruption { item: Some(item), version: None, .. } = *corruption {
            self.change_damaged(|damaged| damaged.len() < MAX_DAMAGED && damaged.insert(item));
        }
    }

    fn change_damaged(&self, change: impl FnOnce(&mut BTreeSet<ItemId>) -> bool) {
        let mut damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
        if change(&mut damaged) {
            self.damaged_items.store(damaged.len() as u64, Ordering::Relaxed);
        }
    }

    /// [`StoreError::Corrupt`] if a content is not the one that its item was stored with.
    pub(crate) fn check(&self, item: &Item, content: Option<&str>, check: HashCheck) -> Result<(), StoreError> {
        // To compare nothing with nothing takes no time, and a text that is gone must not count as checked.
        let check = if content.is_some() { check } else { HashCheck::Always };
        self.check_by((item.id, item.stamp.version), check, || fits(item, content))
    }

    /// The same for a text of an item in a version, by its hash alone.
    pub(crate) fn check_text(&self, key: (ItemId, u64), hash: &[u8], text: &str) -> Result<(), StoreError> {
        self.check_by(key, HashCheck::Remembered, || content_hash(text) == *hash)
    }

    fn check_by(&self, key: (ItemId, u64), check: HashCheck, fits: impl FnOnce() -> bool) -> Result<(), StoreError> {
        if check == HashCheck::Remembered && self.checked.is_remembered(key) {
            return Ok(());
        }
        let (item, _) = key;
        if !fits() {
            return Err(no_fit(item));
        }
        self.checked.remember(key);
        if self.damaged_items.load(Ordering::Relaxed) > 0 {
            self.change_damaged(|damaged| damaged.remove(&item));
        }
        Ok(())
    }

    /// The same for a snapshot, on a blocking thread where it takes long.
    pub(crate) async fn checked(
        self: &Arc<Self>,
        snapshot: Snapshot,
        check: HashCheck,
    ) -> Result<Snapshot, StoreError> {
        let length = snapshot.content.as_ref().map_or(0, |text| text.len());
        let key = (snapshot.item.id, snapshot.item.stamp.version);
        let is_short = length < BLOCKING_FROM || (check == HashCheck::Remembered && self.checked.is_remembered(key));
        if is_short {
            self.check(&snapshot.item, snapshot.content.as_deref(), check)?;
            return Ok(snapshot);
        }
        let integrity = Arc::clone(self);
        let checking = spawn_blocking(move || {
            integrity.check(&snapshot.item, snapshot.content.as_deref(), check).map(|()| snapshot)
        });
        checking.await.map_err(|gone| StoreError::Unavailable(gone.to_string()))?
    }

    /// The same for a point read.
    pub(crate) fn checked_point_read(
        &self,
        found: Option<PointRead>,
        check: HashCheck,
    ) -> Result<Option<PointRead>, StoreError> {
        if let Some(PointRead::Whole(snapshot)) = &found {
            self.count_damage(self.check(&snapshot.item, snapshot.content.as_deref(), check))?;
        }
        Ok(found)
    }

    /// What was read for a page; `None` if it is damaged: it is counted and left out.
    pub(crate) fn unless_damaged<T, F: Damage>(&self, outcome: Result<T, F>) -> Result<Option<T>, F> {
        match outcome.map_err(F::into_corruption) {
            Ok(read) => Ok(Some(read)),
            Err(Ok(corruption)) => {
                self.add_damage(&corruption);
                Ok(None)
            }
            Err(Err(failure)) => Err(failure),
        }
    }

    /// The content of an item on a page, if it is whole: one that is damaged is counted and left out.
    pub(crate) fn without_damage(&self, mut snapshot: Snapshot) -> Snapshot {
        let checked = self.check(&snapshot.item, snapshot.content.as_deref(), HashCheck::Remembered);
        if self.count_damage(checked).is_err() {
            snapshot.content = None;
        }
        snapshot
    }
}

/// [`StoreError::Corrupt`] if a content is not the one that its item was stored with: for a caller that has no [`Integrity`] at
/// hand, and checks each time.
pub(crate) fn check_content(item: &Item, content: Option<&str>) -> Result<(), StoreError> {
    if fits(item, content) { Ok(()) } else { Err(no_fit(item.id)) }
}

/// [`StoreError::Corrupt`] if a text that is to be kept under its hash has another one.
pub(crate) fn check_hash(item: ItemId, hash: &[u8], text: &str) -> Result<(), StoreError> {
    if content_hash(text) == *hash { Ok(()) } else { Err(no_fit(item)) }
}

fn fits(item: &Item, content: Option<&str>) -> bool {
    match (&item.content, content) {
        (None, None) => true,
        (Some(info), Some(text)) => info.is_of(text),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

fn no_fit(item: ItemId) -> StoreError {
    StoreError::Corrupt(Corruption::of_item(item, "the content does not have its hash"))
}

/// A failure of a storage that may be damage.
pub(crate) trait Damage: Sized + From<StoreError> {
    /// The damage, or the failure again if it is none.
    fn into_corruption(self) -> Result<Corruption, Self>;

    /// The same failure; if what is stored cannot be read because it is damaged, it is the damage of this item.
    fn of_item(self, item: ItemId) -> Self {
        match self.into_corruption() {
            Ok(corruption) => {
                StoreError::Corrupt(Corruption { item: corruption.item.or(Some(item)), ..corruption }).into()
            }
            Err(failure) => failure,
        }
    }

    /// The same for a version of an item.
    fn of_version(self, item: ItemId, version: u64) -> Self {
        match self.into_corruption() {
            Ok(corruption) => StoreError::Corrupt(Corruption::of_version(item, version, corruption.detail)).into(),
            Err(failure) => failure,
        }
    }
}

/// The damage that an error of the store tells of, or the error again if it tells of none.
pub(crate) fn corruption_in(answer: StoreError) -> Result<Corruption, StoreError> {
    match answer {
        StoreError::Corrupt(corruption) => Ok(corruption),
        // A column that cannot be decoded.
        StoreError::Failed(detail) => Ok(Corruption { item: None, version: None, detail }),
        other => Err(other),
    }
}

/// [`StoreError::Corrupt`] if a version was not rebuilt as it was written. Records of older programs have no hash: of those
/// the size is all that can be compared.
pub(crate) fn check_version(item: ItemId, version: &Version, stored_hash: Option<&[u8]>) -> Result<(), StoreError> {
    let content = version.content.as_deref();
    let has_its_hash = stored_hash.is_none_or(|hash| content.is_some_and(|text| content_hash(text) == *hash));
    if version.fits_its_record() && has_its_hash {
        return Ok(());
    }
    let number = version.record.stamp.version;
    Err(StoreError::Corrupt(Corruption::of_version(item, number, "it was not rebuilt with its hash and size")))
}

/// Which versions of items were checked, and when: a table of a fixed size, which takes one atomic read. A slot holds a part of
/// the hash of an item and its version, and the minute of the check.
struct CheckedVersions {
    slots: Box<[AtomicU64]>,
    /// Random: nobody can choose two items that share a slot.
    hasher: RandomState,
    start: Instant,
}

/// How many bits of a slot are the minute: enough for thirty years.
const MINUTE_BITS: u32 = 24;

impl CheckedVersions {
    fn new() -> CheckedVersions {
        let slots = (0..REMEMBERED).map(|_| AtomicU64::new(0)).collect();
        CheckedVersions { slots, hasher: RandomState::new(), start: Instant::now() }
    }

    fn is_remembered(&self, key: (ItemId, u64)) -> bool {
        self.is_remembered_at(key, self.minute())
    }

    fn is_remembered_at(&self, key: (ItemId, u64), minute: u64) -> bool {
        let (slot, tag) = self.slot(key);
        let stored = slot.load(Ordering::Relaxed);
        let checked_at = stored & ((1 << MINUTE_BITS) - 1);
        stored >> MINUTE_BITS == tag && minute < checked_at + MEMORY_MINUTES
    }

    fn remember(&self, key: (ItemId, u64)) {
        let (slot, tag) = self.slot(key);
        slot.store(tag << MINUTE_BITS | self.minute(), Ordering::Relaxed);
    }

    /// Minutes since the start, counted from an hour on: an empty slot is older than that.
    fn minute(&self) -> u64 {
        (self.start.elapsed().as_secs() / 60 + MEMORY_MINUTES).min((1 << MINUTE_BITS) - 1)
    }

    fn slot(&self, key: (ItemId, u64)) -> (&AtomicU64, u64) {
        let hash = self.hasher.hash_one(key);
        let slot = usize::try_from(hash % REMEMBERED as u64).unwrap_or_default();
        (&self.slots[slot], hash >> MINUTE_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_remembered_for_an_hour_and_for_one_version() {
        let checked = CheckedVersions::new();
        let item = ItemId::generate();
        let now = checked.minute();
        assert!(!checked.is_remembered_at((item, 1), now));
        checked.remember((item, 1));
        assert!(checked.is_remembered_at((item, 1), now) && checked.is_remembered_at((item, 1), now + 59));
        assert!(!checked.is_remembered_at((item, 1), now + 60 + 1));
        assert!(!checked.is_remembered_at((item, 2), now));
        assert!(!checked.is_remembered_at((ItemId::generate(), 1), now));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let checked = CheckedVersions::new();
        for version in 0..3 * REMEMBERED as u64 {
            checked.remember((ItemId::generate(), version));
        }
        assert_eq!(checked.slots.len(), REMEMBERED);
    }
}
