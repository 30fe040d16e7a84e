//! Long reads: their statements are cancelled when nobody waits for them any more, and their connections are used again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool_postgres::{Client, ObjectId};
use interline_items::StoreError;
use interline_items::fair::Checkpoint;
use tokio::runtime::Handle;

use crate::postgres::connection::Pools;
use crate::postgres::failure::Failure;

/// How long a statement that was cancelled may take to end.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// For how many connections it is remembered which process of the server they lead to: more than a pool has.
const MAX_REMEMBERED: usize = 1_024;

const BACKEND: &str = "SELECT pg_backend_pid()";
const CANCEL: &str = "SELECT pg_cancel_backend($1)";

impl Pools {
    /// Runs a read that can take long. Its statement is cancelled when the caller no longer waits for it. Until the statement
    /// has ended the connection stays taken, and so does the place of the checkpoint.
    pub(super) async fn read_long<T>(
        &self,
        checkpoint: Option<&Checkpoint>,
        work: impl AsyncFnOnce(&mut Client) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        let reading = async {
            let client = self.work.get().await?;
            let backend = self.backends.find(&client).await?;
            let abandoned = Abandoned { client, backend, pools: self.clone(), _checkpoint: checkpoint.cloned() };
            let mut reading = CancelledOnDrop(Some(abandoned));
            let result = match &mut reading.0 {
                Some(Abandoned { client, .. }) => work(client).await,
                None => Err(Failure::NoAnswer),
            };
            // Back to the pool.
            reading.0 = None;
            result
        };
        self.use_one(reading).await
    }
}

/// Which process of the server each connection leads to, as far as it was asked.
#[derive(Debug, Default)]
pub(super) struct Backends(Mutex<BTreeMap<ObjectId, i32>>);

impl Backends {
    async fn find(&self, client: &Client) -> Result<i32, Failure> {
        let connection = Client::id(client);
        if let Some(&known) = self.lock().get(&connection) {
            return Ok(known);
        }
        let backend = client.query_one(BACKEND, &[]).await?.try_get(0)?;
        let mut known = self.lock();
        known.insert(connection, backend);
        if known.len() > MAX_REMEMBERED {
            // The oldest connection, which was closed long ago.
            known.pop_first();
        }
        Ok(backend)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ObjectId, i32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection at work. Dropped with it, the statement is cancelled: in the pool, the next request would wait for a statement
/// whose result nobody reads.
struct CancelledOnDrop(Option<Abandoned>);

/// A connection whose statement nobody waits for any more.
struct Abandoned {
    client: Client,
    /// The process of the server that carries the statement out.
    backend: i32,
    pools: Pools,
    /// Keeps the place of the work.
    _checkpoint: Option<Checkpoint>,
}

impl Drop for CancelledOnDrop {
    fn drop(&mut self) {
        let Some(abandoned) = self.0.take() else { return };
        match Handle::try_current() {
            // At most as many at a time as the pool has connections.
            Ok(runtime) => drop(runtime.spawn(abandoned.end())),
            Err(_) => drop(Client::take(abandoned.client)),
        }
    }
}

/// The connection that cancels. It is closed unless it was answered: the next one would wait for that answer.
struct ClosedOnDrop(Option<Client>);

impl ClosedOnDrop {
    async fn cancel(mut self, backend: i32) -> Result<(), Failure> {
        if let Some(client) = &self.0 {
            let statement = client.prepare_cached(CANCEL).await?;
            client.query_one(&statement, &[&backend]).await?;
        }
        // Back to the pool.
        self.0 = None;
        Ok(())
    }
}

impl Drop for ClosedOnDrop {
    fn drop(&mut self) {
        self.0.take().map(Client::take);
    }
}

impl Abandoned {
    /// Ends the statement. The connection goes back to the pool when it has ended, and is closed if it does not.
    async fn end(self) {
        match tokio::time::timeout(CANCEL_TIMEOUT, self.cancel()).await {
            Ok(Ok(())) => drop(self.client),
            Ok(Err(_)) | Err(_) => drop(Client::take(self.client)),
        }
    }

    async fn cancel(&self) -> Result<(), Failure> {
        let canceller = ClosedOnDrop(Some(self.pools.cancel.get().await?));
        canceller.cancel(self.backend).await?;
        match self.await_end().await {
            // The statement had ended before, and this one was cancelled.
            Err(failure) if failure.took_too_long() => self.await_end().await,
            ended => ended,
        }
    }

    /// Answers come in the order of their statements. It fails in a transaction that was not rolled back.
    async fn await_end(&self) -> Result<(), Failure> {
        Ok(self.client.batch_execute("SELECT").await?)
    }
}
