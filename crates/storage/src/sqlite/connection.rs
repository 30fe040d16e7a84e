//! Opening connections to the SQLite file, with the pragmas of the writer and of readers.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// How long a connection waits for another process to finish its commit.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection waits before it asks again for a lock that SQLite does not wait for.
const RETRY_PAUSE: Duration = Duration::from_millis(2);
/// More than there are statements in this crate: none is prepared twice.
const CACHED_STATEMENTS: usize = 128;

// `synchronous=FULL` syncs the log at every commit: an acknowledged write is on disk; where the system's sync stops at the
// drive's cache, `fullfsync` goes on. Savepoints keep their undo in memory, or each group of writes would make a temporary
// file. The log shrinks again after an exceptional transaction. No `mmap_size`: an I/O error would kill the process
// instead of being returned.
const WRITER: &str = "
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16384;
    PRAGMA journal_size_limit = 67108864;";

const READER: &str = "
    PRAGMA query_only = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -8192;";

/// Opens a connection that writes; creates the file if there is none.
#[expect(clippy::disallowed_methods, reason = "SQLite tells nobody when the lock is free")]
pub(super) fn writer(path: &Path) -> Result<Connection, rusqlite::Error> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE, WRITER)?;
    let began = Instant::now();
    // Of two processes that switch a new file at once, SQLite refuses one without waiting: each has a lock that the other wants.
    while let Err(error) = enable_wal(&connection) {
        if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) || began.elapsed() > BUSY_TIMEOUT {
            return Err(error);
        }
        sleep(RETRY_PAUSE);
    }
    Ok(connection)
}

/// Switches the file to a write-ahead log. SQLite returns the new mode first and writes it to the file last: a caller that
/// does not step the statement to its end misses the error, and has a connection that takes its rollback journal for a
/// log.
fn enable_wal(connection: &Connection) -> Result<(), rusqlite::Error> {
    let mut statement = connection.prepare("PRAGMA journal_mode = WAL")?;
    let mut answers = statement.query([])?;
    while answers.next()?.is_some() {}
    Ok(())
}

/// Opens a connection that reads a file which a writer has opened before.
pub(super) fn reader(path: &Path) -> Result<Connection, rusqlite::Error> {
    // Not read-only for SQLite: the last connection that is closed cleans up the log.
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE, READER)
}

/// Opens a connection that only reads, with the given flags.
pub(super) fn open_reading(path: &Path, flags: OpenFlags) -> Result<Connection, rusqlite::Error> {
    open(path, flags, READER)
}

fn open(path: &Path, flags: OpenFlags, settings: &str) -> Result<Connection, rusqlite::Error> {
    // Each connection is used by one thread at a time.
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch(settings)?;
    // Query plans do not depend on values. Otherwise SQLite, looking at the conditions of partial indexes, prepares some
    // statements anew for each value: three times the cost of a point read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // `"user"` is a column. Otherwise SQLite takes a misspelt name in double quotes for a string, and finds nothing.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_open_a_new_file_together_wait_for_each_other() {
        for _ in 0..30 {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("interline.db");
            std::thread::scope(|scope| {
                let opened: Vec<_> = (0..4).map(|_| scope.spawn(|| writer(&path).map(drop))).collect();
                opened.into_iter().for_each(|opened| opened.join().unwrap().unwrap());
            });
        }
    }

    #[test]
    fn a_name_in_double_quotes_that_is_no_column_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("interline.db");
        let writer = writer(&path).unwrap();
        writer.execute_batch(r#"CREATE TABLE notes ("user" INTEGER)"#).unwrap();
        for connection in [&writer, &reader(&path).unwrap()] {
            assert!(connection.prepare(r#"SELECT 1 FROM notes WHERE "user" = 1"#).is_ok());
            assert!(connection.prepare(r#"SELECT 1 FROM notes WHERE "usr" = 1"#).is_err());
        }
    }
}
