//! What a list is, said without a database; and items to list.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use interline_items::fields::sort_key;
use interline_items::{Contents, Item, ListQuery, Snapshot, SortBy, SortOrder, Space, TagMatch, View};
use jiff::{SignedDuration, Timestamp};

use crate::samples::{Sample, at, bookmark, note, prompt, title};

/// The whole list that a query is a page of.
pub(crate) fn sorted(all: &[Snapshot], query: &ListQuery) -> Vec<Snapshot> {
    let mut list: Vec<Snapshot> = all.iter().filter(|one| matches(&one.item, query)).cloned().collect();
    list.sort_by(|a, b| compare(&a.item, &b.item, query));
    if query.contents == Contents::Omit {
        list.iter_mut().for_each(|one| one.content = None);
    }
    list
}

/// Whether an item is one of those that a query lists.
pub(crate) fn matches(item: &Item, query: &ListQuery) -> bool {
    let has = |wanted: &interline_items::fields::Tag| item.fields.tags.as_slice().iter().any(|tag| tag == wanted);
    let tagged = match query.filter.tag_match {
        _ if query.filter.tags.is_empty() => true,
        TagMatch::All => query.filter.tags.iter().all(has),
        TagMatch::Any => query.filter.tags.iter().any(has),
    };
    tagged
        && query.filter.spaces.contains(&item.space)
        && query.filter.kinds.contains(&item.kind)
        && query.filter.views.contains(&View::from_item(item))
}

/// What an item is sorted by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Time(Timestamp),
    Text(String),
}

fn key(item: &Item, by: SortBy) -> Option<Key> {
    match by {
        SortBy::CreatedAt => Some(Key::Time(item.created_at)),
        SortBy::UpdatedAt => Some(Key::Time(item.updated_at)),
        SortBy::LastUsedAt => item.last_used_at.map(Key::Time),
        SortBy::Title => item.fields.title.as_ref().map(|title| Key::Text(sort_key(title.as_str()))),
    }
}

fn compare(a: &Item, b: &Item, query: &ListQuery) -> Ordering {
    let directed = |order: Ordering| match query.sort.order {
        SortOrder::Ascending => order,
        SortOrder::Descending => order.reverse(),
    };
    match (key(a, query.sort.by), key(b, query.sort.by)) {
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (a_key, b_key) => directed(a_key.cmp(&b_key).then(a.id.cmp(&b.id))),
    }
}

/// Chance that comes out the same every time.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below `bound`: splitmix64.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((bits ^ (bits >> 31)) % bound as u64).unwrap()
    }

    /// At least one of the choices, mostly more.
    pub(crate) fn some<T: Copy + Ord>(&mut self, choices: &[T]) -> BTreeSet<T> {
        let mut chosen: BTreeSet<T> = choices.iter().copied().filter(|_| self.below(3) > 0).collect();
        chosen.insert(choices[self.below(choices.len())]);
        chosen
    }

    /// One of few times, so that many are equal.
    fn time(&mut self) -> Timestamp {
        at(self.below(4) as i64) + SignedDuration::from_micros(self.below(2) as i64)
    }

    fn maybe_time(&mut self) -> Option<Timestamp> {
        (self.below(2) == 0).then(|| self.time())
    }

    /// An item of any kind in any state; few of its values are its own.
    pub(crate) fn item(&mut self, space: &Space, number: usize) -> Snapshot {
        let mut sample = match self.below(3) {
            0 => note(space, self.title()),
            1 => bookmark(space, &format!("https://example.org/{number}")),
            _ => prompt(space, &format!("prompt-{number}")),
        };
        if sample.item.fields.title.is_none() && self.below(2) == 0 {
            sample.item.fields.title = Some(title(self.title()));
        }
        let words: BTreeSet<&str> = self.some(&["a", "b", "c", "d/e"]);
        sample = sample.with_tags(&words.into_iter().take(self.below(4)).collect::<Vec<_>>());
        if self.below(3) > 0 {
            sample = sample.with_content(&format!("content {number}\n"));
        }
        sample.item.created_at = self.time();
        sample.item.updated_at = self.time();
        sample.item.last_used_at = self.maybe_time();
        sample.item.archived_at = if self.below(3) == 0 { self.maybe_time() } else { None };
        sample.item.deleted_at = if self.below(3) == 0 { self.maybe_time() } else { None };
        sample
    }

    /// Titles that databases like to order each in their own way.
    fn title(&mut self) -> &'static str {
        let titles =
            ["", "a", "A", "á", "a\u{301}", "Zebra", "zebra", "_x", "-x", "10", "9", "ß", "中", "𝄞", " b", "b"];
        titles[self.below(titles.len())]
    }
}
