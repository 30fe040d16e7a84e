//! Reading the searched fields of an item.

use interline_search::SearchedFields;
use rusqlite::{CachedStatement, Connection};

use crate::sqlite::failure::Failure;
use crate::sqlite::rows::Columns;

const TEXTS: &str = "
    SELECT title, name, description, url, path, text FROM items LEFT JOIN contents ON contents.item = items.number
    WHERE items.number = ?1";

/// A statement that reads the searched fields of one item after the other.
pub(super) struct Texts<'a>(CachedStatement<'a>);

impl<'a> Texts<'a> {
    pub(super) fn new(connection: &'a Connection) -> Result<Texts<'a>, Failure> {
        Ok(Texts(connection.prepare_cached(TEXTS)?))
    }

    /// Calls `look` with the searched fields of an item, without copying them; `None` if the item was purged.
    pub(super) fn with_fields<T>(
        &mut self,
        item: i64,
        look: impl FnOnce(&SearchedFields<'_>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let mut found = self.0.query([item])?;
        let Some(row) = found.next()? else { return Ok(None) };
        let mut columns = Columns::from_row(row);
        let searched = SearchedFields {
            title: columns.optional_text()?,
            name: columns.optional_text()?,
            description: columns.optional_text()?,
            url: columns.optional_text()?,
            path: columns.optional_text()?,
            content: columns.optional_text()?,
        };
        look(&searched).map(Some)
    }
}
