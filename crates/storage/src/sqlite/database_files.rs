//! Noticing that the files of the database were removed or replaced while they are open.
//!
//! A process that has a file open goes on reading and writing it after it was removed, and nobody ever sees what it wrote.
//! So the files that were opened are compared with those at their paths, by device and inode: before and after each
//! commit, and for reads from time to time.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::ffi;

/// How long reads rely on the last comparison.
const READ_INTERVAL: Duration = Duration::from_millis(50);

/// The files of an open database: itself, its log and the log's index. They stay the same for as long as any connection is
/// open.
pub(crate) struct DatabaseFiles {
    files: [(PathBuf, Option<FileId>); 3],
    opened: Instant,
    /// When they were compared last, in milliseconds since they were opened.
    compared: AtomicU64,
    were_in_place: AtomicBool,
}

/// The device and inode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId(u64, u64);

impl FileId {
    /// Of the file at a path; `None` if there is none.
    fn at(path: &Path) -> Option<FileId> {
        std::fs::metadata(path).ok().map(|file| FileId(file.dev(), file.ino()))
    }
}

impl DatabaseFiles {
    /// The files of a database that a connection has just opened and read.
    pub(crate) fn for_database(database: &Path) -> DatabaseFiles {
        let files = ["", "-wal", "-shm"].map(|ending| {
            let mut name = OsString::from(database);
            name.push(ending);
            let path = PathBuf::from(name);
            let id = FileId::at(&path);
            (path, id)
        });
        DatabaseFiles {
            files,
            opened: Instant::now(),
            compared: AtomicU64::new(0),
            were_in_place: AtomicBool::new(true),
        }
    }

    /// Compares the files; an error of SQLite if they are not those that were opened.
    pub(crate) fn check(&self) -> rusqlite::Result<()> {
        let are_in_place = self.files.iter().all(|(path, id)| FileId::at(path) == *id);
        self.were_in_place.store(are_in_place, Ordering::Relaxed);
        self.compared.store(self.now(), Ordering::Relaxed);
        if are_in_place { Ok(()) } else { Err(moved()) }
    }

    /// The same, where the last comparison may be a moment old.
    pub(crate) fn check_for_read(&self) -> rusqlite::Result<()> {
        let age = self.now().saturating_sub(self.compared.load(Ordering::Relaxed));
        if u128::from(age) >= READ_INTERVAL.as_millis() {
            return self.check();
        }
        if self.were_in_place.load(Ordering::Relaxed) { Ok(()) } else { Err(moved()) }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// SQLite's own error for a file that was moved, which it reports for rollback journals only.
fn moved() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_READONLY_DBMOVED), None)
}

/// Whether an error is that of [`DatabaseFiles::check`].
pub(crate) fn is_moved(error: &rusqlite::Error) -> bool {
    error.sqlite_extended_error_code() == Some(ffi::SQLITE_READONLY_DBMOVED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_come_back_are_the_same_and_others_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let [path, aside] = ["x.db", "aside"].map(|name| directory.path().join(name));
        for ending in ["", "-wal", "-shm"] {
            std::fs::write(directory.path().join(format!("x.db{ending}")), "x").unwrap();
        }
        let files = DatabaseFiles::for_database(&path);
        assert!(files.check().is_ok());
        for ending in ["", "-wal", "-shm"] {
            let file = directory.path().join(format!("x.db{ending}"));
            std::fs::rename(&file, &aside).unwrap();
            assert!(is_moved(&files.check().unwrap_err()), "{ending}: it is gone");
            assert!(files.check_for_read().is_err(), "{ending}: a read knows by now");
            std::fs::copy(&aside, &file).unwrap();
            assert!(files.check().is_err(), "{ending}: a copy is another file");
            std::fs::rename(&aside, &file).unwrap();
            assert!(files.check().is_ok(), "{ending}: it is back");
            assert!(files.check_for_read().is_ok());
        }
    }
}
