//! Rows of SQLite as items and snapshots, and the columns of a row as values.

use std::sync::Arc;

use interline_items::fields::{CodePath, Description, PromptName, Title, Url};
use interline_items::{ContentInfo, Fields, Item, ItemId, Snapshot, SpaceId, Stamp, StoreError};
use jiff::Timestamp;
use rusqlite::Row;
use rusqlite::types::FromSql;
use uuid::Uuid;

use crate::codec::{functions, json, names};
pub(super) use crate::item_columns::item_columns;
use crate::sqlite::failure::Failure;

/// The columns of an item and its content.
macro_rules! select_snapshot {
    () => {
        concat!(
            "SELECT ",
            crate::item_columns::item_columns!(),
            ", contents.text FROM items LEFT JOIN contents ON contents.item = items.number"
        )
    };
}
pub(super) use select_snapshot;

/// The item of a row that starts with its columns.
pub(super) fn item(row: &Row<'_>) -> Result<Item, Failure> {
    let mut row = Columns::from_row(row);
    Ok(Item {
        id: ItemId::from_uuid(row.uuid()?),
        kind: names::parse_kind(row.text()?)?,
        space: SpaceId::from_uuid(row.uuid()?),
        fields: Fields {
            title: row.next::<Option<String>>()?.map(Title::from_stored),
            description: row.next::<Option<String>>()?.map(Description::from_stored),
            tags: json::decode_tags(row.text()?)?,
            url: row.next::<Option<String>>()?.map(Url::from_stored),
            name: row.next::<Option<String>>()?.map(PromptName::from_stored),
            arguments: row.optional_text()?.map(json::decode_arguments).transpose()?,
            path: row.next::<Option<String>>()?.map(CodePath::from_stored),
        },
        functions: row.optional_text()?.map(functions::decode).transpose()?,
        content: content_info(&mut row)?,
        stamp: Stamp { version: row.count()?, revision: row.count()? },
        created_at: row.time()?,
        updated_at: row.time()?,
        last_used_at: row.optional_time()?,
        archived_at: row.optional_time()?,
        deleted_at: row.optional_time()?,
    })
}

/// The item and content of a row that starts with the columns of the item and ends with the text.
pub(super) fn snapshot(row: &Row<'_>) -> Result<Snapshot, Failure> {
    let last = row.as_ref().column_count() - 1;
    let text = row.get_ref(last)?.as_str_or_null().map_err(|_| no_text(last))?;
    Ok(Snapshot { item: item(row)?, content: text.map(Arc::from) })
}

fn content_info(row: &mut Columns<'_>) -> Result<Option<ContentInfo>, Failure> {
    let characters = row.next::<Option<i64>>()?;
    let bytes = row.next::<Option<i64>>()?;
    let lines = row.next::<Option<i64>>()?;
    let preview = row.next()?;
    let hash = row.next()?;
    let (Some(characters), Some(bytes), Some(lines), Some(preview), Some(hash)) =
        (characters, bytes, lines, preview, hash)
    else {
        return Ok(None);
    };
    let (characters, bytes, lines) = (characters.cast_unsigned(), bytes.cast_unsigned(), lines.cast_unsigned());
    Ok(Some(ContentInfo { characters, bytes, lines, preview, hash }))
}

/// Reads the columns of a row from left to right.
pub(super) struct Columns<'row> {
    row: &'row Row<'row>,
    column: usize,
}

impl<'row> Columns<'row> {
    /// From the first column on.
    pub(super) fn from_row(row: &'row Row<'row>) -> Columns<'row> {
        Columns { row, column: 0 }
    }

    /// [`Columns::from_row`] by the name that the modules of tables call.
    pub(super) fn of(row: &'row Row<'row>) -> Columns<'row> {
        Columns::from_row(row)
    }

    /// The next value.
    pub(super) fn next<T: FromSql>(&mut self) -> Result<T, Failure> {
        self.column += 1;
        Ok(self.row.get(self.column - 1)?)
    }

    /// The next value, an id.
    pub(super) fn uuid(&mut self) -> Result<Uuid, Failure> {
        self.next().map(Uuid::from_bytes)
    }

    /// The next value, an id or nothing.
    pub(super) fn optional_uuid(&mut self) -> Result<Option<Uuid>, Failure> {
        Ok(self.next::<Option<[u8; 16]>>()?.map(Uuid::from_bytes))
    }

    /// The next value, a borrowed text.
    pub(super) fn text(&mut self) -> Result<&'row str, Failure> {
        let column = self.column;
        self.optional_text()?.ok_or_else(|| no_text(column))
    }

    /// The next value, a borrowed text or nothing.
    pub(super) fn optional_text(&mut self) -> Result<Option<&'row str>, Failure> {
        self.column += 1;
        let column = self.column - 1;
        self.row.get_ref(column)?.as_str_or_null().map_err(|_| no_text(column))
    }

    /// The next value, a number that is not negative.
    pub(super) fn count(&mut self) -> Result<u64, Failure> {
        self.next::<i64>().map(i64::cast_unsigned)
    }

    /// The next value, a time.
    pub(super) fn time(&mut self) -> Result<Timestamp, Failure> {
        self.next().and_then(time)
    }

    /// The next value, a time or nothing.
    pub(super) fn optional_time(&mut self) -> Result<Option<Timestamp>, Failure> {
        self.next::<Option<i64>>()?.map(time).transpose()
    }
}

fn time(micros: i64) -> Result<Timestamp, Failure> {
    Timestamp::from_microsecond(micros).map_err(|error| StoreError::Failed(error.to_string()).into())
}

fn no_text(column: usize) -> Failure {
    StoreError::Failed(format!("column {column} of a row is no text")).into()
}
