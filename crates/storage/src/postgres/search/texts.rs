//! Reading the searched fields of items, in batches that fit into memory.

use deadpool_postgres::Transaction;
use interline_search::SearchedFields;
use tokio_postgres::Row;

use crate::postgres::failure::Failure;

/// The size of a batch, unless a single text is longer.
const BATCH_BYTES: u64 = 8 * 1024 * 1024;
const BATCH_ITEMS: usize = 256;

const TEXTS: &str = "
    SELECT number, id, version, content_hash, title, name, description, url, path, text
    FROM items LEFT JOIN contents ON contents.item = items.id
    WHERE number = ANY($1)";

/// The rows of items by their numbers, in no particular order; without those of purged items.
pub(super) async fn texts(transaction: &Transaction<'_>, numbers: &[i64]) -> Result<Vec<Row>, Failure> {
    let statement = transaction.prepare_cached(TEXTS).await?;
    Ok(transaction.query(&statement, &[&numbers]).await?)
}

/// The searched fields of a row.
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

/// How many of these items are in the next batch; at least one.
pub(super) fn batch<T>(items: &[T], bytes: impl Fn(&T) -> u64) -> usize {
    let mut sum: u64 = 0;
    let fits = items.iter().take(BATCH_ITEMS).take_while(|item| {
        sum = sum.saturating_add(bytes(item));
        sum <= BATCH_BYTES
    });
    fits.count().max(1).min(items.len())
}
