//! A new, empty store for each test, and a server in front of it.

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use interline_items::fields::Limits;
use interline_items::{Interline, Store, UserId};
use interline_server::{Settings, serve};
use interline_storage::{PostgresStore, SqliteStore};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_postgres::{Config, NoTls};

use crate::support::client::Client;

/// Makes two tests of each function: one for each storage.
macro_rules! on_both {
    ($($(#[$attribute:meta])* $name:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] $(#[$attribute])* fn $name() { crate::support::test_store::on_sqlite(super::$name); })*
        }
        mod postgres {
            $(#[test] $(#[$attribute])* fn $name() { crate::support::test_store::on_postgres(super::$name); })*
        }
    };
}

/// A database that is gone after its test.
#[derive(Clone)]
pub(crate) enum Database {
    Sqlite { file: PathBuf },
    Postgres { url: String },
}

impl Database {
    async fn open(&self) -> Arc<dyn Store> {
        match self {
            Database::Sqlite { file } => Arc::new(SqliteStore::open(file).unwrap()),
            Database::Postgres { url } => Arc::new(PostgresStore::connect(url).await.unwrap()),
        }
    }
}

/// A store with an owner.
pub(crate) struct TestStore {
    pub(crate) database: Database,
    pub(crate) interline: Interline,
    pub(crate) owner: UserId,
    /// The secret of the owner's first token.
    pub(crate) secret: String,
}

impl TestStore {
    async fn new(database: Database) -> TestStore {
        let interline = Interline::new(database.open().await, Limits::default());
        let (owner, secret) = interline.first_start("owner").await.unwrap().expect("a new store has no user");
        TestStore { database, interline, owner: owner.id, secret: secret.as_str().to_owned() }
    }

    /// Runs a statement that no store would run.
    pub(crate) async fn execute(&self, statement: &str) {
        match &self.database {
            Database::Sqlite { file } => rusqlite::Connection::open(file).unwrap().execute_batch(statement).unwrap(),
            Database::Postgres { url } => on_server(url, statement).await,
        }
    }

    /// The same store, opened once more.
    pub(crate) async fn opened_again(&self) -> TestStore {
        let interline = Interline::new(self.database.open().await, Limits::default());
        TestStore { database: self.database.clone(), interline, owner: self.owner, secret: self.secret.clone() }
    }

    /// A server with the default settings, but as many requests as a test likes.
    pub(crate) async fn serve(self) -> TestServer {
        self.serve_with(unlimited()).await
    }

    /// A server with these settings.
    pub(crate) async fn serve_with(self, settings: Settings) -> TestServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        // A `TestServer` that is dropped leaves the server to its clients; it ends with the test.
        let stopped = async {
            if stopped.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let served = serve(listener, self.interline.clone(), settings, stopped);
        TestServer { store: self, address, stop: Some(stop), served: tokio::spawn(served) }
    }
}

/// The default settings without rate limits.
pub(crate) fn unlimited() -> Settings {
    Settings { rate_limits: None, ..Settings::default() }
}

/// A server that is running.
pub(crate) struct TestServer {
    pub(crate) store: TestStore,
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<std::io::Result<()>>,
}

impl TestServer {
    /// A client with the owner's token.
    pub(crate) fn owner(&self) -> Client {
        Client::new(self.address, Some(&self.store.secret))
    }

    /// A client with this token.
    pub(crate) fn with_token(&self, token: &str) -> Client {
        Client::new(self.address, Some(token))
    }

    /// A client without a token.
    pub(crate) fn without_token(&self) -> Client {
        Client::new(self.address, None)
    }

    /// Tells the server to stop.
    pub(crate) fn stop(&mut self) {
        let _ = self.stop.take().expect("it was not stopped before").send(());
    }

    /// Waits until the server has stopped.
    pub(crate) async fn stopped(self) {
        self.served.await.unwrap().unwrap();
    }
}

/// Runs a test on a file of its own.
pub(crate) fn on_sqlite<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(TestStore) -> F) {
    let directory = tempfile::tempdir().unwrap();
    let database = Database::Sqlite { file: directory.path().join("interline.db") };
    Runtime::new().unwrap().block_on(async { test(TestStore::new(database).await).await });
}

/// Runs a test in a database of its own, which is dropped even when the test fails.
pub(crate) fn on_postgres<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(TestStore) -> F) {
    Runtime::new().unwrap().block_on(async {
        let server = test_server();
        let name = format!("interline_rest_{}", uuid::Uuid::now_v7().simple());
        on_server(&server, &format!("CREATE DATABASE {name}")).await;

        let database = Database::Postgres { url: url_of_database(&server, &name) };
        let outcome = tokio::spawn(test(TestStore::new(database).await)).await;

        on_server(&server, &format!("DROP DATABASE {name} WITH (FORCE)")).await;
        if let Err(failure) = outcome {
            std::panic::resume_unwind(failure.into_panic());
        }
    });
}

/// The server that INTERLINE_TEST_POSTGRES names.
fn test_server() -> String {
    #[expect(clippy::disallowed_methods, reason = "the variable is how a test learns of the server")]
    let server = std::env::var("INTERLINE_TEST_POSTGRES");
    server
        .expect("INTERLINE_TEST_POSTGRES names no server to test on: run ./test, or tests/with-postgres and a command")
}

/// The URL of a database beside the one that `server` names.
fn url_of_database(server: &str, name: &str) -> String {
    let (address, options) = server.split_at(server.find('?').unwrap_or(server.len()));
    let authority_start = address.find("://").expect("a URL") + 3;
    let authority_end = address[authority_start..].find('/').map_or(address.len(), |slash| authority_start + slash);
    format!("{}/{name}{options}", &address[..authority_end])
}

/// Runs a statement outside of every store.
async fn on_server(server: &str, statement: &str) {
    let config: Config = server.parse().expect("a URL of PostgreSQL");
    let (client, connection) = config.connect(NoTls).await.expect("the test's PostgreSQL answers");
    tokio::spawn(connection);
    client.batch_execute(statement).await.unwrap();
}
