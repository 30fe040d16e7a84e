//! A load generator: kept-alive connections, one request at a time on each, all on the calling thread.

mod client;

use std::error::Error;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinSet, LocalSet};

pub(crate) use client::send_request;
use client::{Client, LoadError};

/// Writes the next request of a connection into an empty buffer.
pub(crate) type Requests = Box<dyn FnMut(&mut Vec<u8>)>;

/// Connections to one server.
pub(crate) struct Load {
    runtime: Runtime,
    clients: Vec<Client>,
}

/// The times of the requests of a run.
#[derive(Debug)]
pub(crate) struct LoadResult {
    /// How long each request took, shortest first.
    times: Vec<Duration>,
    elapsed: Duration,
}

impl Load {
    /// One connection for each source of requests.
    pub(crate) fn connect(address: SocketAddr, sources: Vec<Requests>) -> Result<Load, Box<dyn Error>> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let mut clients = Vec::with_capacity(sources.len());
        for source in sources {
            clients.push(runtime.block_on(Client::connect(address, source))?);
        }
        Ok(Load { runtime, clients })
    }

    /// Sends requests on all connections, each when the one before is answered, for so long. An answer that is not a
    /// success ends it with an error.
    pub(crate) fn run(&mut self, time: Duration) -> Result<LoadResult, Box<dyn Error>> {
        let clients = std::mem::take(&mut self.clients);
        let begin = Instant::now();
        let finished: Result<Vec<_>, LoadError> = LocalSet::new().block_on(&self.runtime, async {
            let mut running: JoinSet<_> = JoinSet::new();
            for client in clients {
                running.spawn_local(client.run_until(begin + time));
            }
            running.join_all().await.into_iter().collect()
        });
        let elapsed = begin.elapsed();
        let mut times = Vec::new();
        for (client, its_times) in finished? {
            self.clients.push(client);
            times.extend(its_times);
        }
        times.sort_unstable();
        Ok(LoadResult { times, elapsed })
    }
}

impl LoadResult {
    /// Measures an operation that is repeated on this thread, for so long.
    pub(crate) fn measure<E: Error + 'static>(
        time: Duration,
        mut operation: impl FnMut() -> Result<(), E>,
    ) -> Result<LoadResult, Box<dyn Error>> {
        let (begin, mut times) = (Instant::now(), Vec::new());
        while begin.elapsed() < time {
            let one = Instant::now();
            operation()?;
            times.push(one.elapsed());
        }
        let elapsed = begin.elapsed();
        times.sort_unstable();
        Ok(LoadResult { times, elapsed })
    }

    /// Requests in a second.
    pub(crate) fn rate(&self) -> f64 {
        self.times.len() as f64 / self.elapsed.as_secs_f64()
    }

    /// The duration that so many of a thousand requests stay under.
    pub(crate) fn per_mille(&self, rank: usize) -> Duration {
        let index = self.times.len() * rank / 1000;
        self.times.get(index).or(self.times.last()).copied().unwrap_or_default()
    }

    /// The median duration of a request.
    pub(crate) fn median(&self) -> Duration {
        self.per_mille(500)
    }
}
