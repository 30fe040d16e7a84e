//! The pool of read connections.
//!
//! A point read takes a few microseconds, less than handing it to another thread and back: it runs on the caller's thread.
//! A read that can take longer runs on a blocking thread.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use interline_items::{Outage, StoreError};
use rusqlite::Connection;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::OpenError;
use crate::sqlite::connection;
use crate::sqlite::database_files::DatabaseFiles;
use crate::sqlite::failure::Failure;

/// How many long reads run at a time; further ones wait.
const LONG_READS: usize = 4;

/// How many idle connections are kept open.
const MAX_IDLE: usize = 16;

/// Reads on pooled connections.
pub(super) struct Readers {
    pool: Arc<Pool>,
    long_reads: Arc<Semaphore>,
}

impl Readers {
    /// Opens the file, which a writer has opened before. Reads are refused while its `files` are not at their paths.
    pub(super) fn open(path: &Path, files: Arc<DatabaseFiles>) -> Result<Readers, OpenError> {
        let first = connection::reader(path).map_err(|error| OpenError::Failed(error.to_string()))?;
        let pool = Pool { path: path.to_owned(), files, idle: Mutex::new(vec![first]) };
        Ok(Readers { pool: Arc::new(pool), long_reads: Arc::new(Semaphore::new(LONG_READS)) })
    }

    /// Runs a short read on this thread. It sees everything that was committed before.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, StoreError> {
        Ok(self.pool.with_connection(work)?)
    }

    /// Whether reads work, by a small one.
    pub(super) fn health(&self) -> Result<(), Outage> {
        // The version is in the file: `SELECT 1` would not read it.
        let read = |connection: &Connection| Ok(connection.query_row("PRAGMA user_version", [], |_| Ok(()))?);
        self.pool
            .files
            .check()
            .map_err(Failure::from)
            .and_then(|()| self.pool.with_connection(read))
            .map_err(|failure| Outage::from(&failure))
    }

    /// Runs a long read on a blocking thread. All its statements see one snapshot of the store.
    pub(super) async fn read_long<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        // The semaphore is never closed.
        let permit = Arc::clone(&self.long_reads).acquire_owned().await;
        let pool = Arc::clone(&self.pool);
        let reading = spawn_blocking(move || {
            // The permit belongs to the read, which goes on when the caller no longer waits for it.
            let _permit = permit;
            pool.with_connection(|connection| in_snapshot(connection, work))
        });
        Ok(reading.await.map_err(|error| StoreError::Unavailable(error.to_string()))??)
    }
}

/// Runs a read of several statements that see one snapshot of the store.
pub(super) fn in_snapshot<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // Dropping the transaction ends it.
    let transaction = connection.unchecked_transaction()?;
    work(&transaction)
}

/// Idle connections, [`MAX_IDLE`] at the most. A read that finds none opens one, because to wait for one would hold up a
/// thread that serves other requests too.
struct Pool {
    path: PathBuf,
    files: Arc<DatabaseFiles>,
    idle: Mutex<Vec<Connection>>,
}

impl Pool {
    fn with_connection<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        self.files.check_for_read()?;
        // The connection that was used last has the most in its cache.
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = idle.map_or_else(|| self.open(), Ok)?;
        let result = work(&connection);
        self.put_back(connection);
        result
    }

    /// A new connection to the files that the others have open.
    fn open(&self) -> rusqlite::Result<Connection> {
        let connection = connection::reader(&self.path)?;
        self.files.check()?;
        Ok(connection)
    }

    fn put_back(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(connection);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use tokio::runtime::Runtime;

    use super::*;

    fn readers(directory: &Path) -> Readers {
        let path = directory.join("interline.db");
        connection::writer(&path).unwrap();
        Readers::open(&path, Arc::new(DatabaseFiles::for_database(Path::new(":memory:")))).unwrap()
    }

    /// Uses so many connections at the same time.
    fn use_together(pool: &Pool, connections: usize) {
        if connections > 0 {
            let rest = |_: &Connection| {
                use_together(pool, connections - 1);
                Ok(())
            };
            assert!(pool.with_connection(rest).is_ok());
        }
    }

    #[test]
    fn few_connections_are_kept_after_many_reads_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let readers = readers(directory.path());
        use_together(&readers.pool, MAX_IDLE + 4);
        assert_eq!(readers.pool.idle.lock().unwrap().len(), MAX_IDLE);
    }

    #[test]
    fn a_long_read_whose_caller_has_gone_keeps_its_permit() {
        let directory = tempfile::tempdir().unwrap();
        let readers = Arc::new(readers(directory.path()));
        let (started, has_started) = channel();
        let (release, released) = channel::<()>();
        Runtime::new().unwrap().block_on(async {
            let reading = Arc::clone(&readers);
            let asking = tokio::spawn(async move {
                reading
                    .read_long(move |_| {
                        started.send(()).unwrap();
                        // Until the test lets go of the other end.
                        let _ = released.recv();
                        Ok(())
                    })
                    .await
            });
            has_started.recv().unwrap();
            asking.abort();
            assert!(asking.await.unwrap_err().is_cancelled());
            assert_eq!(readers.long_reads.available_permits(), LONG_READS - 1);
            drop(release);
            // All permits come back.
            assert!(readers.long_reads.acquire_many(u32::try_from(LONG_READS).unwrap()).await.is_ok());
        });
    }
}
