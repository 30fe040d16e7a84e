//! Search of code files: reads the candidates in the order of their paths.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use deadpool_postgres::{Client, Transaction};
use interline_items::fair::Checkpoint;
use interline_items::search::{FileReader, FileSearch, FileText, Paths, file_order};
use interline_items::{ItemId, SpaceId, StoreError};
use tokio_postgres::Row;
use uuid::Uuid;

use super::texts::{batch, searched, texts};
use super::{candidates, search_on, transaction};
use crate::integrity::Integrity;
use crate::postgres::connection::Pools;
use crate::postgres::failure::Failure;
use crate::postgres::rows::{count, maybe_count};
use crate::postgres::write::transaction_retry::run_blocking;

const FILES: &str = "
    SELECT number, space, path, content_bytes FROM items
    WHERE space = ANY($1) AND kind = $2 AND path IS NOT NULL AND deleted_at IS NULL";

/// A file that is a candidate.
#[derive(Clone)]
struct File {
    number: i64,
    space: SpaceId,
    path: String,
    /// How long its content is.
    bytes: u64,
}

/// Hands the candidates to `read`. Returns how many files there are in the searched paths.
pub(crate) async fn search_files(pools: &Pools, query: &FileSearch, read: FileReader) -> Result<u64, StoreError> {
    let integrity = &pools.integrity;
    search_on(pools, &query.checkpoint, async |client| hand_over(client, integrity, query, read).await).await
}

async fn hand_over(
    client: &mut Client,
    integrity: &Arc<Integrity>,
    query: &FileSearch,
    mut read: FileReader,
) -> Result<u64, Failure> {
    let transaction = transaction(client, &query.checkpoint).await?;
    let candidates = candidates(&transaction, &query.search, &query.checkpoint).await?;
    let search = Arc::clone(&query.search);
    let candidates = run_blocking(move || candidates.items(&search)).await?;
    let found = files(&transaction, query).await?;
    let (files, total) = run_blocking(move || among(&found, candidates.as_deref())).await??;
    let mut rest = &files[..];
    while !rest.is_empty() {
        query.checkpoint.check_async().await.map_err(StoreError::from)?;
        let now;
        (now, rest) = rest.split_at(batch(rest, |file| file.bytes));
        let numbers: Vec<i64> = now.iter().map(|file| file.number).collect();
        let (texts, now) = (texts(&transaction, &numbers).await?, now.to_vec());
        let (integrity, checkpoint) = (Arc::clone(integrity), query.checkpoint.clone());
        let outcome;
        (outcome, read) =
            run_blocking(move || (read_each(&now, &texts, &integrity, &checkpoint, &mut read), read)).await?;
        if outcome?.is_break() {
            break;
        }
    }
    Ok(total)
}

async fn files(transaction: &Transaction<'_>, query: &FileSearch) -> Result<Vec<Row>, Failure> {
    let (condition, path) = match &query.paths {
        Paths::Is(path) => ("path = $3", path.as_str()),
        Paths::BeginWith(start) => ("path >= $3 AND starts_with(path, $3)", start.as_str()),
    };
    let statement = transaction.prepare_cached(&format!("{FILES} AND {condition}")).await?;
    let spaces: Vec<Uuid> = query.spaces.iter().map(|space| space.uuid()).collect();
    Ok(transaction.query(&statement, &[&spaces, &query.kind.name(), &path]).await?)
}

/// The candidates among the files, sorted, and how many files there are in all.
fn among(rows: &[Row], candidates: Option<&[i64]>) -> Result<(Vec<File>, u64), Failure> {
    let mut files = Vec::new();
    for row in rows {
        let number = row.try_get("number")?;
        if candidates.is_none_or(|candidates| candidates.binary_search(&number).is_ok()) {
            let space = SpaceId::from_uuid(row.try_get("space")?);
            let bytes = maybe_count(row, "content_bytes")?.unwrap_or(0);
            files.push(File { number, space, path: row.try_get("path")?, bytes });
        }
    }
    files.sort_by_cached_key(|file| file_order(&file.path, file.space));
    Ok((files, rows.len() as u64))
}

fn read_each(
    files: &[File],
    texts: &[Row],
    integrity: &Integrity,
    checkpoint: &Checkpoint,
    read: &mut FileReader,
) -> Result<ControlFlow<()>, Failure> {
    let by_number: HashMap<i64, &Row> =
        texts.iter().map(|row| Ok((row.try_get("number")?, row))).collect::<Result<_, Failure>>()?;
    for file in files {
        checkpoint.check().map_err(StoreError::from)?;
        let Some(row) = by_number.get(&file.number) else { continue };
        let Some(text) = integrity.unless_damaged(whole_text(row, integrity))?.flatten() else { continue };
        if read(FileText { space: file.space, path: &file.path, text }).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The content of a row, which was checked.
fn whole_text<'r>(row: &'r Row, integrity: &Integrity) -> Result<Option<&'r str>, Failure> {
    let Some(text) = searched(row)?.content else { return Ok(None) };
    let hash = row.try_get::<_, Option<&[u8]>>("content_hash")?.unwrap_or_default();
    integrity.check_text((ItemId::from_uuid(row.try_get("id")?), count(row, "version")?), hash, text)?;
    Ok(Some(text))
}
