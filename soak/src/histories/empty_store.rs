//! A new, empty store that is removed after its sequence.

use std::sync::Arc;

use anyhow::Context as _;
use interline_items::Store;
use interline_storage::{PostgresStore, SqliteStore};
use tempfile::TempDir;
use tokio_postgres::{Config, NoTls};

pub(super) enum EmptyStore {
    Sqlite(TempDir),
    Postgres { server: String, name: String },
}

impl EmptyStore {
    pub(super) fn sqlite() -> anyhow::Result<EmptyStore> {
        Ok(EmptyStore::Sqlite(tempfile::tempdir()?))
    }

    /// A database beside the one that `server` names.
    pub(super) async fn postgres(server: &str, seed: u64) -> anyhow::Result<EmptyStore> {
        let name = format!("interline_soak_{seed}_{}", uuid::Uuid::now_v7().simple());
        on_server(server, &format!("CREATE DATABASE {name}")).await?;
        Ok(EmptyStore::Postgres { server: server.to_owned(), name })
    }

    /// The store in it, as another process would open it.
    pub(super) async fn open(&self) -> anyhow::Result<Arc<dyn Store>> {
        match self {
            EmptyStore::Sqlite(directory) => Ok(Arc::new(SqliteStore::open(&directory.path().join("interline.db"))?)),
            EmptyStore::Postgres { server, name } => Ok(Arc::new(PostgresStore::connect(&url(server, name)?).await?)),
        }
    }

    pub(super) async fn clear(self) -> anyhow::Result<()> {
        match self {
            EmptyStore::Sqlite(directory) => Ok(directory.close()?),
            EmptyStore::Postgres { server, name } => {
                on_server(&server, &format!("DROP DATABASE {name} WITH (FORCE)")).await
            }
        }
    }
}

fn url(server: &str, name: &str) -> anyhow::Result<String> {
    let (address, options) = server.split_at(server.find('?').unwrap_or(server.len()));
    let authority_start = address.find("://").context("not a URL")? + 3;
    let authority_end = address[authority_start..].find('/').map_or(address.len(), |slash| authority_start + slash);
    Ok(format!("{}/{name}{options}", &address[..authority_end]))
}

async fn on_server(server: &str, statement: &str) -> anyhow::Result<()> {
    let config: Config = server.parse()?;
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client.batch_execute(statement).await?)
}
