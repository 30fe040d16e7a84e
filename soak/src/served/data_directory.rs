//! The data directory and database of the servers of a trial.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::ValueEnum;
use interline_items::Store;
use interline_storage::{PostgresStore, SqliteStore};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_postgres::{Config, NoTls};
use uuid::Uuid;

/// How often, and at which interval, PostgreSQL is asked whether other connections are gone.
const MOST_LOOKS: usize = 2_000;
const LOOK: Duration = Duration::from_millis(5);

/// Which storage a server runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Storage {
    /// A file in the data directory.
    Sqlite,
    /// A database of its own on a given server.
    Postgres,
}

/// A data directory that is removed with this value, and the database of servers on PostgreSQL.
pub(crate) struct DataDirectory {
    folder: TempDir,
    data_dir: PathBuf,
    url: Option<String>,
}

impl DataDirectory {
    /// A new one. `server` is the URL of a PostgreSQL on which databases may be made.
    pub(crate) fn new(storage: Storage, server: Option<&str>, runtime: &Runtime) -> anyhow::Result<DataDirectory> {
        let url = match storage {
            Storage::Sqlite => None,
            Storage::Postgres => {
                let server = server.context("no PostgreSQL: run under tests/with-postgres, or give --postgres URL")?;
                Some(runtime.block_on(new_database(server))?)
            }
        };
        let folder = tempfile::tempdir()?;
        Ok(DataDirectory { data_dir: folder.path().join("data"), folder, url })
    }

    /// One whose data directory is somewhere else; its log is not.
    pub(crate) fn at(data_dir: &Path) -> anyhow::Result<DataDirectory> {
        Ok(DataDirectory { folder: tempfile::tempdir()?, data_dir: data_dir.to_owned(), url: None })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The log of the servers that run on it.
    pub(crate) fn log_file(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// The token of the owner, once a server was started.
    pub(crate) fn owner_token(&self) -> anyhow::Result<String> {
        let file = self.data_dir.join("token");
        let token = std::fs::read_to_string(&file).with_context(|| format!("no token in {}", file.display()))?;
        Ok(token.trim().to_owned())
    }

    /// The last lines of the log.
    pub(crate) fn log_tail(&self) -> String {
        let log = std::fs::read_to_string(self.log_file()).unwrap_or_default();
        let lines: Vec<&str> = log.trim_end().rsplit('\n').take(5).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// What a server's environment says about it.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        let data_dir = ("INTERLINE_DATA_DIR", self.data_dir.display().to_string());
        std::iter::once(data_dir).chain(self.url.clone().map(|url| ("INTERLINE_DATABASE", url))).collect()
    }

    /// Opens the store beside the servers that run on it.
    pub(crate) async fn open(&self) -> anyhow::Result<Arc<dyn Store>> {
        Ok(match &self.url {
            Some(url) => Arc::new(PostgresStore::connect(url).await?),
            None => Arc::new(SqliteStore::open(&self.file())?),
        })
    }

    fn file(&self) -> PathBuf {
        self.data_dir.join("interline.db")
    }

    /// Waits until PostgreSQL has finished the last commits of servers that were killed.
    pub(crate) async fn wait_until_idle(&self) -> anyhow::Result<()> {
        let Some(url) = &self.url else { return Ok(()) };
        let client = connect(url).await?;
        for _ in 0..MOST_LOOKS {
            let others = client.query_one(OTHERS, &[]).await?;
            if others.try_get::<_, i64>(0)? == 0 {
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
        anyhow::bail!("PostgreSQL does not let go of a dead server's connections")
    }

    /// Runs the integrity checks of the database itself.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        if self.url.is_some() {
            return Ok(());
        }
        let connection = rusqlite::Connection::open(self.file())?;
        for (pragma, good) in [("integrity_check", &["ok".to_owned()][..]), ("foreign_key_check", &[])] {
            let mut statement = connection.prepare(&format!("PRAGMA {pragma}"))?;
            let told: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            ensure!(told == good, "{pragma}: {}", told.join("; "));
        }
        Ok(())
    }
}

const OTHERS: &str = "
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND backend_type = 'client backend'";

async fn connect(url: &str) -> anyhow::Result<tokio_postgres::Client> {
    let (client, connection) = url.parse::<Config>()?.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Makes a database; its URL. It goes with its server.
async fn new_database(server: &str) -> anyhow::Result<String> {
    let client = connect(server).await?;
    let name = format!("soak_{}", Uuid::now_v7().simple());
    client.batch_execute(&format!("CREATE DATABASE {name}")).await?;
    let (before, path) = server.rsplit_once('/').context("the URL names no database")?;
    let options = path.split_once('?').map(|(_, options)| format!("?{options}")).unwrap_or_default();
    Ok(format!("{before}/{name}{options}"))
}
