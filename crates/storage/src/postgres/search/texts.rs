//! Reading texts, so many at a time that they have room.

use deadpool_postgres::Transaction;
use interline_items::search::SearchedFields;
use tokio_postgres::Row;

use crate::postgres::failure::Failure;

/// What is read at a time, unless a single text is longer.
const BATCH_BYTES: u64 = 8 * 1024 * 1024;
const BATCH_ITEMS: usize = 256;

const TEXTS: &str = "
    SELECT number, id, title, name, description, url, path, text
    FROM items LEFT JOIN contents ON contents.item = items.id
    WHERE number = ANY($1)";

/// The texts of items by their numbers, in any order; without those that are gone.
pub(super) async fn texts(transaction: &Transaction<'_>, numbers: &[i64]) -> Result<Vec<Row>, Failure> {
    let statement = transaction.prepare_cached(TEXTS).await?;
    Ok(transaction.query(&statement, &[&numbers]).await?)
}

/// What of a row of texts is searched.
pub(super) fn searched(row: &Row) -> Result<SearchedFields<'_>, Failure> {
    Ok(SearchedFields {
        title: row.try_get("title")?,
        name: row.try_get("name")?,
        description: row.try_get("description")?,
        url: row.try_get("url")?,
        path: row.try_get("path")?,
        content: row.try_get("text")?,
    })
}

/// How many of these are read first; at least one of any.
pub(super) fn batch<T>(items: &[T], bytes: impl Fn(&T) -> u64) -> usize {
    let mut sum: u64 = 0;
    let fits = items.iter().take(BATCH_ITEMS).take_while(|item| {
        sum = sum.saturating_add(bytes(item));
        sum <= BATCH_BYTES
    });
    fits.count().max(1).min(items.len())
}
