//! Orders of items, and pages of them.

use std::cmp::Ordering;

use interline_items::search::SearchOrder;
use interline_items::{Cursor, CursorKey, ItemId, PageStart, SortBy, SortOrder};
use uuid::Uuid;

/// A place of an item in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageEntry {
    pub(crate) key: Option<CursorKey>,
    pub(crate) id: Uuid,
    pub(crate) number: i64,
}

impl PageEntry {
    /// The entry that a page starts after.
    pub(crate) fn from_cursor(cursor: &Cursor) -> PageEntry {
        PageEntry { key: cursor.key.clone(), id: cursor.id.uuid(), number: 0 }
    }

    /// Takes its place among what is found.
    pub(crate) fn set_score(&mut self, order: SearchOrder, score: u32) {
        match order {
            SearchOrder::Relevance(_) => self.key = Some(CursorKey::Score(score)),
            SearchOrder::Sorted(_) => {}
        }
    }

    pub(crate) fn cursor(&self) -> Cursor {
        Cursor { key: self.key.clone(), id: ItemId::from_uuid(self.id) }
    }
}

/// What the keys of entries are before they are ranked.
pub(crate) fn search_sort_column(order: SearchOrder) -> SortBy {
    match order {
        // Any key does: their scores take its place.
        SearchOrder::Relevance(_) => SortBy::UpdatedAt,
        SearchOrder::Sorted(sort) => sort.by,
    }
}

/// Which of two entries comes first: those without a key last in both orders, and ids where the keys are equal.
pub(crate) fn compare(a: &PageEntry, b: &PageEntry, order: SortOrder) -> Ordering {
    match (&a.key, &b.key) {
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        _ => {
            let ascending = compare_keys(a.key.as_ref(), b.key.as_ref()).then(a.id.cmp(&b.id));
            match order {
                SortOrder::Ascending => ascending,
                SortOrder::Descending => ascending.reverse(),
            }
        }
    }
}

fn compare_keys(a: Option<&CursorKey>, b: Option<&CursorKey>) -> Ordering {
    match (a, b) {
        (Some(CursorKey::Text(a)), Some(CursorKey::Text(b))) => a.cmp(b),
        (Some(CursorKey::Micros(a)), Some(CursorKey::Micros(b))) => a.cmp(b),
        (Some(CursorKey::Score(a)), Some(CursorKey::Score(b))) => a.cmp(b),
        // An order has keys of one sort.
        _ => Ordering::Equal,
    }
}

/// Sorts entries and leaves those of a page; where the next page starts.
pub(crate) fn cut_page(
    entries: &mut Vec<PageEntry>,
    start: &PageStart,
    limit: usize,
    order: SortOrder,
) -> Option<Cursor> {
    match start {
        PageStart::Offset(_) => {}
        PageStart::After(cursor) => {
            let start = PageEntry::from_cursor(cursor);
            entries.retain(|entry| compare(entry, &start, order) == Ordering::Greater);
        }
    }
    entries.sort_unstable_by(|a, b| compare(a, b, order));
    entries.drain(..entries.len().min(page_offset(start)));
    let next = entries.get(limit).and_then(|_| entries.get(limit - 1)).map(PageEntry::cursor);
    entries.truncate(limit);
    next
}

/// How many entries from the start of the order are not on the page.
pub(crate) fn page_offset(start: &PageStart) -> usize {
    match start {
        PageStart::Offset(offset) => usize::try_from(*offset).unwrap_or(usize::MAX),
        PageStart::After(_) => 0,
    }
}
