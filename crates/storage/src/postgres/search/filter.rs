//! Which of the items that match are asked for, and where they stand in the order.

use deadpool_postgres::Transaction;
use interline_items::search::SearchQuery;
use interline_items::{CursorKey, SortBy};
use tokio_postgres::Row;

use crate::paging::{PageEntry, search_sort_by, sort_column};
use crate::postgres::failure::Failure;
use crate::postgres::items::list::Select;
use crate::postgres::rows::maybe_count;

/// An item that is asked for.
#[derive(Clone, Debug)]
pub(super) struct FilteredItem {
    pub(super) entry: PageEntry,
    /// How long its content is.
    pub(super) bytes: u64,
}

/// Those of the items that are asked for; `None` is all that are.
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
