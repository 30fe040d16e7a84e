//! The pool of read connections.
//!
//! A point read takes a few microseconds, less than handing it to another thread and back: it runs on the caller's thread.
//! A read that can take longer runs on a blocking thread.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use interline_items::fair::Checkpoint;
use interline_items::{Outage, StoreError};
use rusqlite::Connection;
use tokio::task::spawn_blocking;

use crate::OpenError;
use crate::integrity::Integrity;
use crate::sqlite::connection;
use crate::sqlite::database_files::DatabaseFiles;
use crate::sqlite::failure::Failure;

/// How long a read may take that is no search: as long as PostgreSQL allows a statement.
const LONG_READ_TIME: Duration = Duration::from_secs(30);

/// After how many steps of SQLite's machine a long read asks its checkpoint; some 0.1 ms.
const STEPS_PER_CHECK: i32 = 4_000;

/// How many idle connections are kept open.
const MAX_IDLE: usize = 16;

/// How many of them keep the pages that they have read, at most 8 MB each.
const MAX_WARM: usize = 4;

/// Reads on pooled connections.
pub(super) struct Readers {
    pool: Arc<Pool>,
    /// Counts the damage that reads meet.
    integrity: Arc<Integrity>,
}

impl Readers {
    /// Opens the file, which a writer has opened before. Reads are refused while its `files` are not at their paths.
    pub(super) fn open(
        path: &Path,
        integrity: Arc<Integrity>,
        files: Arc<DatabaseFiles>,
    ) -> Result<Readers, OpenError> {
        let first = connection::reader(path).map_err(|error| OpenError::Failed(error.to_string()))?;
        let pool = Pool { path: path.to_owned(), files, idle: Mutex::new(vec![first]) };
        Ok(Readers { pool: Arc::new(pool), integrity })
    }

    /// Runs a short read on this thread. It sees everything that was committed before.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, StoreError> {
        let read = self.pool.with_connection(|connection| work(connection));
        self.integrity.count_damage(read.map_err(StoreError::from))
    }

    /// Whether reads work, by a small one.
    pub(super) fn health(&self) -> Result<(), Outage> {
        // The version is in the file: `SELECT 1` would not read it.
        let read = |connection: &mut Connection| Ok(connection.query_row("PRAGMA user_version", [], |_| Ok(()))?);
        self.pool
            .files
            .check()
            .map_err(Failure::from)
            .and_then(|()| self.pool.with_connection(read))
            .map_err(|failure| Outage::from(&failure))
    }

    /// Runs a long read on a blocking thread. All its statements see one snapshot of the store. It ends when its time is
    /// over, or when the caller no longer waits for it. How many run at a time is the use cases' concern.
    pub(super) async fn read_long<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        let (checkpoint, _guard) = Checkpoint::new(None, Some(Instant::now() + LONG_READ_TIME));
        self.read_until(checkpoint, work).await.map_err(|error| match error {
            StoreError::OutOfTime => StoreError::Unavailable("a read took too long".to_owned()),
            error => error,
        })
    }

    /// The same for work with a checkpoint of its own: [`StoreError::OutOfTime`] if it may not go on.
    pub(super) async fn read_until<T, W>(&self, checkpoint: Checkpoint, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        let pool = Arc::clone(&self.pool);
        let reading = spawn_blocking(move || {
            pool.with_connection(|connection| {
                connection.progress_handler(STEPS_PER_CHECK, Some(move || checkpoint.check().is_err()))?;
                let result = in_snapshot(connection, work);
                connection.progress_handler(0, None::<fn() -> bool>)?;
                result
            })
        });
        let read = reading.await.map_err(|error| StoreError::Unavailable(error.to_string()))?;
        self.integrity.count_damage(read.map_err(StoreError::from))
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
/// thread that serves other requests too. The one that was used last is taken first, so the others are those of a burst:
/// below the last [`MAX_WARM`] they hold no pages.
struct Pool {
    path: PathBuf,
    files: Arc<DatabaseFiles>,
    idle: Mutex<Vec<Connection>>,
}

impl Pool {
    fn with_connection<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        self.files.check_for_read()?;
        // The connection that was used last has the most in its cache.
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = idle.map_or_else(|| self.open(), Ok)?;
        let result = work(&mut connection);
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
        if idle.len() >= MAX_IDLE {
            return;
        }
        idle.push(connection);
        if let Some(cooled) = idle.len().checked_sub(MAX_WARM + 1).and_then(|below| idle.get(below)) {
            // If it fails, the connection keeps its pages: as right as before.
            drop(cooled.release_memory());
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
        let files = Arc::new(DatabaseFiles::for_database(Path::new(":memory:")));
        Readers::open(&path, Arc::new(Integrity::new()), files).unwrap()
    }

    /// Uses so many connections at the same time.
    fn use_together(pool: &Pool, connections: usize) {
        if connections > 0 {
            let rest = |_: &mut Connection| {
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

    /// Counts to 10¹², which takes hours.
    const ENDLESS: &str = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000000000000)
        SELECT count(*) FROM n";

    #[test]
    fn a_long_read_whose_caller_has_gone_ends() {
        let directory = tempfile::tempdir().unwrap();
        let readers = Arc::new(readers(directory.path()));
        let ((started, has_started), (ended, has_ended)) = (channel(), channel());
        Runtime::new().unwrap().block_on(async {
            let reading = Arc::clone(&readers);
            let asking = tokio::spawn(async move {
                reading
                    .read_long(move |connection| {
                        started.send(()).unwrap();
                        let result = connection.query_row(ENDLESS, [], |_| Ok(()));
                        ended.send(result.is_err()).unwrap();
                        Ok(result?)
                    })
                    .await
            });
            has_started.recv().unwrap();
            asking.abort();
            assert!(asking.await.unwrap_err().is_cancelled());
        });
        assert_eq!(has_ended.recv(), Ok(true));
        // The connection serves the next read.
        assert!(readers.read(|connection| Ok(connection.query_row(SHORT, [], |_| Ok(()))?)).is_ok());
    }

    #[tokio::test]
    async fn a_read_ends_when_its_time_is_over() {
        let directory = tempfile::tempdir().unwrap();
        let checkpoint = Checkpoint::until(Instant::now() + Duration::from_millis(20));
        let endless = |connection: &Connection| Ok(connection.query_row(ENDLESS, [], |_| Ok(()))?);
        assert!(matches!(readers(directory.path()).read_until(checkpoint, endless).await, Err(StoreError::OutOfTime)));
    }

    const SHORT: &str = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000)
        SELECT count(*) FROM n";
}
