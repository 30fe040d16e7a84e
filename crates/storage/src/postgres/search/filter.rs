//! The filter of a search: which candidates are in the spaces, kinds, views and tags of the query, with their sort keys.

use deadpool_postgres::Transaction;
use interline_items::search::SearchQuery;
use interline_items::{CursorKey, SortBy};
use tokio_postgres::Row;

use crate::paging::{PageEntry, search_sort_by, sort_column};
use crate::postgres::failure::Failure;
use crate::postgres::items::list::Select;
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
    let by = search_sort_by(query.order);
    let columns = format!("items.{} AS key, items.id, items.number, items.content_bytes", sort_column(by));
    let mut select = Select::new(format!("SELECT {columns} FROM items"));
    select.keep_matching(&query.filter);
    if let Some(items) = items {
        select.keep_any("number", items);
    }
    let statement = transaction.prepare_cached(&select.sql).await?;
    transaction.query(&statement, &select.parameters()).await?.iter().map(|row| item(row, by)).collect()
}

fn item(row: &Row, by: SortBy) -> Result<FilteredItem, Failure> {
    let key = match by {
        SortBy::Title => row.try_get::<_, Option<String>>("key")?.map(CursorKey::Text),
        SortBy::CreatedAt | SortBy::UpdatedAt | SortBy::LastUsedAt => {
            row.try_get::<_, Option<i64>>("key")?.map(CursorKey::Micros)
        }
    };
    let entry = PageEntry { key, id: row.try_get("id")?, number: row.try_get("number")? };
    Ok(FilteredItem { entry, bytes: maybe_count(row, "content_bytes")?.unwrap_or(0) })
}
