//! Reading the history of an item, and rebuilding its versions.

use std::sync::Arc;

use interline_items::{
    ContentSize, HistoryPage, HistoryQuery, HistoryRecord, ItemId, NamedId, Stamp, TokenId, UserId, Version,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::codec::undo::{self, UndoRecord};
use crate::codec::{json, names};
use crate::sqlite::failure::Failure;
use crate::sqlite::rows::Columns;

const NUMBER: &str = "SELECT number FROM items WHERE id = ?1";

const TOTAL: &str = "SELECT count(*) FROM versions WHERE item = ?1";

/// The columns that [`record_from_row`] reads, in its order.
macro_rules! select_record {
    () => {
        "SELECT stamp_version, stamp_revision, version, action, changed_fields, at, source,
                versions.user, users.name, token, tokens.name, content_characters, content_bytes
         FROM versions LEFT JOIN users ON users.id = versions.user LEFT JOIN tokens ON tokens.id = versions.token"
    };
}

const RECORDS: &str =
    concat!(select_record!(), " WHERE item = ?1 ORDER BY stamp_version DESC, stamp_revision DESC LIMIT ?2 OFFSET ?3");

// A version has the stamp that its record made, so the index of stamps finds it.
const RECORD: &str = concat!(select_record!(), " WHERE item = ?1 AND stamp_version = ?2 AND version IS NOT NULL");

const FIELDS: &str = "
    SELECT fields FROM versions
    WHERE item = ?1 AND stamp_version <= ?2 AND fields IS NOT NULL
    ORDER BY stamp_version DESC, stamp_revision DESC
    LIMIT 1";

/// The next newer record from which a version can be rebuilt: its undo record stands alone.
const START: &str = concat!(
    "SELECT stamp_version FROM versions
     WHERE item = ?1 AND stamp_version > ?2 AND undo_kind IN ",
    crate::codec::undo::standing_alone!(),
    " ORDER BY stamp_version LIMIT 1"
);

const UNDO: &str = "
    SELECT undo_kind, undo FROM versions
    WHERE item = ?1 AND stamp_version > ?2 AND stamp_version <= ?3 AND version IS NOT NULL
    ORDER BY stamp_version DESC";

const NEWEST: &str = "SELECT text FROM contents WHERE item = ?1";

/// A page of a history. The connection is in a transaction.
pub(crate) fn versions(connection: &Connection, id: ItemId, query: HistoryQuery) -> Result<HistoryPage, Failure> {
    let Some(item) = number(connection, id)? else { return Ok(HistoryPage::default()) };
    let total = connection.prepare_cached(TOTAL)?.query_row([item], |row| row.get(0)).map(i64::cast_unsigned)?;
    let (limit, offset) =
        (i64::try_from(query.limit).unwrap_or(i64::MAX), i64::try_from(query.offset).unwrap_or(i64::MAX));
    let mut statement = connection.prepare_cached(RECORDS)?;
    let records = statement.query_and_then([item, limit, offset], record_from_row)?.collect::<Result<_, _>>()?;
    Ok(HistoryPage { records, total })
}

/// An item as it was at a version. The connection is in a transaction.
pub(crate) fn version(connection: &Connection, id: ItemId, version: u64) -> Result<Option<Version>, Failure> {
    let Some(item) = number(connection, id)? else { return Ok(None) };
    let Ok(version) = i64::try_from(version) else { return Ok(None) };
    let mut statement = connection.prepare_cached(RECORD)?;
    let Some(record) = statement.query_and_then([item, version], record_from_row)?.next().transpose()? else {
        return Ok(None);
    };
    let fields: String = connection.prepare_cached(FIELDS)?.query_row([item, version], |row| row.get(0))?;
    Ok(Some(Version { record, fields: json::decode_fields(&fields)?, content: content(connection, item, version)? }))
}

fn number(connection: &Connection, id: ItemId) -> Result<Option<i64>, Failure> {
    let mut statement = connection.prepare_cached(NUMBER)?;
    Ok(statement.query_row([id.uuid().into_bytes()], |row| row.get(0)).optional()?)
}

/// The content of a version: rebuilt from the nearest newer content that is stored whole, back record by record.
fn content(connection: &Connection, item: i64, version: i64) -> Result<Option<Arc<str>>, Failure> {
    let start = connection.prepare_cached(START)?.query_row([item, version], |row| row.get::<_, i64>(0)).optional()?;
    let newest = match start {
        Some(_) => None,
        None => connection.prepare_cached(NEWEST)?.query_row([item], |row| row.get::<_, Arc<str>>(0)).optional()?,
    };
    let mut statement = connection.prepare_cached(UNDO)?;
    let found = statement.query_and_then(params![item, version, start.unwrap_or(i64::MAX)], |row| {
        Ok::<_, Failure>(UndoRecord::from_stored(row.get(0)?, row.get(1)?)?)
    })?;
    Ok(undo::rebuild(newest, &found.collect::<Result<Vec<_>, _>>()?)?)
}

fn record_from_row(row: &Row<'_>) -> Result<HistoryRecord, Failure> {
    let mut columns = Columns::from_row(row);
    Ok(HistoryRecord {
        stamp: Stamp { version: columns.count()?, revision: columns.count()? },
        version: columns.next::<Option<i64>>()?.map(i64::cast_unsigned),
        action: names::parse_action(columns.text()?)?,
        changed_fields: json::decode_strings(columns.text()?, "changed fields")?,
        at: columns.time()?,
        source: names::parse_source(columns.text()?)?,
        user: NamedId { id: UserId::from_uuid(columns.uuid()?), name: columns.next()? },
        token: match (columns.optional_uuid()?, columns.next()?) {
            (Some(id), name) => Some(NamedId { id: TokenId::from_uuid(id), name }),
            (None, _) => None,
        },
        content: match (columns.next::<Option<i64>>()?, columns.next::<Option<i64>>()?) {
            (Some(characters), Some(bytes)) => {
                Some(ContentSize { characters: characters.cast_unsigned(), bytes: bytes.cast_unsigned() })
            }
            _ => None,
        },
    })
}
