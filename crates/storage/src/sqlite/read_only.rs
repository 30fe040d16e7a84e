//! Opening a file that is only read: a copy on a read-only disk, or the store of a server that goes on meanwhile.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::OpenError;
use crate::sqlite::connection;
use crate::sqlite::migrate::failed;

/// Opens a file without writing to it, and reads a first page.
///
/// The reader of a file with a write-ahead log needs a file of shared memory beside it. Where that cannot be made, nobody else
/// can write either, and the file is read as one that does not change, if there is no log beside it.
pub(super) fn open(path: &Path) -> Result<Connection, OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let opened = connection::open_reading(path, flags).and_then(|connection| probe(&connection).map(|()| connection));
    match opened {
        Ok(connection) => Ok(connection),
        Err(error) if needs_shared_memory(&error) => {
            if has_log(path) {
                let why = "the changes in the log beside it can only be read where files can be made: copy all of its files there";
                return Err(OpenError::Failed(format!("{error}: {why}")));
            }
            open_unchanging(path)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Whether a file has any tables. Where there is no log beside it, none is made.
pub(super) fn has_tables(path: &Path) -> Result<bool, OpenError> {
    let connection = if has_log(path) { open(path)? } else { open_unchanging(path)? };
    connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0)).map_err(failed)
}

/// Opens a file as one that does not change: its log is not read, and nothing is made beside it.
fn open_unchanging(path: &Path) -> Result<Connection, OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connection::open_reading(&PathBuf::from(unchanging_url(path)), flags).map_err(failed)
}

fn probe(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

fn needs_shared_memory(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure))
}

/// Whether there are changes beside the file.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

/// The URL by which SQLite opens a file that does not change, without locks and without a log.
fn unchanging_url(path: &Path) -> String {
    let mut url = "file:".to_owned();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => url.push(char::from(*byte)),
            byte => {
                // Writing to a string does not fail.
                let _ = write!(url, "%{byte:02x}");
            }
        }
    }
    url + "?immutable=1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_beside_which_nothing_can_be_made_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a store%1?.db");
        let writer = connection::writer(&path).unwrap();
        writer.execute_batch("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (7)").unwrap();
        drop(writer);
        // In the place of the shared memory SQLite follows no link, not even of a user who may write everywhere.
        std::os::unix::fs::symlink("nowhere", directory.path().join("a store%1?.db-shm")).unwrap();
        let reader = open(&path).unwrap();
        assert_eq!(reader.query_row("SELECT n FROM t", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
        assert!(reader.execute_batch("DELETE FROM t").is_err());
        std::fs::write(directory.path().join("a store%1?.db-wal"), "changes").unwrap();
        assert!(open(&path).unwrap_err().to_string().contains("the changes in the log beside it"));
    }
}
