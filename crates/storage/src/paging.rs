//! Keyset pagination, the same for both storages: the sort keys of items, their comparison, and the cut of a sorted list
//! into a page with the cursor of the next one.

use std::cmp::Ordering;

use interline_items::search::SearchOrder;
use interline_items::{Cursor, CursorKey, ItemId, ListQuery, PageStart, SortBy, SortOrder, StoreError, View};
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
    pub(crate) fn set_score(&mut self, new: u32) {
        if let Some(CursorKey::Score { score, .. }) = &mut self.key {
            *score = new;
        }
    }

    /// The cursor of the page after this entry.
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor { key: self.key.clone(), id: ItemId::from_uuid(self.id) }
    }
}

/// The column of the table `items` that sort keys are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SortColumn {
    /// A time, or none.
    Time(&'static str),
    /// A time that few items have: where there is an index of the order, it has those alone.
    RareTime(&'static str),
    /// What items are called.
    Title,
    /// The view, for the order of equal scores; the score is not in the table ([`PageEntry::set_score`]).
    View,
}

impl SortColumn {
    /// The column of an order of a list.
    pub(crate) const fn of_list(by: SortBy) -> SortColumn {
        match by {
            SortBy::CreatedAt => SortColumn::Time("created_at"),
            SortBy::UpdatedAt => SortColumn::Time("updated_at"),
            SortBy::LastUsedAt => SortColumn::Time("last_used_at"),
            SortBy::Title => SortColumn::Title,
            SortBy::ArchivedAt => SortColumn::RareTime("archived_at"),
            SortBy::DeletedAt => SortColumn::RareTime("deleted_at"),
        }
    }

    /// The column of an order of a search.
    pub(crate) const fn of_search(order: SearchOrder) -> SortColumn {
        match order {
            SearchOrder::Relevance(_) => SortColumn::View,
            SearchOrder::Sorted(sort) => SortColumn::of_list(sort.by),
        }
    }

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            SortColumn::Time(name) | SortColumn::RareTime(name) => name,
            SortColumn::Title => "title_key",
            SortColumn::View => "view",
        }
    }
}

/// Which of two entries comes first: entries without a key are last in both orders; among equal scores the views are in their
/// order, in both orders too; ids decide between equal keys.
pub(crate) fn compare(a: &PageEntry, b: &PageEntry, order: SortOrder) -> Ordering {
    let directed = |ascending: Ordering| match order {
        SortOrder::Ascending => ascending,
        SortOrder::Descending => ascending.reverse(),
    };
    let by_key = match (&a.key, &b.key) {
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
        (Some(CursorKey::Text(a)), Some(CursorKey::Text(b))) => directed(a.cmp(b)),
        (Some(CursorKey::Micros(a)), Some(CursorKey::Micros(b))) => directed(a.cmp(b)),
        (Some(CursorKey::Score { score: a, view: of_a }), Some(CursorKey::Score { score: b, view: of_b })) => {
            directed(a.cmp(b)).then(of_a.cmp(of_b))
        }
        // All keys of one order are of one type.
        (Some(_), Some(_)) => Ordering::Equal,
    };
    by_key.then_with(|| directed(a.id.cmp(&b.id)))
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

/// The number of a view in the tables.
pub(crate) const fn view_number(view: View) -> i32 {
    match view {
        View::Active => 0,
        View::Archived => 1,
        View::Deleted => 2,
    }
}

/// The sort key of an entry whose score is not known yet, by the number of its view.
pub(crate) fn unscored_key(view: i64) -> Result<CursorKey, StoreError> {
    let views = [View::Active, View::Archived, View::Deleted];
    let view = views.into_iter().find(|one| i64::from(view_number(*one)) == view);
    let view = view.ok_or_else(|| StoreError::Failed("a view that this program never writes".to_owned()))?;
    Ok(CursorKey::Score { score: 0, view })
}
