//! Reading the history of an item, and rebuilding its versions.

use std::sync::Arc;

use deadpool_postgres::{Client, Transaction};
use interline_items::{
    Attribution, ChangeSetId, ContentSize, HistoryPage, HistoryQuery, HistoryRecord, ItemId, LineCounts, MergedFrom,
    NamedId, Reason, Stamp, StoreError, TokenId, UserId, Version,
};
use tokio_postgres::{IsolationLevel, Row};

use crate::codec::undo::{self, UndoRecord};
use crate::codec::whole_versions::{WholeVersions, by_promise};
use crate::codec::{json, names, proposals};
use crate::integrity::{Damage, check_version};
use crate::postgres::failure::Failure;
use crate::postgres::rows::{count, decoded, maybe_count, maybe_id, maybe_time, time};
use crate::postgres::write::transaction_retry::run_blocking;
use crate::tables::changed_items;

const TOTAL: &str = "SELECT count(*) AS total FROM versions WHERE item = $1";

/// The columns that [`record_from_row`] reads.
macro_rules! select_record {
    () => {
        "SELECT stamp_version, stamp_revision, version, action, changed_fields, at, source,
                versions.\"user\", users.name AS user_name, versions.token, tokens.name AS token_name, imported_from,
                content_characters, content_bytes, content_hash, merged_base, versions.change_set, changed_items.set_begun,
                versions.client_name, client_version, reason, versions.author, changed_items.review, undoes, lines_added,
                lines_removed, accepted
         FROM versions LEFT JOIN users ON users.id = versions.\"user\" LEFT JOIN tokens ON tokens.id = versions.token
         LEFT JOIN changed_items ON changed_items.item = versions.item AND changed_items.part = stamp_version / 32
                                AND changed_items.change_set = versions.change_set"
    };
}

const RECORDS: &str = concat!(
    select_record!(),
    " WHERE versions.item = $1 ORDER BY stamp_version DESC, stamp_revision DESC LIMIT $2 OFFSET $3"
);

/// A version has the stamp that its record made, so the index of stamps finds it.
const RECORD: &str =
    concat!(select_record!(), " WHERE versions.item = $1 AND stamp_version = $2 AND version IS NOT NULL");

const SOME_RECORDS: &str =
    concat!(select_record!(), " WHERE versions.item = $1 AND stamp_version = ANY($2) AND version IS NOT NULL");

const FIELDS: &str = "
    SELECT fields FROM versions
    WHERE item = $1 AND stamp_version <= $2 AND fields IS NOT NULL
    ORDER BY stamp_version DESC, stamp_revision DESC
    LIMIT 1";

/// The next newer record from which a version can be rebuilt: its undo record stands alone.
const START: &str = concat!(
    "SELECT stamp_version FROM versions
     WHERE item = $1 AND stamp_version > $2 AND undo_kind IN ",
    crate::codec::undo::standing_alone!(),
    " ORDER BY stamp_version LIMIT 1"
);

const UNDO: &str = "
    SELECT undo_kind, undo FROM versions
    WHERE item = $1 AND stamp_version > $2 AND stamp_version <= $3 AND version IS NOT NULL
    ORDER BY stamp_version DESC";

/// The newest versions, and whether a content can be rebuilt without what is newer.
const STARTS: &str = concat!(
    "SELECT stamp_version, undo_kind IN ",
    crate::codec::undo::standing_alone!(),
    " AS stands_alone FROM versions WHERE item = $1 AND version IS NOT NULL ORDER BY stamp_version DESC LIMIT 10000"
);

const NEWEST: &str = "SELECT text FROM contents WHERE item = $1";

/// A page of a history.
pub(crate) async fn versions(client: &mut Client, item: ItemId, query: HistoryQuery) -> Result<HistoryPage, Failure> {
    let transaction = snapshot_transaction(client).await?;
    let (total, records) = tokio::try_join!(transaction.prepare_cached(TOTAL), transaction.prepare_cached(RECORDS))?;
    let (limit, offset) =
        (i64::try_from(query.limit).unwrap_or(i64::MAX), i64::try_from(query.offset).unwrap_or(i64::MAX));
    let id = item.uuid();
    let (total, records) =
        (transaction.query_one(&total, &[&id]).await?, transaction.query(&records, &[&id, &limit, &offset]).await?);
    let records: Result<_, Failure> = records.iter().map(record_from_row).collect();
    Ok(HistoryPage { records: records.map_err(|failure| failure.of_item(item))?, total: count(&total, "total")? })
}

/// The records that made some versions.
pub(crate) async fn records(
    client: &mut Client,
    item: ItemId,
    versions: &[u64],
) -> Result<Vec<HistoryRecord>, Failure> {
    let numbers: Vec<i64> = versions.iter().filter_map(|version| i64::try_from(*version).ok()).collect();
    let statement = client.prepare_cached(SOME_RECORDS).await?;
    let found = client.query(&statement, &[&item.uuid(), &numbers]).await?;
    let records: Result<_, Failure> = found.iter().map(record_from_row).collect();
    records.map_err(|failure| failure.of_item(item))
}

/// An item as it was at a version.
pub(crate) async fn version(client: &mut Client, item: ItemId, version: u64) -> Result<Option<Version>, Failure> {
    version_in(&snapshot_transaction(client).await?, item, version).await
}

/// An item as it was at a version, as it was written; read in a transaction that sees one snapshot.
pub(crate) async fn version_in(
    transaction: &Transaction<'_>,
    item: ItemId,
    version: u64,
) -> Result<Option<Version>, Failure> {
    let Ok(number) = i64::try_from(version) else { return Ok(None) };
    rebuilt(transaction, item, number).await.map_err(|failure| failure.of_version(item, version))
}

async fn rebuilt(transaction: &Transaction<'_>, item: ItemId, version: i64) -> Result<Option<Version>, Failure> {
    let record = transaction.prepare_cached(RECORD).await?;
    let Some(record) = transaction.query_opt(&record, &[&item.uuid(), &version]).await? else { return Ok(None) };
    let fields = transaction.prepare_cached(FIELDS).await?;
    let fields = transaction.query_opt(&fields, &[&item.uuid(), &version]).await?;
    let fields = fields.ok_or_else(|| StoreError::Failed(format!("item {item} has no fields at version {version}")))?;
    let content = content(transaction, item, version).await?;
    let hash: Option<Vec<u8>> = record.try_get("content_hash")?;
    let rebuilt = Version {
        record: record_from_row(&record)?,
        fields: decoded(&fields, "fields", json::decode_fields)?,
        content,
    };
    // Off the threads of the async runtime: it may take milliseconds.
    let checked = run_blocking(move || check_version(item, &rebuilt, hash.as_deref()).map(|()| Some(rebuilt))).await?;
    Ok(checked?)
}

/// Versions that can be rebuilt as they were written, newest first.
pub(crate) async fn whole_versions(client: &mut Client, item: ItemId, limit: usize) -> Result<Vec<u64>, Failure> {
    let transaction = snapshot_transaction(client).await?;
    let statement = transaction.prepare_cached(STARTS).await?;
    let mut starts = Vec::new();
    for row in transaction.query(&statement, &[&item.uuid()]).await? {
        starts.push((count(&row, "stamp_version")?, row.try_get("stands_alone")?));
    }
    // After a statement that fails, the transaction goes on from here.
    transaction.batch_execute("SAVEPOINT whole").await?;
    let mut search = WholeVersions::new(limit);
    for number in by_promise(starts.into_iter()) {
        if !search.goes_on() {
            break;
        }
        let is_whole = match version_in(&transaction, item, number).await.map_err(Failure::into_corruption) {
            Ok(version) => version.is_some(),
            Err(Ok(_)) => {
                transaction.batch_execute("ROLLBACK TO SAVEPOINT whole").await?;
                false
            }
            Err(Err(failure)) => return Err(failure),
        };
        search.add(number, is_whole);
    }
    Ok(search.finish())
}

/// A read-only transaction whose statements all see one snapshot of the database.
pub(crate) async fn snapshot_transaction(client: &mut Client) -> Result<Transaction<'_>, Failure> {
    Ok(client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true).start().await?)
}

/// The content of a version: rebuilt from the nearest newer content that is stored whole, back record by record.
async fn content(transaction: &Transaction<'_>, item: ItemId, version: i64) -> Result<Option<Arc<str>>, Failure> {
    let id = item.uuid();
    let start = transaction.prepare_cached(START).await?;
    let start: Option<i64> = match transaction.query_opt(&start, &[&id, &version]).await? {
        Some(row) => Some(row.try_get(0)?),
        None => None,
    };
    let mut newest: Option<Row> = None;
    if start.is_none() {
        let statement = transaction.prepare_cached(NEWEST).await?;
        newest = transaction.query_opt(&statement, &[&id]).await?;
    }
    let statement = transaction.prepare_cached(UNDO).await?;
    let found = transaction.query(&statement, &[&id, &version, &start.unwrap_or(i64::MAX)]).await?;
    let mut records = Vec::new();
    for row in &found {
        records.push(UndoRecord::from_stored(row.try_get(0)?, row.try_get(1)?).map_err(StoreError::from)?);
    }
    // Off the threads of the async runtime: it may take milliseconds.
    run_blocking(move || {
        let newest = newest.as_ref().map(|row| row.try_get::<_, &str>(0)).transpose()?;
        Ok::<_, Failure>(undo::rebuild(newest.map(Arc::from), &records).map_err(StoreError::from)?)
    })
    .await?
}

fn record_from_row(row: &Row) -> Result<HistoryRecord, Failure> {
    let changed_fields =
        json::decode_strings(row.try_get("changed_fields")?, "changed fields").map_err(StoreError::from)?;
    let token = maybe_id(row, "token", TokenId::from_uuid)?;
    let token_name: Option<String> = row.try_get("token_name")?;
    let imported_from: Option<&str> = row.try_get("imported_from")?;
    let (characters, bytes) = (maybe_count(row, "content_characters")?, maybe_count(row, "content_bytes")?);
    let stamp = Stamp { version: count(row, "stamp_version")?, revision: count(row, "stamp_revision")? };
    let merged_base = maybe_count(row, "merged_base")?;
    let accepted: Option<&str> = row.try_get("accepted")?;
    let attribution = attribution_from_row(row)?;
    let review = names::parse_review(row.try_get("review")?).map_err(StoreError::from)?;
    Ok(HistoryRecord {
        stamp,
        version: maybe_count(row, "version")?,
        action: decoded(row, "action", names::parse_action)?,
        changed_fields,
        at: time(row, "at")?,
        source: decoded(row, "source", names::parse_source)?,
        user: NamedId { id: UserId::from_uuid(row.try_get("user")?), name: row.try_get("user_name")? },
        token: token.map(|id| NamedId { id, name: token_name }),
        imported_from: imported_from.map(json::decode_imported_from).transpose().map_err(StoreError::from)?,
        content: characters.zip(bytes).map(|(characters, bytes)| ContentSize { characters, bytes }),
        merged_from: merged_base.map(|base| MergedFrom::in_version(stamp.version, base)),
        review: changed_items::review_of_record(attribution.author, review),
        attribution,
        undoes: maybe_id(row, "undoes", ChangeSetId::from_uuid)?,
        lines: match (maybe_count(row, "lines_added")?, maybe_count(row, "lines_removed")?) {
            (Some(added), Some(removed)) => Some(LineCounts { added, removed }),
            _ => None,
        },
        accepted: accepted.map(proposals::decode_accepted).transpose().map_err(StoreError::from)?,
    })
}

fn attribution_from_row(row: &Row) -> Result<Attribution, Failure> {
    let id = ChangeSetId::from_uuid(row.try_get("change_set")?);
    let begun_at = maybe_time(row, "set_begun")?;
    Ok(Attribution {
        client: interline_items::Client::from_stored(row.try_get("client_name")?, row.try_get("client_version")?),
        reason: row.try_get::<_, Option<String>>("reason")?.map(Reason::from_stored),
        author: names::parse_author(row.try_get("author")?).map_err(StoreError::from)?,
        change_set: changed_items::set_of_record(id, begun_at, time(row, "at")?),
    })
}
