//! Pages of lists.
//!
//! The items of one space, kind and view are a [`Shelf`]. For each order there is an index that has every shelf sorted,
//! so a page is made of the next few entries of each shelf ([`walk`]). Where tags are asked for that few items have, it
//! is cheaper to gather those items and sort them ([`tagged`]).

use interline_items::{Contents, CursorKey, Filter, Kind, ListQuery, Page, Snapshot, SortBy, SpaceId, View};
use rusqlite::Connection;

use super::failure::Failure;
use super::rows::{self, item_columns, select_snapshot};
use super::{tagged, walk};
use crate::order::{Entry, cut_page, skipped};

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

/// A page, and how many items there are. The connection is in a transaction.
pub(super) fn list(connection: &Connection, query: &ListQuery) -> Result<Page, Failure> {
    let (shelves, untagged_total) = stocked(connection, shelves(&query.filter))?;
    let (total, mut entries) = if query.filter.tags.is_empty() {
        (untagged_total, walk::walk(connection, query, &shelves)?)
    } else {
        tagged::entries(connection, query, &shelves, untagged_total)?
    };
    let next = cut_page(&mut entries, &query.start, query.limit, query.sort.order);
    let items = entries.iter().map(|entry| read(connection, entry, query.contents)).collect::<Result<_, _>>()?;
    Ok(Page { items, total, next })
}

/// How many entries are enough to make the page and to know whether there is more.
pub(super) fn enough(query: &ListQuery) -> usize {
    skipped(&query.start).saturating_add(query.limit).saturating_add(1)
}

/// An entry from a row of key, id and number.
pub(super) fn entry_of(row: &rusqlite::Row<'_>, by: SortBy) -> Result<Entry, Failure> {
    let mut columns = rows::Columns::of(row);
    let key = match by {
        SortBy::Title => columns.next::<Option<String>>()?.map(CursorKey::Text),
        SortBy::CreatedAt | SortBy::UpdatedAt | SortBy::LastUsedAt => {
            columns.next::<Option<i64>>()?.map(CursorKey::Micros)
        }
    };
    Ok(Entry { key, id: columns.uuid()?, number: columns.next()? })
}

/// The shelves of a filter.
pub(super) fn shelves(filter: &Filter) -> Vec<Shelf> {
    let mut shelves = Vec::new();
    for &space in &filter.spaces {
        for &kind in &filter.kinds {
            shelves.extend(filter.views.iter().map(|&view| Shelf { space, kind, view }));
        }
    }
    shelves
}

/// Those of the shelves that have items, and how many they have together. Most spaces have items of few kinds.
pub(super) fn stocked(connection: &Connection, shelves: Vec<Shelf>) -> Result<(Vec<Shelf>, u64), Failure> {
    let mut statement = connection.prepare_cached(COUNT)?;
    let (mut stocked, mut total) = (Vec::new(), 0);
    for shelf in shelves {
        let keys = rusqlite::params![shelf.space.uuid().into_bytes(), shelf.kind.name(), shelf.view_number()];
        let items = match statement.query(keys)?.next()? {
            Some(row) => rows::Columns::of(row).count()?,
            None => 0,
        };
        if items > 0 {
            stocked.push(shelf);
            total += items;
        }
    }
    Ok((stocked, total))
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
