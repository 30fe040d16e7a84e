//! What SQLite itself finds wrong with the file: pages, trees, indexes, references.

use std::collections::HashMap;

use interline_items::{CheckProblem, CheckReport, StoreError};
use rusqlite::Connection;

use super::or_add;
use crate::sqlite::failure::Failure;

/// As many as a report lists.
const INTEGRITY: &str = "PRAGMA integrity_check(100)";

const REFERENCES: &str = "PRAGMA foreign_key_check";

const TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name";

const ROOTS: &str = "SELECT rootpage, type || ' ' || name FROM sqlite_schema WHERE rootpage > 0";

/// Adds what is wrong with the file.
pub(super) fn check(connection: &Connection, report: &mut CheckReport) -> Result<(), Failure> {
    let names = or_add(roots(connection), report)?.unwrap_or_default();
    match lines(connection, INTEGRITY) {
        Ok(lines) => add_findings(&lines, |finding| named(finding, &names), report),
        // It cannot go on after some damage: then table by table.
        Err(_) => {
            for table in or_add(lines(connection, TABLES), report)?.unwrap_or_default() {
                match lines(connection, &format!("PRAGMA integrity_check({table:?})")) {
                    Ok(lines) => add_findings(&lines, |finding| format!("table {table}: {finding}"), report),
                    Err(failure) => {
                        let failure = StoreError::from(failure);
                        report.add(CheckProblem::Table(format!("table {table}: {failure}")));
                    }
                }
            }
        }
    }
    for table in or_add(lines(connection, REFERENCES), report)?.unwrap_or_default() {
        report.add(CheckProblem::Table(format!("table {table}: a row refers to one that is not there")));
    }
    Ok(())
}

/// Adds the findings of lines, of which one may hold several.
fn add_findings(lines: &[String], name: impl Fn(&str) -> String, report: &mut CheckReport) {
    for finding in lines.iter().flat_map(|line| line.split('\n')) {
        if !matches!(finding, "" | "ok") && !finding.starts_with("*** in database") {
            report.add(CheckProblem::Table(name(finding)));
        }
    }
}

/// The first column of each row.
fn lines(connection: &Connection, sql: &str) -> Result<Vec<String>, Failure> {
    let mut statement = connection.prepare(sql)?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Which table or index has which root page.
fn roots(connection: &Connection) -> Result<HashMap<String, String>, Failure> {
    let mut statement = connection.prepare(ROOTS)?;
    let found = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?.to_string(), row.get(1)?)))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// A finding with the name of the tree that it is about: SQLite calls it by its root page, `Tree 12 page 34: …`.
fn named(finding: &str, names: &HashMap<String, String>) -> String {
    let root = finding.strip_prefix("Tree ").and_then(|rest| rest.split(' ').next());
    match root.and_then(|root| names.get(root)) {
        Some(name) => format!("{name}: {finding}"),
        None => finding.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_called_by_its_name() {
        let names = HashMap::from([("12".to_owned(), "table contents".to_owned())]);
        assert_eq!(named("Tree 12 page 34: x", &names), "table contents: Tree 12 page 34: x");
        assert_eq!(named("Tree 13 page 34: x", &names), "Tree 13 page 34: x");
        assert_eq!(named("row 3 missing from index items_by_id", &names), "row 3 missing from index items_by_id");
    }
}
