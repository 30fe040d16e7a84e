//! Pages of a list of items.
//!
//! The items of one space, kind and view are a [`ListPartition`]. For each order there is an index that has every
//! partition sorted, so a page is made of the next few entries of each partition ([`index_scan`]). Where few items have
//! the tags that the query asks for, it is cheaper to find those items and sort them ([`tag_filter`]).

use interline_items::{CursorKey, Filter, Kind, ListQuery, Page, SpaceId, View};
use rusqlite::Connection;

use crate::integrity::Integrity;
use crate::paging::{PageEntry, SortColumn, cut_page, unscored_key, view_number};
use crate::sqlite::failure::Failure;
use crate::sqlite::items::index_scan;
use crate::sqlite::items::lookup::page_snapshot;
use crate::sqlite::items::tag_filter;
use crate::sqlite::rows;

const COUNT: &str = "SELECT items FROM item_counts WHERE space = ?1 AND kind = ?2 AND view = ?3";

/// The items of one space, kind and view: a sorted range of every index of `items`.
#[derive(Clone, Copy)]
pub(crate) struct ListPartition {
    pub(crate) space: SpaceId,
    pub(crate) kind: Kind,
    pub(crate) view: View,
}

impl ListPartition {
    /// The number of the view in the tables.
    pub(crate) fn view_number(self) -> i64 {
        view_number(self.view).into()
    }
}

/// A page of items, and how many match in all. The connection is in a transaction.
pub(crate) fn list(connection: &Connection, integrity: &Integrity, query: &ListQuery) -> Result<Page, Failure> {
    let (partitions, untagged_total) = non_empty(connection, partitions(&query.filter))?;
    let (total, mut entries) = if query.filter.tags.is_empty() {
        (untagged_total, index_scan::scan(connection, query, &partitions)?)
    } else {
        tag_filter::entries(connection, query, &partitions, untagged_total)?
    };
    let next = cut_page(&mut entries, &query.start, query.limit, query.sort.order);
    let mut items = Vec::with_capacity(entries.len());
    for entry in &entries {
        items.extend(page_snapshot(connection, integrity, entry.item(), query.contents)?);
    }
    Ok(Page { items, total, next })
}

/// The entry of a row of sort key, id and number.
pub(crate) fn entry_from_row(row: &rusqlite::Row<'_>, column: SortColumn) -> Result<PageEntry, Failure> {
    let mut columns = rows::Columns::from_row(row);
    let key = match column {
        SortColumn::Title => columns.next::<Option<String>>()?.map(CursorKey::Text),
        SortColumn::Time(_) | SortColumn::RareTime(_) => columns.next::<Option<i64>>()?.map(CursorKey::Micros),
        SortColumn::View => Some(unscored_key(columns.next()?)?),
    };
    Ok(PageEntry { key, id: columns.uuid()?, number: columns.next()? })
}

/// The partitions that a filter asks for.
pub(crate) fn partitions(filter: &Filter) -> Vec<ListPartition> {
    let mut partitions = Vec::new();
    for &space in &filter.spaces {
        for &kind in &filter.kinds {
            partitions.extend(filter.views.iter().map(|&view| ListPartition { space, kind, view }));
        }
    }
    partitions
}

/// The partitions that have items, and how many items they have together. Most spaces have items of few kinds.
pub(crate) fn non_empty(
    connection: &Connection,
    partitions: Vec<ListPartition>,
) -> Result<(Vec<ListPartition>, u64), Failure> {
    let mut statement = connection.prepare_cached(COUNT)?;
    let (mut non_empty, mut total) = (Vec::new(), 0);
    for partition in partitions {
        let keys =
            rusqlite::params![partition.space.uuid().into_bytes(), partition.kind.name(), partition.view_number()];
        let items = match statement.query(keys)?.next()? {
            Some(row) => rows::Columns::from_row(row).count()?,
            None => 0,
        };
        if items > 0 {
            non_empty.push(partition);
            total += items;
        }
    }
    Ok((non_empty, total))
}
