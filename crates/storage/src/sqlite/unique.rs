//! Who has the url or name that an item wanted.

use interline_items::{Item, StoreError, UniqueField};
use rusqlite::{Connection, params};

use super::failure::Failure;
use super::rows::{self, item_columns};

// The conditions are those of the partial indexes, word for word, or SQLite would not use them.
const BY_URL: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM items WHERE space = ?1 AND kind = ?4 AND url = ?2 AND url IS NOT NULL AND deleted_at IS NULL AND id <> ?3"
);

const BY_NAME: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM items WHERE space = ?1 AND kind = ?4 AND name = ?2 AND name IS NOT NULL AND deleted_at IS NULL AND id <> ?3"
);

/// What it means that the row of `wanted` was refused.
pub(super) fn explain(connection: &Connection, wanted: &Item, failure: Failure) -> Failure {
    if !failure.is_duplicate() {
        return failure;
    }
    match duplicate(connection, wanted) {
        Ok(Some(duplicate)) => duplicate.into(),
        Ok(None) => failure,
        Err(other) => other,
    }
}

fn duplicate(connection: &Connection, wanted: &Item) -> Result<Option<StoreError>, Failure> {
    if let Some(url) = &wanted.fields.url
        && let Some(existing) = find(connection, BY_URL, wanted, url.as_str())?
    {
        return Ok(Some(StoreError::Duplicate { field: UniqueField::Url(url.clone()), existing: Box::new(existing) }));
    }
    if let Some(name) = &wanted.fields.name
        && let Some(existing) = find(connection, BY_NAME, wanted, name.as_str())?
    {
        return Ok(Some(StoreError::Duplicate {
            field: UniqueField::Name(name.clone()),
            existing: Box::new(existing),
        }));
    }
    Ok(None)
}

fn find(connection: &Connection, sql: &str, wanted: &Item, value: &str) -> Result<Option<Item>, Failure> {
    let mut statement = connection.prepare_cached(sql)?;
    let keys = params![wanted.space.uuid().into_bytes(), value, wanted.id.uuid().into_bytes(), wanted.kind.name()];
    statement.query_and_then(keys, rows::item)?.next().transpose()
}
