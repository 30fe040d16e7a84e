//! Keyset pagination, the same for both storages: the sort keys of items, their comparison, and the cut of a sorted list
//! into a page with the cursor of the next one.

use std::cmp::Ordering;

use interline_items::search::SearchOrder;
use interline_items::{Cursor, CursorKey, ItemId, ListQuery, PageStart, SortBy, SortOrder, View};
use uuid::Uuid;

/// An item in a sorted list: its sort key, and the id that decides between equal keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageEntry {
    pub(crate) key: Option<CursorKey>,
    pub(crate) id: Uuid,
    /// The item's number in the table.
    pub(crate) number: i64,
}

impl PageEntry {
    /// The entry that a page starts after.
    pub(crate) fn from_cursor(cursor: &Cursor) -> PageEntry {
        PageEntry { key: cursor.key.clone(), id: cursor.id.uuid(), number: 0 }
    }

    /// The id and the number of its item.
    pub(crate) fn item(&self) -> (ItemId, i64) {
        (ItemId::from_uuid(self.id), self.number)
    }

    /// Sorts by the score of a search, where its order is by relevance.
    pub(crate) fn set_score(&mut self, order: SearchOrder, score: u32) {
        match order {
            SearchOrder::Relevance(_) => self.key = Some(CursorKey::Score(score)),
            SearchOrder::Sorted(_) => {}
        }
    }

    /// The cursor of the page after this entry.
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor { key: self.key.clone(), id: ItemId::from_uuid(self.id) }
    }
}

/// The sort key to read for the entries of a search, before they have their scores.
pub(crate) fn search_sort_by(order: SearchOrder) -> SortBy {
    match order {
        // Any key does: the score replaces it.
        SearchOrder::Relevance(_) => SortBy::UpdatedAt,
        SearchOrder::Sorted(sort) => sort.by,
    }
}

/// Which of two entries comes first: entries without a key are last in both orders; ids decide between equal keys.
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
        // All keys of one order are of one type.
        _ => Ordering::Equal,
    }
}

/// Sorts entries and keeps those of the page. Returns the cursor of the next page, if there is one.
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

/// How many entries of the order are skipped before the page.
pub(crate) fn page_offset(start: &PageStart) -> usize {
    match start {
        PageStart::Offset(offset) => usize::try_from(*offset).unwrap_or(usize::MAX),
        PageStart::After(_) => 0,
    }
}

/// How many entries are enough to fill the page of a list and to know whether there is a next one.
pub(crate) fn entries_needed(query: &ListQuery) -> usize {
    page_offset(&query.start).saturating_add(query.limit).saturating_add(1)
}

/// The column of the table `items` that an order compares.
pub(crate) const fn sort_column(by: SortBy) -> &'static str {
    match by {
        SortBy::CreatedAt => "created_at",
        SortBy::UpdatedAt => "updated_at",
        SortBy::LastUsedAt => "last_used_at",
        SortBy::Title => "title_key",
    }
}

/// The number of a view in the tables.
pub(crate) const fn view_number(view: View) -> i32 {
    match view {
        View::Active => 0,
        View::Archived => 1,
        View::Deleted => 2,
    }
}
