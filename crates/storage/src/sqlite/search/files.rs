//! Search of code files: reads the candidates in the order of their paths.

use std::ops::ControlFlow;

use interline_items::search::{FileReader, FileSearch, FileText, Paths, file_order};
use interline_items::{ItemId, SpaceId};
use rusqlite::{Connection, Statement, params};

use super::segments::{live_segments, stale_items};
use super::{candidates, check_time};
use crate::integrity::{Damage, Integrity};
use crate::sqlite::failure::Failure;
use crate::sqlite::rows::Columns;

// The conditions are those of the partial index, word for word, or SQLite would not use it. The index
// covers all columns that are read.
const FILES: &str = "
    SELECT number, path FROM items
    WHERE space = ?1 AND kind = ?2 AND path >= ?3 AND path IS NOT NULL AND deleted_at IS NULL ORDER BY path";

const TEXT: &str = "
    SELECT id, version, content_hash, text FROM contents JOIN items ON number = item WHERE item = ?1";

/// A file that is a candidate.
struct File {
    number: i64,
    space: SpaceId,
    path: String,
}

/// Hands the candidates to `read`. Returns how many files there are in the searched paths. The connection is in a
/// transaction.
pub(crate) fn search_files(
    connection: &Connection,
    integrity: &Integrity,
    query: &FileSearch,
    mut read: FileReader,
) -> Result<u64, Failure> {
    check_time(&query.checkpoint)?;
    let (segments, stale) = (live_segments(connection)?, stale_items(connection)?);
    let candidates = candidates(connection, &query.search, &query.checkpoint, &segments, stale)?;
    let (files, total) = files(connection, query, candidates.items(&query.search).as_deref())?;
    let mut statement = connection.prepare_cached(TEXT)?;
    for file in files {
        check_time(&query.checkpoint)?;
        let handed_over = hand_over(&mut statement, integrity, &file, &mut read);
        match integrity.unless_damaged(handed_over)? {
            Some(ControlFlow::Continue(())) | None => {}
            Some(ControlFlow::Break(())) => break,
        }
    }
    Ok(total)
}

/// Hands a file to `read`, if its text is whole.
fn hand_over(
    statement: &mut Statement<'_>,
    integrity: &Integrity,
    file: &File,
    read: &mut FileReader,
) -> Result<ControlFlow<()>, Failure> {
    let mut found = statement.query([file.number])?;
    let Some(row) = found.next()? else { return Ok(ControlFlow::Continue(())) };
    let mut columns = Columns::from_row(row);
    let id = ItemId::from_uuid(columns.uuid()?);
    let (version, hash, text) = (columns.count(), columns.next::<[u8; 32]>(), columns.text());
    let text = text.map_err(|failure| failure.of_item(id))?;
    let (version, hash) = (version?, hash.map_err(|failure| failure.of_item(id))?);
    integrity.check_text((id, version), &hash, text)?;
    Ok(read(FileText { space: file.space, path: &file.path, text }))
}

/// The candidates among the files, sorted, and how many files there are in all.
fn files(connection: &Connection, query: &FileSearch, candidates: Option<&[i64]>) -> Result<(Vec<File>, u64), Failure> {
    let mut statement = connection.prepare_cached(FILES)?;
    let first = match &query.paths {
        Paths::Is(path) => path.as_str(),
        Paths::BeginWith(start) => start,
    };
    let (mut files, mut total) = (Vec::new(), 0);
    for &space in &query.spaces {
        let mut found = statement.query(params![space.uuid().into_bytes(), query.kind.name(), first])?;
        while let Some(row) = found.next()? {
            let (number, path) = (row.get(0)?, row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?);
            // Paths ascend by their bytes, so that those of the query come first.
            if !query.paths.contain(path) {
                break;
            }
            total += 1;
            if candidates.is_none_or(|candidates| candidates.binary_search(&number).is_ok()) {
                files.push(File { number, space, path: path.to_owned() });
            }
        }
    }
    files.sort_by_cached_key(|file| file_order(&file.path, file.space));
    Ok((files, total))
}
