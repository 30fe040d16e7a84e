//! The write connection, and how it recovers after the sync of a commit has failed.
//!
//! What SQLite leaves behind when the sync of a commit fails, in WAL mode: the frames of the transaction, its commit frame
//! included, are in the log's file, perhaps on disk, perhaps not. The shared index of the log does not count them, so no
//! connection sees them, and they stay invisible as long as any connection is open. But a recovery (after a crash, or
//! when the index is made anew) reads the file itself and takes every frame whose checksum follows from the one before:
//! the commit that was refused would be back. Nor does another sync tell anything: after a failed one, systems forget the
//! pages that they could not write and report the next sync as a success.
//!
//! So after such a failure nothing is acknowledged until a transaction (the probe) was written and synced through a
//! connection, and so through file handles, that were opened since. The probe goes to the very place of the log where the
//! refused frames are, and checksums are chained: with its first frame in place, none of them can be taken any more. Commits that were acknowledged
//! before are not in question: they lie before that place, and their own sync succeeded. The old connection stays open
//! meanwhile, so that nothing makes the index anew. The probe does not wait for a write: until it is written, a kill of
//! the process would bring the refused commit back. What the file says by then is the truth, whatever was refused: the
//! writer thread keeps nothing of its own from one transaction to the next.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, ErrorCode, ffi};

use crate::sqlite::connection;
use crate::sqlite::database_files::DatabaseFiles;
use crate::sqlite::write::process_lock::{LockTimeout, ProcessLock};

/// A small write, so that there is something to sync.
pub(crate) const PROBE: &str = "
    INSERT INTO meta (key, value) VALUES ('probes', '1') ON CONFLICT (key) DO UPDATE SET value = value + 1";

/// Commits a transaction; it is a value, so that a test can make it fail as a disk does.
type Commit = Box<dyn FnMut(&Connection) -> rusqlite::Result<()> + Send>;

/// The connection that the writer thread writes through, with the process lock that it holds meanwhile.
pub(crate) struct WriteConnection {
    path: PathBuf,
    files: Arc<DatabaseFiles>,
    connection: Connection,
    commit: Commit,
    trust: Trust,
    process_lock: ProcessLock,
}

/// Whether a write that was reported as synced can be trusted to be on disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    Sound,
    /// A commit failed at the disk, and none has succeeded since.
    Suspect,
}

impl WriteConnection {
    /// Writes through a connection to the file `path`, which it has read before.
    pub(crate) fn new(path: &Path, connection: Connection, process_lock: ProcessLock) -> WriteConnection {
        WriteConnection {
            path: path.to_owned(),
            files: Arc::new(DatabaseFiles::for_database(path)),
            connection,
            commit: Box::new(|connection| execute(connection, "COMMIT")),
            trust: Trust::Sound,
            process_lock,
        }
    }

    /// The connection; in a transaction from [`WriteConnection::begin`] on.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The files that the connection has open.
    pub(crate) fn files(&self) -> &Arc<DatabaseFiles> {
        &self.files
    }

    /// Acquires the process lock and begins a transaction, on a new connection if the old one is suspect and the disk can
    /// be trusted again. The lock is released with the end of the transaction, or by [`WriteConnection::roll_back`] if
    /// this fails.
    pub(crate) fn begin(&mut self) -> rusqlite::Result<()> {
        self.process_lock.acquire().map_err(busy)?;
        if self.is_suspect() {
            self.probe()?;
        }
        execute(&self.connection, "BEGIN IMMEDIATE")
    }

    /// Whether a refused commit may come back, as long as nothing is written in its place.
    pub(crate) fn is_suspect(&self) -> bool {
        self.trust == Trust::Suspect
    }

    /// Writes in the place of a refused commit, if the disk can be trusted again; otherwise the connection stays suspect.
    pub(crate) fn try_to_recover(&mut self) {
        if self.process_lock.acquire().is_ok() {
            // The next attempt, or the next write, meets the same error.
            let _ = self.probe();
            self.process_lock.release();
        }
    }

    fn probe(&mut self) -> rusqlite::Result<()> {
        // A connection would make a file that is not there.
        self.files.check()?;
        let fresh = connection::writer(&self.path)?;
        execute(&fresh, "BEGIN IMMEDIATE")?;
        execute(&fresh, PROBE)?;
        (self.commit)(&fresh)?;
        self.connection = fresh;
        self.trust = Trust::Sound;
        Ok(())
    }

    /// Commits; the transaction is on disk when this succeeds, in files that are still at their paths.
    pub(crate) fn commit(&mut self) -> Result<(), CommitFailure> {
        self.files.check()?;
        let result = (self.commit)(&self.connection);
        if result.as_ref().is_err_and(is_disk_error) {
            self.trust = Trust::Suspect;
        }
        result?;
        self.process_lock.release();
        // They may have been removed before the commit, which nobody will see then, or after it.
        self.files.check().map_err(|_| CommitFailure::FilesMoved)
    }

    /// Rolls the transaction back, if one is open: after some errors SQLite has done that already.
    pub(crate) fn roll_back(&self) {
        if !self.connection.is_autocommit() {
            let _ = execute(&self.connection, "ROLLBACK");
        }
        self.process_lock.release();
    }
}

/// Why a transaction is not acknowledged.
#[derive(Debug)]
pub(crate) enum CommitFailure {
    /// It was not committed.
    NotCommitted(rusqlite::Error),
    /// It was committed, and the files are not at their paths any more: if they come back, so does the commit.
    FilesMoved,
}

impl From<rusqlite::Error> for CommitFailure {
    fn from(error: rusqlite::Error) -> CommitFailure {
        CommitFailure::NotCommitted(error)
    }
}

/// Another process holds the process lock for too long.
fn busy(_: LockTimeout) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None)
}

/// Runs a statement without parameters that stays prepared.
pub(crate) fn execute(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(|_| ())
}

/// Whether frames may have reached the file although the commit failed.
fn is_disk_error(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::SystemIoFailure | ErrorCode::DiskFull))
}

#[cfg(test)]
impl WriteConnection {
    /// The same connection, which commits by `commit`.
    pub(crate) fn with_commit(
        mut self,
        commit: impl FnMut(&Connection) -> rusqlite::Result<()> + Send + 'static,
    ) -> WriteConnection {
        self.commit = Box::new(commit);
        self
    }
}
