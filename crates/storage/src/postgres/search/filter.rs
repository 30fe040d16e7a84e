//! The filter of a search: which candidates are in the spaces, kinds, views and tags of the query, with their sort keys.

use deadpool_postgres::Transaction;
use interline_items::search::SearchQuery;
use tokio_postgres::Row;

use crate::paging::{PageEntry, SortColumn};
use crate::postgres::failure::Failure;
use crate::postgres::items::list::{Select, sort_key};
use crate::postgres::rows::maybe_count;

/// A candidate that passes the filter.
#[derive(Clone, Debug)]
pub(super) struct FilteredItem {
    pub(super) entry: PageEntry,
    /// How long its content is.
    pub(super) bytes: u64,
}

/// The candidates that pass the filter of the query; `None` means that every item is a candidate.
pub(super) async fn filter_items(
    transaction: &Transaction<'_>,
    query: &SearchQuery,
    items: Option<Vec<i64>>,
) -> Result<Vec<FilteredItem>, Failure> {
    let column = SortColumn::of_search(query.order);
    let columns = format!("items.{} AS sort_key, items.id, items.number, items.content_bytes", column.name());
    let mut select = Select::new(format!("SELECT {columns} FROM items"));
    select.keep_matching(&query.filter);
    if let Some(items) = items {
        select.keep_any("number", items);
    }
    let statement = transaction.prepare_cached(&select.sql).await?;
    transaction.query(&statement, &select.parameters()).await?.iter().map(|row| item(row, column)).collect()
}

fn item(row: &Row, column: SortColumn) -> Result<FilteredItem, Failure> {
    let entry = PageEntry { key: sort_key(row, column)?, id: row.try_get("id")?, number: row.try_get("number")? };
    Ok(FilteredItem { entry, bytes: maybe_count(row, "content_bytes")?.unwrap_or(0) })
}
