//! The PostgreSQL database of the group `code-search`: the code files on disk, stored.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use interline_items::content_hash;
use interline_storage::PostgresStore;
use tokio_postgres::{Client, Config, NoTls};
use uuid::Uuid;

use super::search::complete_index_of;

/// Has the URL of a server that databases may be made on; `tests/with-postgres` sets it.
pub(super) const SERVER: &str = "INTERLINE_TEST_POSTGRES";

/// The space that is everybody's.
const GLOBAL: Uuid = Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0001);

const INSERT: &str = "
    WITH item AS (
        INSERT INTO items (
            id, kind, space, version, revision, created_at, updated_at, tags, path, path_key,
            content_characters, content_bytes, content_lines, content_preview, content_hash
        ) VALUES ($1, 'module', $2, 1, 0, 1, 1, '[]', $3, $3, $4, $4, 1, '', $5)
    )
    INSERT INTO contents (item, text) VALUES ($1, $6)";

/// A database that is there for one run.
pub(super) struct Database {
    server: String,
    name: String,
}

impl Database {
    /// One without a store.
    pub(super) async fn empty(server: &str) -> Result<Database, Box<dyn Error>> {
        let name = format!("interline_bench_{}", Uuid::now_v7().simple());
        let database = Database { server: server.to_owned(), name };
        connect(&server.parse()?).await?.batch_execute(&format!("CREATE DATABASE {}", database.name)).await?;
        Ok(database)
    }

    /// One with the files of a folder, as modules by their paths, and with its index complete.
    pub(super) async fn filled(server: &str, files: &Path) -> Result<Database, Box<dyn Error>> {
        let database = Database::empty(server).await?;
        let store = database.open().await?;
        let mut client = connect(&database.config()?).await?;
        let transaction = client.transaction().await?;
        let insert = transaction.prepare(INSERT).await?;
        for folder in fs::read_dir(files)? {
            for file in fs::read_dir(folder?.path())? {
                let file = file?.path();
                let text = fs::read_to_string(&file)?;
                let path = file.strip_prefix(files)?.to_string_lossy();
                let (length, hash) = (i64::try_from(text.len())?, content_hash(&text));
                transaction
                    .execute(&insert, &[&Uuid::now_v7(), &GLOBAL, &path, &length, &hash.as_slice(), &text])
                    .await?;
            }
        }
        transaction.execute("INSERT INTO stale_items (item, mark) SELECT id, 1 FROM items", &[]).await?;
        transaction.commit().await?;
        client.batch_execute("VACUUM ANALYZE").await?;
        complete_index_of(store.as_ref()).await?;
        Ok(database)
    }

    pub(super) async fn open(&self) -> Result<Arc<PostgresStore>, Box<dyn Error>> {
        let (address, options) = self.server.split_at(self.server.find('?').unwrap_or(self.server.len()));
        let start = address.find("://").ok_or("INTERLINE_TEST_POSTGRES is no URL")? + 3;
        let end = address[start..].find('/').map_or(address.len(), |slash| start + slash);
        let url = format!("{}/{}{options}", &address[..end], self.name);
        Ok(Arc::new(PostgresStore::connect(&url).await?))
    }

    fn config(&self) -> Result<Config, Box<dyn Error>> {
        let mut config: Config = self.server.parse()?;
        config.dbname(&self.name);
        Ok(config)
    }

    pub(super) async fn remove(self) -> Result<(), Box<dyn Error>> {
        let statement = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        Ok(connect(&self.server.parse()?).await?.batch_execute(&statement).await?)
    }
}

async fn connect(config: &Config) -> Result<Client, Box<dyn Error>> {
    let (client, connection) = config.connect(NoTls).await?;
    // Its end is told by the next statement.
    tokio::spawn(async { drop(connection.await) });
    Ok(client)
}
