//! The connections that read.
//!
//! A point read takes a few microseconds, less than handing it to another thread and back: it is done where it is asked
//! for. What can take longer goes to a thread that nobody else waits for.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use interline_items::StoreError;
use rusqlite::Connection;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::connection;
use super::failure::Failure;
use crate::OpenError;

/// How many long reads go on at a time; the others wait for their turn.
const LONG_READS: usize = 4;

/// The connections that read.
pub(super) struct Readers {
    pool: Arc<Pool>,
    long_reads: Semaphore,
}

impl Readers {
    /// Opens the file, which a writer has opened before.
    pub(super) fn open(path: &Path) -> Result<Readers, OpenError> {
        let first = connection::reader(path).map_err(|error| OpenError::Failed(error.to_string()))?;
        let pool = Pool { path: path.to_owned(), idle: Mutex::new(vec![first]) };
        Ok(Readers { pool: Arc::new(pool), long_reads: Semaphore::new(LONG_READS) })
    }

    /// What `work` reads here and now; it sees everything that was committed before. It must be short.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, StoreError> {
        Ok(self.pool.with_connection(work)?)
    }

    /// What `work` reads on a thread of its own. All its statements see one state of the store.
    pub(super) async fn read_long<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        // The semaphore is never closed.
        let _turn = self.long_reads.acquire().await;
        let pool = Arc::clone(&self.pool);
        let reading = spawn_blocking(move || pool.with_connection(|connection| at_one_moment(connection, work)));
        Ok(reading.await.map_err(|error| StoreError::Unavailable(error.to_string()))??)
    }
}

/// What `work` reads in several statements that see one state of the store.
pub(super) fn at_one_moment<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // Dropping the transaction ends it.
    let transaction = connection.unchecked_transaction()?;
    work(&transaction)
}

/// Connections that are open and not in use. There are never more than threads that read at the same time: whoever
/// finds none opens one, because to wait for one would hold up a thread that serves others too.
struct Pool {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Pool {
    fn with_connection<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        // The one that was used last has the most in its cache.
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = idle.map_or_else(|| connection::reader(&self.path), Ok)?;
        let outcome = work(&connection);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        outcome
    }
}
