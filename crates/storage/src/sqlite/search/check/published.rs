//! The contents of published files, which are kept under their hashes.

use interline_items::{CheckProblem, CheckReport, content_hash};
use rusqlite::Connection;

use super::or_add;
use crate::sqlite::failure::Failure;
use crate::sqlite::rows::Columns;

const NUMBERS: &str = "SELECT rowid FROM published_contents ORDER BY rowid";

const CONTENT: &str = "SELECT hash, text FROM published_contents WHERE rowid = ?1";

/// Adds the published contents that do not have their hash.
pub(super) fn check(connection: &Connection, report: &mut CheckReport) -> Result<(), Failure> {
    let Some(numbers) = or_add(numbers(connection), report)? else { return Ok(()) };
    for number in numbers {
        if or_add(is_whole(connection, number), report)? == Some(false) {
            let problem = format!("table published_contents: the text of row {number} does not have its hash");
            report.add(CheckProblem::Table(problem));
        }
    }
    Ok(())
}

fn numbers(connection: &Connection) -> Result<Vec<i64>, Failure> {
    let mut statement = connection.prepare(NUMBERS)?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

fn is_whole(connection: &Connection, number: i64) -> Result<bool, Failure> {
    let mut statement = connection.prepare_cached(CONTENT)?;
    let mut found = statement.query([number])?;
    let Some(row) = found.next()? else { return Ok(false) };
    let mut columns = Columns::from_row(row);
    let hash: [u8; 32] = columns.next()?;
    Ok(content_hash(columns.text()?) == hash)
}
