//! Sorted sets of item numbers: the tombstones of a segment (items whose postings there no longer count), stale items.

use crate::codec::{CodecError, varint};

/// A set of items, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ItemSet {
    /// Strictly ascending, from 1.
    items: Vec<i64>,
}

impl FromIterator<i64> for ItemSet {
    /// A set of items that come in any order. A number under 1 is no item's and is left out.
    fn from_iter<I: IntoIterator<Item = i64>>(items: I) -> ItemSet {
        let mut items: Vec<i64> = items.into_iter().filter(|item| *item > 0).collect();
        items.sort_unstable();
        items.dedup();
        ItemSet { items }
    }
}

impl ItemSet {
    /// The set as bytes: the distance from each item to the next.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.items.len());
        let mut before = 0;
        for &item in &self.items {
            varint::put(&mut bytes, item.abs_diff(before));
            before = item;
        }
        bytes
    }

    /// The set that [`ItemSet::encode`] made these bytes of.
    pub(crate) fn decode(bytes: &[u8]) -> Result<ItemSet, CodecError> {
        let mut rest = bytes;
        let mut items = Vec::with_capacity(bytes.len());
        let mut before: i64 = 0;
        while !rest.is_empty() {
            let distance = varint::take(&mut rest).and_then(|distance| i64::try_from(distance).ok());
            let item = distance.filter(|distance| *distance > 0).and_then(|distance| before.checked_add(distance));
            before = item.ok_or(CodecError::Index("a list of dead items is malformed"))?;
            items.push(before);
        }
        Ok(ItemSet { items })
    }

    /// How many items there are.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// The items, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = i64> {
        self.items.iter().copied()
    }

    /// Whether an item is in the set. For many items in ascending order, [`ItemSet::sweep`] is faster.
    pub(crate) fn contains(&self, item: i64) -> bool {
        self.items.binary_search(&item).is_ok()
    }

    /// Answers [`ItemSet::contains`] for many items in ascending order.
    pub(crate) fn sweep(&self) -> Sweep<'_> {
        Sweep { rest: &self.items }
    }

    /// Adds items, in any order.
    pub(crate) fn insert(&mut self, items: impl IntoIterator<Item = i64>) {
        *self = std::mem::take(&mut self.items).into_iter().chain(items).collect();
    }

    /// The items of this set and of another.
    pub(crate) fn union(&self, other: &ItemSet) -> ItemSet {
        self.items.iter().chain(&other.items).copied().collect()
    }

    /// The items of this set that are not in another.
    pub(crate) fn difference(&self, other: &ItemSet) -> ItemSet {
        let mut others = other.sweep();
        ItemSet { items: self.items.iter().copied().filter(|item| !others.contains(*item)).collect() }
    }
}

/// One pass over a set beside a list of items, both ascending.
#[derive(Clone, Debug)]
pub(crate) struct Sweep<'a> {
    rest: &'a [i64],
}

impl Sweep<'_> {
    /// Whether an item is in the set. No item of an earlier call was greater.
    #[inline]
    pub(crate) fn contains(&mut self, item: i64) -> bool {
        // In steps that double, so that a short list skips a long set and a long list does not search it each time.
        let mut reach = 1;
        while self.rest.get(reach).is_some_and(|next| *next <= item) {
            self.rest = &self.rest[reach..];
            reach *= 2;
        }
        let near = &self.rest[..self.rest.len().min(reach)];
        self.rest = &self.rest[near.partition_point(|next| *next < item)..];
        self.rest.first() == Some(&item)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(items: &[i64]) -> ItemSet {
        items.iter().copied().collect()
    }

    #[test]
    fn sets_come_back_as_they_were() {
        for items in [set(&[]), set(&[1]), set(&[5, 1, 5, 3]), set(&[i64::MAX, 1]), (1..10_000).collect()] {
            assert_eq!(ItemSet::decode(&items.encode()).unwrap(), items);
        }
        assert_eq!(set(&[5, 1, 0, 5, -3]), set(&[1, 5]));
    }

    #[test]
    fn malformed_bytes_are_an_error() {
        let beyond = [set(&[i64::MAX]).encode(), vec![1]].concat();
        for bytes in [&[0][..], &[1, 0x80], &[0xff; 10], &beyond] {
            assert!(ItemSet::decode(bytes).is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn sets_answer_as_sets_do(
            a in prop::collection::btree_set(1..200_i64, 0..120),
            b in prop::collection::btree_set(1..200_i64, 0..120),
        ) {
            let (x, y): (ItemSet, ItemSet) = (a.iter().copied().collect(), b.iter().copied().collect());
            prop_assert_eq!(x.union(&y), a.union(&b).copied().collect());
            prop_assert_eq!(x.difference(&y), a.difference(&b).copied().collect());
            let mut grown = x.clone();
            grown.insert(b.iter().rev().copied());
            prop_assert_eq!(&grown, &x.union(&y));
            prop_assert_eq!(grown.len(), a.union(&b).count());
            let mut sweep = x.sweep();
            for item in 0..=200 {
                prop_assert_eq!(x.contains(item), a.contains(&item));
                prop_assert_eq!(sweep.contains(item), a.contains(&item));
            }
            let mut sweep = x.sweep();
            for item in &b {
                prop_assert_eq!(sweep.contains(*item), a.contains(item));
            }
        }
    }
}
