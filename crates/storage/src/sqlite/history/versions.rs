//! Reading the history of an item, and rebuilding its versions.

use std::sync::Arc;

use interline_items::{
    Attribution, ChangeSetId, Client, ContentSize, HistoryPage, HistoryQuery, HistoryRecord, ItemId, LineCounts,
    MergedFrom, NamedId, Reason, Stamp, TokenId, UserId, Version,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::codec::undo::{self, UndoRecord};
use crate::codec::whole_versions::{WholeVersions, by_promise};
use crate::codec::{json, names, proposals};
use crate::integrity::{Damage, check_version};
use crate::sqlite::failure::Failure;
use crate::sqlite::rows::Columns;
use crate::tables::changed_items;

const NUMBER: &str = "SELECT number FROM items WHERE id = ?1";

const TOTAL: &str = "SELECT count(*) FROM versions WHERE item = ?1";

/// The columns that [`record_from_row`] reads, in its order.
macro_rules! select_record {
    () => {
        "SELECT stamp_version, stamp_revision, version, action, changed_fields, at, source,
                versions.user, users.name, versions.token, tokens.name, imported_from, content_characters, content_bytes,
                merged_base, versions.change_set, changed_items.set_begun, versions.client_name, client_version, reason,
                versions.author, changed_items.review, undoes, lines_added, lines_removed, accepted
         FROM versions LEFT JOIN users ON users.id = versions.user LEFT JOIN tokens ON tokens.id = versions.token
         LEFT JOIN changed_items ON changed_items.item = versions.item AND changed_items.part = stamp_version / 32
                                AND changed_items.change_set = versions.change_set"
    };
}

const RECORDS: &str = concat!(
    select_record!(),
    " WHERE versions.item = ?1 ORDER BY stamp_version DESC, stamp_revision DESC LIMIT ?2 OFFSET ?3"
);

// A version has the stamp that its record made, so the index of stamps finds it.
const RECORD: &str =
    concat!(select_record!(), " WHERE versions.item = ?1 AND stamp_version = ?2 AND version IS NOT NULL");

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

/// Not among the columns of a record: it comes after the undo record, which may be long.
const HASH: &str = "SELECT content_hash FROM versions WHERE item = ?1 AND stamp_version = ?2 AND version IS NOT NULL";

/// The newest versions, and whether a content can be rebuilt without what is newer.
const STARTS: &str = concat!(
    "SELECT stamp_version, undo_kind IN ",
    crate::codec::undo::standing_alone!(),
    " FROM versions WHERE item = ?1 AND version IS NOT NULL ORDER BY stamp_version DESC LIMIT 10000"
);

const NEWEST: &str = "SELECT text FROM contents WHERE item = ?1";

/// A page of a history. The connection is in a transaction.
pub(crate) fn versions(connection: &Connection, id: ItemId, query: HistoryQuery) -> Result<HistoryPage, Failure> {
    let Some(item) = number(connection, id)? else { return Ok(HistoryPage::default()) };
    let total = connection.prepare_cached(TOTAL)?.query_row([item], |row| row.get(0)).map(i64::cast_unsigned)?;
    let (limit, offset) =
        (i64::try_from(query.limit).unwrap_or(i64::MAX), i64::try_from(query.offset).unwrap_or(i64::MAX));
    let mut statement = connection.prepare_cached(RECORDS)?;
    let records: Result<_, Failure> = statement.query_and_then([item, limit, offset], record_from_row)?.collect();
    Ok(HistoryPage { records: records.map_err(|failure| failure.of_item(id))?, total })
}

/// The records that made some versions. The connection is in a transaction.
pub(crate) fn records(connection: &Connection, id: ItemId, versions: &[u64]) -> Result<Vec<HistoryRecord>, Failure> {
    let Some(item) = number(connection, id)? else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(RECORD)?;
    let mut records = Vec::with_capacity(versions.len());
    for version in versions {
        let found = statement.query_and_then([item, version.cast_signed()], record_from_row)?.next().transpose();
        records.extend(found.map_err(|failure: Failure| failure.of_item(id))?);
    }
    Ok(records)
}

/// An item as it was at a version, as it was written. The connection is in a transaction.
pub(crate) fn version(connection: &Connection, id: ItemId, version: u64) -> Result<Option<Version>, Failure> {
    let Some(item) = number(connection, id)? else { return Ok(None) };
    let Ok(number) = i64::try_from(version) else { return Ok(None) };
    rebuilt(connection, id, (item, number)).map_err(|failure| failure.of_version(id, version))
}

fn rebuilt(connection: &Connection, id: ItemId, (item, version): (i64, i64)) -> Result<Option<Version>, Failure> {
    let mut statement = connection.prepare_cached(RECORD)?;
    let Some(record) = statement.query_and_then([item, version], record_from_row)?.next().transpose()? else {
        return Ok(None);
    };
    let fields: String = connection.prepare_cached(FIELDS)?.query_row([item, version], |row| row.get(0))?;
    let content = content(connection, item, version)?;
    let rebuilt = Version { record, fields: json::decode_fields(&fields)?, content };
    let hash: Option<[u8; 32]> = connection.prepare_cached(HASH)?.query_row([item, version], |row| row.get(0))?;
    check_version(id, &rebuilt, hash.as_ref().map(<[u8; 32]>::as_slice))?;
    Ok(Some(rebuilt))
}

/// Versions that can be rebuilt as they were written, newest first. The connection is in a transaction.
pub(crate) fn whole_versions(connection: &Connection, id: ItemId, limit: usize) -> Result<Vec<u64>, Failure> {
    let Some(item) = number(connection, id)? else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(STARTS)?;
    let starts = statement.query_map([item], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
    // What comes after a place that cannot be read is not looked at.
    let numbers = by_promise(starts.map_while(Result::ok).map(|(number, alone)| (number.cast_unsigned(), alone)));
    let mut search = WholeVersions::new(limit);
    for number in numbers {
        if !search.goes_on() {
            break;
        }
        let found = version(connection, id, number);
        search.add(number, found.is_ok_and(|version| version.is_some()));
    }
    Ok(search.finish())
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
    let stamp = Stamp { version: columns.count()?, revision: columns.count()? };
    let (version, action) = (columns.optional_count()?, names::parse_action(columns.text()?)?);
    let (changed_fields, at) = (json::decode_strings(columns.text()?, "changed fields")?, columns.time()?);
    let source = names::parse_source(columns.text()?)?;
    let user = NamedId { id: UserId::from_uuid(columns.uuid()?), name: columns.next()? };
    let token = match (columns.optional_uuid()?, columns.next()?) {
        (Some(id), name) => Some(NamedId { id: TokenId::from_uuid(id), name }),
        (None, _) => None,
    };
    let imported_from = columns.optional_text()?.map(json::decode_imported_from).transpose()?;
    let content = columns.optional_count()?.zip(columns.optional_count()?);
    let merged_base = columns.optional_count()?;
    let set = ChangeSetId::from_uuid(columns.uuid()?);
    let change_set = changed_items::set_of_record(set, columns.optional_time()?, at);
    let client = Client::from_stored(columns.next()?, columns.next()?);
    let reason = columns.next::<Option<String>>()?.map(Reason::from_stored);
    let author = names::parse_author(columns.optional_text()?)?;
    let review = names::parse_review(columns.optional_text()?)?;
    let undoes = columns.optional_uuid()?.map(ChangeSetId::from_uuid);
    let lines = columns.optional_count()?.zip(columns.optional_count()?);
    let accepted = columns.optional_text()?.map(proposals::decode_accepted).transpose()?;
    Ok(HistoryRecord {
        stamp,
        version,
        action,
        changed_fields,
        at,
        source,
        user,
        token,
        imported_from,
        content: content.map(|(characters, bytes)| ContentSize { characters, bytes }),
        merged_from: merged_base.map(|base| MergedFrom::in_version(stamp.version, base)),
        attribution: Attribution { client, reason, author, change_set },
        review: changed_items::review_of_record(author, review),
        undoes,
        lines: lines.map(|(added, removed)| LineCounts { added, removed }),
        accepted,
    })
}
