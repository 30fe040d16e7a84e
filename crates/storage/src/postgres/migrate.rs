//! Migrations of the PostgreSQL database to the newest schema.

use deadpool_postgres::{Client, Transaction};

/// Why a database cannot be migrated.
pub(super) enum MigrationFailure {
    /// It has a migration of this name, which this program does not know.
    Newer(String),
    Database(tokio_postgres::Error),
}

impl From<tokio_postgres::Error> for MigrationFailure {
    fn from(error: tokio_postgres::Error) -> MigrationFailure {
        MigrationFailure::Database(error)
    }
}

/// The migrations, oldest first. A released migration never changes.
const MIGRATIONS: [(&str, &str); 13] = [
    ("0001_items", include_str!("../../migrations/postgres/0001_items.sql")),
    ("0002_search", include_str!("../../migrations/postgres/0002_search.sql")),
    ("0003_code", include_str!("../../migrations/postgres/0003_code.sql")),
    ("0004_work", include_str!("../../migrations/postgres/0004_work.sql")),
    ("0005_hashes", include_str!("../../migrations/postgres/0005_hashes.sql")),
    ("0006_job_users", include_str!("../../migrations/postgres/0006_job_users.sql")),
    ("0007_sort_keys", include_str!("../../migrations/postgres/0007_sort_keys.sql")),
    ("0008_app_trash", include_str!("../../migrations/postgres/0008_app_trash.sql")),
    ("0009_app_purge", include_str!("../../migrations/postgres/0009_app_purge.sql")),
    ("0010_imports", include_str!("../../migrations/postgres/0010_imports.sql")),
    ("0011_merged_from", include_str!("../../migrations/postgres/0011_merged_from.sql")),
    ("0012_change_sets", include_str!("../../migrations/postgres/0012_change_sets.sql")),
    ("0013_proposals", include_str!("../../migrations/postgres/0013_proposals.sql")),
];

/// Processes that start together wait for this lock: the first one migrates, however long, and the others find it done.
const LOCK_MIGRATIONS: &str = "
    SET LOCAL lock_timeout = 0;
    SET LOCAL statement_timeout = 0;
    SELECT pg_advisory_xact_lock(7449362051)";

const CREATE_TABLE: &str = "
    CREATE TABLE IF NOT EXISTS migrations (
        name       text PRIMARY KEY,
        applied_at timestamptz NOT NULL DEFAULT now()
    )";

/// Whether there is a store: our tables, and not only one that another program might have, too.
const HAS_STORE: &str = "SELECT to_regclass('migrations') IS NOT NULL AND to_regclass('items') IS NOT NULL";

const APPLIED: &str = "SELECT name FROM migrations ORDER BY name COLLATE \"C\"";

const MARK_APPLIED: &str = "INSERT INTO migrations (name) VALUES ($1)";

/// Whether the database has a store, of whatever version.
pub(super) async fn has_store(client: &Client) -> Result<bool, tokio_postgres::Error> {
    client.query_one(HAS_STORE, &[]).await?.try_get(0)
}

/// Applies the migrations that the database does not have, all or none.
pub(super) async fn migrate(client: &mut Client) -> Result<(), MigrationFailure> {
    let transaction = client.transaction().await?;
    let applied = applied(&transaction).await?;
    if let Some(unknown) = applied.iter().find(|name| MIGRATIONS.iter().all(|(known, _)| known != name)) {
        return Err(MigrationFailure::Newer(unknown.clone()));
    }
    for (name, sql) in MIGRATIONS.iter().filter(|(name, _)| !applied.iter().any(|seen| seen == name)) {
        transaction.batch_execute(sql).await?;
        transaction.execute(MARK_APPLIED, &[name]).await?;
    }
    Ok(transaction.commit().await?)
}

async fn applied(transaction: &Transaction<'_>) -> Result<Vec<String>, tokio_postgres::Error> {
    transaction.batch_execute(LOCK_MIGRATIONS).await?;
    transaction.batch_execute(CREATE_TABLE).await?;
    let rows = transaction.query(APPLIED, &[]).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}
