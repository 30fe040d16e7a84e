//! Which of the items that match are asked for, and where they stand in the order.

use deadpool_postgres::Transaction;
use interline_items::search::SearchQuery;
use interline_items::{CursorKey, SortBy};
use tokio_postgres::Row;

use super::super::failure::Failure;
use super::super::list::{Select, column};
use super::super::rows::maybe_count;
use crate::order::{Entry, key_before_ranking};

/// An item that is asked for.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) entry: Entry,
    /// How long its content is.
    pub(super) bytes: u64,
}

/// Those of the items that are asked for; `None` is all that are.
pub(super) async fn places(
    transaction: &Transaction<'_>,
    query: &SearchQuery,
    items: Option<Vec<i64>>,
) -> Result<Vec<Place>, Failure> {
    let by = key_before_ranking(query.order);
    let columns = format!("{} AS key, items.id, items.number, items.content_bytes", column(by));
    let mut select = Select::new(format!("SELECT {columns} FROM items"));
    select.keep_matching(&query.filter);
    if let Some(items) = items {
        select.keep_any("number", items);
    }
    let statement = transaction.prepare_cached(&select.sql).await?;
    transaction.query(&statement, &select.parameters()).await?.iter().map(|row| place(row, by)).collect()
}

fn place(row: &Row, by: SortBy) -> Result<Place, Failure> {
    let key = match by {
        SortBy::Title => row.try_get::<_, Option<String>>("key")?.map(CursorKey::Text),
        SortBy::CreatedAt | SortBy::UpdatedAt | SortBy::LastUsedAt => {
            row.try_get::<_, Option<i64>>("key")?.map(CursorKey::Micros)
        }
    };
    let entry = Entry { key, id: row.try_get("id")?, number: row.try_get("number")? };
    Ok(Place { entry, bytes: maybe_count(row, "content_bytes")?.unwrap_or(0) })
}
