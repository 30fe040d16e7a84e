//! Pages of lists.
//!
//! The items of one space, kind and view are a [`Shelf`]. For each order there is an index that has every shelf sorted,
//! so a page is made of the next few entries of each shelf ([`walk`]). Where tags are asked for that few items have, it
//! is cheaper to gather those items and sort them ([`tagged`]).

use std::cmp::Ordering;

use interline_items::{
    Contents, Cursor, CursorKey, Kind, ListQuery, Page, PageStart, Snapshot, Sort, SortBy, SortOrder, SpaceId, View,
};
use rusqlite::Connection;
use uuid::Uuid;

use super::failure::Failure;
use super::rows::{self, item_columns, select_snapshot};
use super::{tagged, walk};

const ITEM: &str = concat!("SELECT ", item_columns!(), " FROM items WHERE number = ?1");

const SNAPSHOT: &str = concat!(select_snapshot!(), " WHERE items.number = ?1");

const COUNT: &str = "SELECT items FROM item_counts WHERE space = ?1 AND kind = ?2 AND view = ?3";

/// The items of one space, kind and view.
#[derive(Clone, Copy)]
pub(super) struct Shelf {
    pub(super) space: SpaceId,
    pub(super) kind: Kind,
    pub(super) view: View,
}

impl Shelf {
    /// The view's number in the tables.
    pub(super) fn view_number(self) -> i64 {
        match self.view {
            View::Active => 0,
            View::Archived => 1,
            View::Deleted => 2,
        }
    }
}

/// A place of an item in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: Option<CursorKey>,
    pub(super) id: Uuid,
    pub(super) number: i64,
}

/// A page, and how many items there are. The connection is in a transaction.
pub(super) fn list(connection: &Connection, query: &ListQuery) -> Result<Page, Failure> {
    let shelves = shelves(query);
    let untagged_total = count(connection, &shelves)?;
    let (total, mut entries) = if query.filter.tags.is_empty() {
        (untagged_total, walk::walk(connection, query, &shelves)?)
    } else {
        tagged::entries(connection, query, &shelves, untagged_total)?
    };
    entries.sort_by(|a, b| compare(a, b, query.sort));
    let skipped = entries.len().min(skipped(query));
    entries.drain(..skipped);
    let next = entries.get(query.limit).is_some().then(|| entries[query.limit - 1].cursor());
    entries.truncate(query.limit);
    let items = entries.iter().map(|entry| read(connection, entry, query.contents)).collect::<Result<_, _>>()?;
    Ok(Page { items, total, next })
}

/// How many entries from the start of the order are not on the page.
fn skipped(query: &ListQuery) -> usize {
    match query.start {
        PageStart::Offset(offset) => usize::try_from(offset).unwrap_or(usize::MAX),
        PageStart::After(_) => 0,
    }
}

/// How many entries are enough to make the page and to know whether there is more.
pub(super) fn enough(query: &ListQuery) -> usize {
    skipped(query).saturating_add(query.limit).saturating_add(1)
}

/// Which of two entries comes first: those without a key last in both orders, and ids where the keys are equal.
pub(super) fn compare(a: &Entry, b: &Entry, sort: Sort) -> Ordering {
    match (&a.key, &b.key) {
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        _ => {
            let ascending = compare_keys(a.key.as_ref(), b.key.as_ref()).then(a.id.cmp(&b.id));
            match sort.order {
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

impl Entry {
    /// An entry from a row of key, id and number.
    pub(super) fn of(row: &rusqlite::Row<'_>, by: SortBy) -> Result<Entry, Failure> {
        let mut columns = rows::Columns::of(row);
        let key = match by {
            SortBy::Title => columns.next::<Option<String>>()?.map(CursorKey::Text),
            SortBy::CreatedAt | SortBy::UpdatedAt | SortBy::LastUsedAt => {
                columns.next::<Option<i64>>()?.map(CursorKey::Micros)
            }
        };
        Ok(Entry { key, id: columns.uuid()?, number: columns.next()? })
    }

    /// The entry that a page starts after.
    pub(super) fn at(cursor: &Cursor) -> Entry {
        Entry { key: cursor.key.clone(), id: cursor.id.uuid(), number: 0 }
    }

    fn cursor(&self) -> Cursor {
        Cursor { key: self.key.clone(), id: interline_items::ItemId::from_uuid(self.id) }
    }
}

fn shelves(query: &ListQuery) -> Vec<Shelf> {
    let mut shelves = Vec::new();
    for &space in &query.filter.spaces {
        for &kind in &query.filter.kinds {
            shelves.extend(query.filter.views.iter().map(|&view| Shelf { space, kind, view }));
        }
    }
    shelves
}

fn count(connection: &Connection, shelves: &[Shelf]) -> Result<u64, Failure> {
    let mut statement = connection.prepare_cached(COUNT)?;
    let mut total = 0;
    for shelf in shelves {
        let keys = rusqlite::params![shelf.space.uuid().into_bytes(), shelf.kind.name(), shelf.view_number()];
        if let Some(row) = statement.query(keys)?.next()? {
            total += rows::Columns::of(row).count()?;
        }
    }
    Ok(total)
}

fn read(connection: &Connection, entry: &Entry, contents: Contents) -> Result<Snapshot, Failure> {
    let sql = match contents {
        Contents::Omit => ITEM,
        Contents::Read => SNAPSHOT,
    };
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query([entry.number])?;
    let row = found.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    match contents {
        Contents::Omit => Ok(Snapshot { item: rows::item(row)?, content: None }),
        Contents::Read => rows::snapshot(row),
    }
}
