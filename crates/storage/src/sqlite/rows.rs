//! Rows of SQLite as items, and the columns of a row as values.

use interline_items::fields::{CodePath, Description, FrontMatter, PromptName, Title, Url};
use interline_items::{ContentInfo, Fields, Item, ItemId, SpaceId, Stamp, StoreError};
use jiff::Timestamp;
use rusqlite::Row;
use rusqlite::types::FromSql;
use uuid::Uuid;

use crate::codec::{functions, json, names};
use crate::integrity::Damage;
pub(super) use crate::item_columns::item_columns;
use crate::sqlite::failure::Failure;

/// The item of a row that starts with its columns.
pub(super) fn item(row: &Row<'_>) -> Result<Item, Failure> {
    decode_item(Columns::from_row(row)).map_err(|failure| match Columns::from_row(row).uuid() {
        Ok(id) => failure.of_item(ItemId::from_uuid(id)),
        Err(_) => failure,
    })
}

fn decode_item(mut row: Columns<'_>) -> Result<Item, Failure> {
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
            front_matter: row.next::<Option<String>>()?.map(FrontMatter::from_stored),
        },
        functions: row.optional_text()?.map(functions::decode).transpose()?,
        content: content_info(&mut row)?,
        stamp: Stamp { version: row.count()?, revision: row.count()? },
        created_at: row.time()?,
        updated_at: row.time()?,
        last_used_at: row.optional_time()?,
        archived_at: row.optional_time()?,
        deleted_at: row.optional_time()?,
        proposal: None,
    })
}

fn content_info(row: &mut Columns<'_>) -> Result<Option<ContentInfo>, Failure> {
    let characters = row.optional_count()?;
    let bytes = row.optional_count()?;
    let lines = row.optional_count()?;
    let preview = row.next()?;
    let hash = row.next()?;
    let (Some(characters), Some(bytes), Some(lines), Some(preview), Some(hash)) =
        (characters, bytes, lines, preview, hash)
    else {
        return Ok(None);
    };
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
        self.next::<i64>().and_then(count)
    }

    /// The next value, a number that is not negative, or nothing.
    pub(super) fn optional_count(&mut self) -> Result<Option<u64>, Failure> {
        self.next::<Option<i64>>()?.map(count).transpose()
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

fn count(stored: i64) -> Result<u64, Failure> {
    u64::try_from(stored).map_err(|error| StoreError::Failed(error.to_string()).into())
}

fn time(micros: i64) -> Result<Timestamp, Failure> {
    Timestamp::from_microsecond(micros).map_err(|error| StoreError::Failed(error.to_string()).into())
}

fn no_text(column: usize) -> Failure {
    StoreError::Failed(format!("column {column} of a row is no text")).into()
}
