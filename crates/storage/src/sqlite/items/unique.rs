//! Unique fields: which item already has the url, name or path of a refused one.

use interline_items::{Item, StoreError, UniqueField};
use rusqlite::{Connection, params};

use crate::sqlite::failure::Failure;
use crate::sqlite::rows::{self, item_columns};

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

const BY_PATH: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM items WHERE space = ?1 AND kind = ?4 AND path = ?2 AND path IS NOT NULL AND deleted_at IS NULL AND id <> ?3"
);

/// The error for the row of `refused`: a duplicate with the item that holds its value, if there is one.
pub(crate) fn explain(connection: &Connection, refused: &Item, failure: Failure) -> Failure {
    if !failure.is_duplicate() {
        return failure;
    }
    match duplicate(connection, refused) {
        Ok(Some(duplicate)) => duplicate.into(),
        Ok(None) => failure,
        Err(other) => other,
    }
}

fn duplicate(connection: &Connection, refused: &Item) -> Result<Option<StoreError>, Failure> {
    let fields = &refused.fields;
    let url = fields.url.as_ref().map(|url| (BY_URL, UniqueField::Url(url.clone())));
    let name = fields.name.as_ref().map(|name| (BY_NAME, UniqueField::Name(name.clone())));
    let path = fields.path.as_ref().map(|path| (BY_PATH, UniqueField::Path(path.clone())));
    for (sql, field) in url.into_iter().chain(name).chain(path) {
        if let Some(existing) = find(connection, sql, refused, field.value())? {
            return Ok(Some(StoreError::Duplicate { field, existing: Box::new(existing) }));
        }
    }
    Ok(None)
}

fn find(connection: &Connection, sql: &str, refused: &Item, value: &str) -> Result<Option<Item>, Failure> {
    let mut statement = connection.prepare_cached(sql)?;
    let keys = params![refused.space.uuid().into_bytes(), value, refused.id.uuid().into_bytes(), refused.kind.name()];
    statement.query_and_then(keys, rows::item)?.next().transpose()
}
