//! Where a test takes place: a new, empty store of its own.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use interline_items::Store;
use interline_storage::{OpenError, PostgresStore, SqliteStore};
use tokio::runtime::Runtime;

use crate::sql;

/// A store, and the database under it.
pub(crate) struct Place {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) database: Database,
}

/// A database that is gone after its test.
#[derive(Clone)]
pub(crate) enum Database {
    Sqlite { file: PathBuf },
    Postgres { url: String },
}

impl Database {
    /// The store in it, opened as another process would open it.
    pub(crate) async fn open(&self) -> Arc<dyn Store> {
        self.try_open().await.expect("the database opens")
    }

    /// A database in which no store was opened yet; this one is no more.
    pub(crate) async fn emptied(self) -> Database {
        match self {
            Database::Sqlite { file } => Database::Sqlite { file: file.with_file_name("new.db") },
            Database::Postgres { url } => {
                sql::on_server(&url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public").await;
                Database::Postgres { url }
            }
        }
    }

    pub(crate) async fn try_open(&self) -> Result<Arc<dyn Store>, OpenError> {
        match self {
            Database::Sqlite { file } => Ok(Arc::new(SqliteStore::open(file)?)),
            Database::Postgres { url } => Ok(Arc::new(PostgresStore::connect(url).await?)),
        }
    }
}

/// Runs a test on a file of its own.
pub(crate) fn on_sqlite<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(Place) -> F) {
    let directory = tempfile::tempdir().unwrap();
    let database = Database::Sqlite { file: directory.path().join("interline.db") };
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let store = database.open().await;
        test(Place { store, database }).await;
    });
}

/// Runs a test in a database of its own, which is dropped even when the test fails.
pub(crate) fn on_postgres<F: Future<Output = ()> + Send + 'static>(test: impl FnOnce(Place) -> F) {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let server = sql::test_server();
        let name = format!("interline_test_{}", uuid::Uuid::now_v7().simple());
        sql::on_server(&server, &format!("CREATE DATABASE {name}")).await;

        let database = Database::Postgres { url: sql::url_of_database(&server, &name) };
        let store = database.open().await;
        let outcome = tokio::spawn(test(Place { store, database })).await;

        sql::on_server(&server, &format!("DROP DATABASE {name} WITH (FORCE)")).await;
        if let Err(failure) = outcome {
            std::panic::resume_unwind(failure.into_panic());
        }
    });
}
