//! Connection pools of PostgreSQL: their configuration, TLS, timeouts, and the session settings of every connection.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use interline_items::fair::{FairPermit, FairSemaphore, QueueFull, pool_places};
use interline_items::{MemoryHolder, OverloadCause, Overloaded, RequestMemory, StoreError};
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::NoTls;
use tokio_postgres::config::{Config, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::OpenError;
use crate::integrity::Integrity;
use crate::postgres::database_place;
use crate::postgres::failure::Failure;
use crate::postgres::long_read::Backends;
use crate::write_state::WriteState;

/// Connections that the writes of one user may hold at a time. Most wait for each other, at the row that numbers the events of
/// a space: one commits while the others get ready, and more would only keep connections from the rest.
const WRITES_PER_USER: usize = 4;
/// How long a write waits for its turn.
const WRITE_WAIT: Duration = Duration::from_secs(30);
/// Connections of one process that are left for short operations. A write holds one for a few round trips, so that some
/// connections serve many clients.
const SHORT_OPERATIONS: usize = 6;
/// Connections that only look up whether a commit succeeded: those of the other pool may all be lost.
const COMMIT_STATUS_SIZE: usize = 2;
/// Connections beside those for reads and writes: for the status of commits, and one each for sending notifications, for
/// receiving them, and for cancelling statements.
const BESIDE_WORK: usize = COMMIT_STATUS_SIZE + 3;
/// The places for long reads that a store has at the least, so that one user never has all of them.
const LEAST_PLACES: usize = 2;
/// How long a request waits for a connection, and a connection for the server, before the storage is unavailable.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an operation may take: more than the server allows a statement, so that a server that works answers before.
const OPERATION_TIMEOUT: Duration = Duration::from_secs(40);
/// After how much silence the connection is checked by a TCP keepalive.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(30);
/// How long sent bytes may stay unacknowledged by the server's machine.
const TCP_TIMEOUT: Duration = Duration::from_secs(10);

/// What the settings of every connection guarantee:
///
/// * A commit that is acknowledged is on disk, whatever the server's default is. Stronger settings stay.
/// * A statement sees what was committed before it began, so also a commit that it waited for a lock of.
/// * A lock is waited for ten seconds, no statement takes more than thirty, and a transaction whose process hangs does
///   not keep its locks for ever.
const SESSION_SETTINGS: &str = "
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') IN ('off', 'local');
    SET default_transaction_isolation = 'read committed';
    SET lock_timeout = '10s';
    SET statement_timeout = '30s';
    SET idle_in_transaction_session_timeout = '60s';
";

/// How many connections to the server one process has at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostgresConnections(usize);

impl PostgresConnections {
    /// The least with which no user can keep the others waiting.
    pub const LEAST: usize = BESIDE_WORK + work_connections(LEAST_PLACES);
    /// More than any server has.
    pub const MOST: usize = 10_000;
    /// The most that a process takes of its own accord, however many cores it has: half of what a PostgreSQL allows to all
    /// unless it is configured.
    pub const DEFAULT_MOST: usize = 48;

    /// So many; `None` unless they are from [`LEAST`](Self::LEAST) to [`MOST`](Self::MOST).
    pub fn new(connections: usize) -> Option<PostgresConnections> {
        (PostgresConnections::LEAST..=PostgresConnections::MOST)
            .contains(&connections)
            .then_some(PostgresConnections(connections))
    }

    /// Enough for the pools of a machine with so many places in each.
    fn for_places(places: usize) -> PostgresConnections {
        PostgresConnections((BESIDE_WORK + work_connections(places)).min(PostgresConnections::DEFAULT_MOST))
    }

    fn work(self) -> usize {
        self.0 - BESIDE_WORK
    }

    /// How many long reads, and beside them as many searches, leave the connections for short operations free.
    pub(super) fn long_read_places(self) -> usize {
        // The inverse of `work_connections`.
        (self.work() - SHORT_OPERATIONS) * 2 / 5
    }
}

impl fmt::Display for PostgresConnections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Default for PostgresConnections {
    /// As many as the cores of the machine keep busy, and 48 at the most.
    fn default() -> PostgresConnections {
        PostgresConnections::for_places(pool_places())
    }
}

/// One for each long read and each search that the use cases begin at a time, paused searches included, and some for short
/// operations.
const fn work_connections(places: usize) -> usize {
    SHORT_OPERATIONS + places + (places + places.div_ceil(2))
}

/// The connection pools of a database.
#[derive(Clone)]
pub(super) struct Pools {
    /// For reads and writes.
    pub(super) work: Pool,
    /// For looking up whether a commit succeeded whose connection was lost.
    pub(super) commit_status: Pool,
    /// For notifying other processes of commits, so that no write waits for a connection because of it.
    pub(super) notify: Pool,
    /// Those of `work` that writes may hold: the rest is left to reads.
    writes: FairSemaphore<MemoryHolder>,
    /// For cancelling the statements of other connections.
    pub(super) cancel: Pool,
    /// Which processes of the server the connections of `work` lead to.
    pub(super) backends: Arc<Backends>,
    /// What is known of the integrity of contents; counts the damage that operations meet.
    pub(super) integrity: Arc<Integrity>,
    /// What the last transactions show of whether writes work.
    pub(super) write_state: Arc<WriteState>,
}

impl Pools {
    /// Runs an operation on a connection, and closes the idle connections if its failure shows that they are unusable.
    pub(super) async fn use_one<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, StoreError> {
        let result = with_timeout(work).await;
        if result.as_ref().is_err_and(Failure::spoils_the_connection) {
            self.work.retain(|_, _| false);
        }
        self.integrity.count_damage(result.map_err(StoreError::from))
    }

    /// A permit to hold a connection for a write, when it is the turn of the user whose request this task is about; the server's
    /// own work needs none.
    pub(super) async fn write_permit(&self) -> Result<Option<FairPermit<MemoryHolder>>, StoreError> {
        let Some(holder) = RequestMemory::current().map(|memory| memory.holder()) else { return Ok(None) };
        let acquired = tokio::time::timeout(WRITE_WAIT, self.writes.acquire(holder)).await;
        let overloaded = |cause| StoreError::Overloaded(Overloaded { resource: "queue of writes", cause });
        // Who waits that long waits for its own writes: others are served in turn.
        let acquired = acquired.map_err(|_| overloaded(OverloadCause::Caller))?;
        acquired.map(Some).map_err(|QueueFull(cause)| overloaded(cause))
    }
}

/// Runs an operation, unless the server is silent for too long: a server that hangs keeps its connections open.
pub(super) async fn with_timeout<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::time::timeout(OPERATION_TIMEOUT, work).await.unwrap_or(Err(Failure::NoAnswer))
}

/// Pools of connections to the database at `url`. None is open yet.
///
/// `sslmode=require` and `sslmode=verify-full` are the same: TLS, with the server's certificate checked against the
/// system's authorities (or those of the file that `SSL_CERT_FILE` names). Without them there is no TLS.
pub(super) fn pools(url: &str, connections: PostgresConnections) -> Result<Pools, OpenError> {
    let config = configuration(url)?;
    let tls = match config.get_ssl_mode() {
        SslMode::Require => Some(tls()?),
        _ => None,
    };
    let pool = |size| pool(config.clone(), tls.clone(), size);
    Ok(Pools {
        work: pool(connections.work())?,
        commit_status: pool(COMMIT_STATUS_SIZE)?,
        notify: pool(1)?,
        writes: FairSemaphore::new(connections.work() * 3 / 4, WRITES_PER_USER),
        cancel: pool(1)?,
        backends: Arc::default(),
        integrity: Arc::new(Integrity::new()),
        write_state: Arc::default(),
    })
}

fn pool(config: Config, tls: Option<MakeRustlsConnect>, size: usize) -> Result<Pool, OpenError> {
    let manager_config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match tls {
        Some(tls) => Manager::from_config(config, tls, manager_config),
        None => Manager::from_config(config, NoTls, manager_config),
    };
    Pool::builder(manager)
        .max_size(size)
        .timeouts(Timeouts {
            wait: Some(CONNECT_TIMEOUT),
            create: Some(CONNECT_TIMEOUT),
            recycle: Some(CONNECT_TIMEOUT),
        })
        .runtime(Runtime::Tokio1)
        .post_create(Hook::async_fn(|client, _| {
            Box::pin(async move { client.batch_execute(SESSION_SETTINGS).await.map_err(HookError::Backend) })
        }))
        .build()
        .map_err(|error| OpenError::Failed(error.to_string()))
}

/// The configuration of a URL, with the timeouts of this program where the URL sets none.
pub(super) fn configuration(url: &str) -> Result<Config, OpenError> {
    database_place::check_credentials(url)?;
    let parsed = url.replace("sslmode=verify-full", "sslmode=require").parse();
    let mut config: Config = parsed.map_err(|error| database_place::unreadable_url(url, &error))?;
    if config.get_application_name().is_none() {
        config.application_name("interline");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(TCP_TIMEOUT);
    }
    config.keepalives_idle(KEEPALIVE_IDLE);
    Ok(config)
}

/// TLS with the certificate authorities of the system.
pub(super) fn tls() -> Result<MakeRustlsConnect, OpenError> {
    let found = rustls_native_certs::load_native_certs();
    let mut authorities = RootCertStore::empty();
    authorities.add_parsable_certificates(found.certs);
    if authorities.is_empty() {
        let reasons: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
        let reasons = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
        return Err(OpenError::Postgres {
            message: format!("there are no certificate authorities for TLS on this system{reasons}"),
            suggestion: "install the system's (Debian: ca-certificates), or name a file of them in SSL_CERT_FILE"
                .to_owned(),
        });
    }
    // The process may have several providers of cryptography through other crates: the choice is made here.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| OpenError::Failed(error.to_string()))?
        .with_root_certificates(authorities)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_machine_takes_more_connections_than_a_server_has_for_two() {
        for (places, connections) in [(4, 21), (8, 31), (128, 48), (1_024, 48)] {
            let default = PostgresConnections::for_places(places);
            assert_eq!(default, PostgresConnections(connections));
            assert!(default.long_read_places() <= places);
        }
    }

    #[test]
    fn long_reads_and_searches_leave_connections_to_short_operations() {
        for wrong in [0, PostgresConnections::LEAST - 1, PostgresConnections::MOST + 1, usize::MAX] {
            assert_eq!(PostgresConnections::new(wrong), None);
        }
        for number in PostgresConnections::LEAST..1_000 {
            let connections = PostgresConnections::new(number).expect("they are enough");
            let places = connections.long_read_places();
            assert!(places >= LEAST_PLACES);
            assert!(work_connections(places) + BESIDE_WORK <= number);
            assert!(work_connections(places + 1) + BESIDE_WORK > number);
        }
    }
}
