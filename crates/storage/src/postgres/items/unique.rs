//! Unique fields: which item already has the url, name or path of another one.

use deadpool_postgres::Transaction;
use interline_items::{Item, StoreError, UniqueField};

use crate::postgres::failure::Failure;
use crate::postgres::rows::{self, item_columns};
use crate::postgres::write::commit::LockedItem;

const HOLDER_OF_URL: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM items WHERE space = $1 AND kind = $4 AND url = $2 AND deleted_at IS NULL AND id <> $3"
);

const HOLDER_OF_NAME: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM items WHERE space = $1 AND kind = $4 AND name = $2 AND deleted_at IS NULL AND id <> $3"
);

const HOLDER_OF_PATH: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM items WHERE space = $1 AND kind = $4 AND path = $2 AND deleted_at IS NULL AND id <> $3"
);

/// Refuses an item whose url, name or path another item of its space and kind has.
///
/// The unique indexes are the law. This only finds the holder, for the error: where another transaction takes the value
/// after this query and commits first, the index refuses the write, and at the next try the holder is found here.
pub(crate) async fn check(
    transaction: &Transaction<'_>,
    item: &Item,
    before: Option<&LockedItem>,
) -> Result<(), Failure> {
    if item.deleted_at.is_some() {
        return Ok(());
    }
    // The values that an item already has, unless it is deleted, are its own.
    let held = before.filter(|locked| locked.is_not_deleted).map(|locked| &locked.fields);
    if let Some(url) = &item.fields.url
        && held.and_then(|fields| fields.url.as_ref()) != Some(url)
    {
        refuse_if_held(transaction, item, HOLDER_OF_URL, url.as_str(), || UniqueField::Url(url.clone())).await?;
    }
    if let Some(name) = &item.fields.name
        && held.and_then(|fields| fields.name.as_ref()) != Some(name)
    {
        refuse_if_held(transaction, item, HOLDER_OF_NAME, name.as_str(), || UniqueField::Name(name.clone())).await?;
    }
    if let Some(path) = &item.fields.path
        && held.and_then(|fields| fields.path.as_ref()) != Some(path)
    {
        refuse_if_held(transaction, item, HOLDER_OF_PATH, path.as_str(), || UniqueField::Path(path.clone())).await?;
    }
    Ok(())
}

async fn refuse_if_held(
    transaction: &Transaction<'_>,
    item: &Item,
    query: &str,
    value: &str,
    field: impl FnOnce() -> UniqueField,
) -> Result<(), Failure> {
    let statement = transaction.prepare_cached(query).await?;
    match transaction.query_opt(&statement, &[&item.space.uuid(), &value, &item.id.uuid(), &item.kind.name()]).await? {
        None => Ok(()),
        Some(row) => {
            let existing = Box::new(rows::item(&row)?);
            Err(StoreError::Duplicate { field: field(), existing }.into())
        }
    }
}
