//! Migrations of the SQLite file to the newest schema.

use rusqlite::{Connection, TransactionBehavior};

use crate::OpenError;

/// The migrations, oldest first. A released migration never changes. `PRAGMA user_version` counts those applied.
static MIGRATIONS: [(&str, &str); 13] = [
    ("0001_items", include_str!("../../migrations/sqlite/0001_items.sql")),
    ("0002_search", include_str!("../../migrations/sqlite/0002_search.sql")),
    ("0003_code", include_str!("../../migrations/sqlite/0003_code.sql")),
    ("0004_work", include_str!("../../migrations/sqlite/0004_work.sql")),
    ("0005_hashes", include_str!("../../migrations/sqlite/0005_hashes.sql")),
    ("0006_job_users", include_str!("../../migrations/sqlite/0006_job_users.sql")),
    ("0007_sort_keys", include_str!("../../migrations/sqlite/0007_sort_keys.sql")),
    ("0008_app_trash", include_str!("../../migrations/sqlite/0008_app_trash.sql")),
    ("0009_app_purge", include_str!("../../migrations/sqlite/0009_app_purge.sql")),
    ("0010_imports", include_str!("../../migrations/sqlite/0010_imports.sql")),
    ("0011_merged_from", include_str!("../../migrations/sqlite/0011_merged_from.sql")),
    ("0012_change_sets", include_str!("../../migrations/sqlite/0012_change_sets.sql")),
    ("0013_proposals", include_str!("../../migrations/sqlite/0013_proposals.sql")),
];

/// The application id in the header of every store's file (`IntL`): files of other programs are left alone.
const APPLICATION_ID: i32 = 0x496e_744c;

/// The oldest SQLite that is used. Older ones can lose committed writes in WAL mode: a writer and a checkpoint could race for the start of the log.
const OLDEST_GOOD: (i32, &str) = (3_051_003, "3.51.3");

/// Refuses a SQLite that can lose committed writes.
pub(super) fn check_library() -> Result<(), OpenError> {
    check_version(rusqlite::version_number(), rusqlite::version())
}

fn check_version(number: i32, name: &str) -> Result<(), OpenError> {
    let (oldest, needed) = OLDEST_GOOD;
    if number < oldest { Err(OpenError::OldSqlite { linked: name.to_owned(), needed }) } else { Ok(()) }
}

/// Applies the migrations that the file does not have, all or none. Processes that start together wait for each other; a
/// file that has all migrations is only read, so that another process that writes to it is not waited for.
///
/// [`OpenError::Newer`] if it has more migrations than this program knows.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), OpenError> {
    // In a transaction too: between two queries another process may migrate.
    let reading = connection.transaction().map_err(failed)?;
    if missing(&reading)?.is_empty() {
        return Ok(());
    }
    drop(reading);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let due = missing(&transaction)?;
    for (name, sql) in due {
        transaction.execute_batch(sql).map_err(|error| OpenError::Failed(format!("migration {name}: {error}")))?;
    }
    if !due.is_empty() {
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
        transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}

/// Whether the file lacks migrations. [`OpenError::Newer`] as for [`migrate`].
pub(super) fn is_due(connection: &Connection) -> Result<bool, OpenError> {
    Ok(!missing(connection)?.is_empty())
}

/// The migrations that the file does not have.
fn missing(connection: &Connection) -> Result<&'static [(&'static str, &'static str)], OpenError> {
    check_owner(connection)?;
    let applied: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
    MIGRATIONS
        .get(applied as usize..)
        .ok_or_else(|| OpenError::Newer(format!("{applied} migrations, and {} are known here", MIGRATIONS.len())))
}

/// Refuses a database of another program.
fn check_owner(connection: &Connection) -> Result<(), OpenError> {
    let owner: i32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(failed)?;
    let is_new = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
    if owner == APPLICATION_ID || connection.query_row(is_new, [], |row| row.get(0)).map_err(failed)? {
        Ok(())
    } else {
        Err(OpenError::Failed("the file is a database of another program".to_owned()))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
/// The error of opening a file.
pub(super) fn failed(error: rusqlite::Error) -> OpenError {
    OpenError::Failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::connection;
    use super::*;

    #[test]
    fn a_sqlite_that_can_lose_writes_is_refused() {
        let refused = check_version(3_051_002, "3.51.2").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "this program was built with SQLite 3.51.2, which can lose writes; it needs 3.51.3 or newer"
        );
        assert!(check_version(3_051_003, "3.51.3").is_ok());
        assert!(check_library().is_ok());
    }

    #[test]
    fn migrations_are_applied_once() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        migrate(&mut connection).unwrap();
    }

    #[test]
    fn jobs_that_wait_get_the_users_of_their_webhooks() {
        let mut connection = Connection::open_in_memory().unwrap();
        let before = MIGRATIONS.iter().position(|(name, _)| *name == "0006_job_users").unwrap();
        for (_, sql) in &MIGRATIONS[..before] {
            connection.execute_batch(sql).unwrap();
        }
        connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        connection.pragma_update(None, "user_version", before as i64).unwrap();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        connection
            .execute_batch(
                "INSERT INTO webhooks (id, space, user, url, secret, created_at, started_at)
                 VALUES (x'01', x'02', x'03', 'https://example.com/', 's', 1, 1);
                 INSERT INTO jobs (task, subject, since, due_at)
                 VALUES ('deliver', x'01', 1, 1), ('deliver', x'aa', 1, 2), ('enrich', x'bb', 1, 3);",
            )
            .unwrap();
        migrate(&mut connection).unwrap();
        let mut users = connection.prepare("SELECT user FROM jobs ORDER BY due_at").unwrap();
        let users = users.query_map([], |row| row.get(0)).unwrap().collect::<Result<Vec<Vec<u8>>, _>>().unwrap();
        assert_eq!(users, [vec![3], vec![0; 16], vec![0; 16]]);
    }

    #[test]
    fn another_writer_is_not_waited_for_when_there_is_nothing_to_migrate() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("interline.db");
        let mut writing = connection::writer(&path).unwrap();
        migrate(&mut writing).unwrap();
        writing.execute_batch("BEGIN IMMEDIATE").unwrap();
        let mut starting = connection::writer(&path).unwrap();
        starting.busy_timeout(Duration::ZERO).unwrap();
        migrate(&mut starting).unwrap();
    }

    #[test]
    fn a_file_with_unknown_migrations_is_refused_and_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
        let refused = migrate(&mut connection).unwrap_err().to_string();
        assert!(refused.contains("newer version of Interline"), "{refused}");
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 0);
    }

    #[test]
    fn a_file_of_another_program_is_refused_and_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE bookmarks (id INTEGER PRIMARY KEY)").unwrap();
        let refused = migrate(&mut connection).unwrap_err().to_string();
        assert!(refused.contains("of another program"), "{refused}");
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 1);
    }
}
