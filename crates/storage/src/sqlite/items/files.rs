//! Pages of code files in the order of their paths.

use interline_items::{FilePage, FileQuery};
use rusqlite::{Connection, params};

use crate::codec::json;
use crate::integrity::Integrity;
use crate::sqlite::failure::Failure;
use crate::sqlite::items::lookup::whole_items;
use crate::sqlite::rows::{self, item_columns};

// The conditions are those of the partial index, word for word, or SQLite would not use it.
macro_rules! matching_files {
    () => {
        " FROM items WHERE space IN (SELECT unhex(value) FROM json_each(?1)) AND kind = ?2 AND path >= ?3
          AND substr(path, 1, length(?3)) = ?3 AND path IS NOT NULL AND deleted_at IS NULL"
    };
}

const PAGE: &str =
    concat!("SELECT ", item_columns!(), matching_files!(), " ORDER BY items.path_key, items.path, items.id LIMIT ?4");

const COUNT: &str = concat!("SELECT count(*)", matching_files!());

/// The first files whose path has the prefix, and how many there are in all. The connection is in a transaction.
pub(crate) fn files(connection: &Connection, integrity: &Integrity, query: &FileQuery) -> Result<FilePage, Failure> {
    let spaces: Vec<String> = query.spaces.iter().map(|space| space.uuid().simple().to_string()).collect();
    let spaces = json::encode_strings(spaces.iter().map(String::as_str));
    let (kind, prefix) = (query.kind.name(), query.path_prefix.as_str());
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let mut page = connection.prepare_cached(PAGE)?;
    let files = whole_items(page.query_and_then(params![spaces, kind, prefix, limit], rows::item)?, integrity)?;
    let mut count = connection.prepare_cached(COUNT)?;
    let total: i64 = count.query_row(params![spaces, kind, prefix], |row| row.get(0))?;
    Ok(FilePage { files, total: total.cast_unsigned() })
}
