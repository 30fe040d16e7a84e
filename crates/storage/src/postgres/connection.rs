//! Connections: where they lead, how they are secured, and what every one of them promises.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use interline_items::StoreError;
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::Semaphore;
use tokio_postgres::NoTls;
use tokio_postgres::config::{Config, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::OpenError;
use crate::postgres::failure::{Failure, error_chain};

/// Connections of one process. A write holds one for some round trips, so that a few serve many clients.
const POOL_SIZE: usize = 16;
/// Connections on which nothing is done but asking what became of a commit: those of the pool may all be lost.
const COMMIT_STATUS_SIZE: usize = 2;
/// How many searches go on at a time, so that they leave connections to the rest; the others wait for their turn.
const SEARCHES: usize = 6;
/// How long a request waits for a connection, and a connection for the server, before the storage is unavailable.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long something may take: more than the server allows a statement, so that one that works answers before.
const OPERATION_TIMEOUT: Duration = Duration::from_secs(40);
/// How soon a silent server is asked whether it is still there.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(30);
/// How long sent bytes may stay unanswered by the server's machine.
const TCP_TIMEOUT: Duration = Duration::from_secs(10);

/// What every connection promises:
///
/// * A commit that is acknowledged is on disk, whatever the server's default is. Stronger settings stay.
/// * A statement sees what was committed before it began: what was waited for is seen.
/// * A lock that is not had in ten seconds is not waited for, no statement takes more than thirty, and a transaction
///   whose process hangs does not keep its locks for ever.
const SESSION_SETTINGS: &str = "
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') IN ('off', 'local');
    SET default_transaction_isolation = 'read committed';
    SET lock_timeout = '10s';
    SET statement_timeout = '30s';
    SET idle_in_transaction_session_timeout = '60s';
";

/// Connections to a database.
#[derive(Clone)]
pub(super) struct Pools {
    /// For everything else.
    pub(super) work: Pool,
    /// For asking what became of a commit whose connection was lost.
    pub(super) commit_status: Pool,
    /// For telling other processes of commits, so that no write waits for a connection because of it.
    pub(super) notify: Pool,
    /// The turns of searches.
    pub(super) searches: Arc<Semaphore>,
}

impl Pools {
    /// Does something on a connection for work, and closes those that wait for work if it shows that they are no good.
    pub(super) async fn use_one<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, StoreError> {
        let outcome = with_timeout(work).await;
        if outcome.as_ref().is_err_and(Failure::spoils_the_connection) {
            self.work.retain(|_, _| false);
        }
        Ok(outcome?)
    }
}

/// Does something on a connection, unless the server is silent for too long: one that hangs keeps its connections open.
pub(super) async fn with_timeout<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::time::timeout(OPERATION_TIMEOUT, work).await.unwrap_or(Err(Failure::NoAnswer))
}

/// Pools of connections to the database at `url`. None is open yet.
///
/// `sslmode=require` and `sslmode=verify-full` are the same: TLS, with the server's certificate checked against the
/// system's authorities (or those of the file that `SSL_CERT_FILE` names). Without them there is no TLS.
pub(super) fn pools(url: &str) -> Result<Pools, OpenError> {
    let searches = Arc::new(Semaphore::new(SEARCHES));
    let [work, commit_status, notify] = [POOL_SIZE, COMMIT_STATUS_SIZE, 1].map(|size| pool(url, size));
    Ok(Pools { work: work?, commit_status: commit_status?, notify: notify?, searches })
}

fn pool(url: &str, size: usize) -> Result<Pool, OpenError> {
    let config = configuration(url)?;
    let reused = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = match config.get_ssl_mode() {
        SslMode::Require => Manager::from_config(config, tls()?, reused),
        _ => Manager::from_config(config, NoTls, reused),
    };
    Pool::builder(manager)
        .max_size(size)
        .timeouts(Timeouts { wait: Some(PATIENCE), create: Some(PATIENCE), recycle: Some(PATIENCE) })
        .runtime(Runtime::Tokio1)
        .post_create(Hook::async_fn(|client, _| {
            Box::pin(async move { client.batch_execute(SESSION_SETTINGS).await.map_err(HookError::Backend) })
        }))
        .build()
        .map_err(|error| OpenError::Failed(error.to_string()))
}

pub(super) fn configuration(url: &str) -> Result<Config, OpenError> {
    let mut config: Config = url
        .replace("sslmode=verify-full", "sslmode=require")
        .parse()
        .map_err(|error| OpenError::Failed(format!("the database's URL: {}", error_chain(&error))))?;
    if config.get_application_name().is_none() {
        config.application_name("interline");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(TCP_TIMEOUT);
    }
    config.keepalives_idle(KEEPALIVE_IDLE);
    Ok(config)
}

pub(super) fn tls() -> Result<MakeRustlsConnect, OpenError> {
    let found = rustls_native_certs::load_native_certs();
    let mut authorities = RootCertStore::empty();
    authorities.add_parsable_certificates(found.certs);
    if authorities.is_empty() {
        return Err(OpenError::Failed(format!(
            "no certificate authorities for TLS on this system: {:?}",
            found.errors
        )));
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
