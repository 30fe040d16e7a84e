//! Migrations of the PostgreSQL database to the newest schema.

use deadpool_postgres::{Client, Transaction};

use crate::OpenError;

/// The migrations, oldest first. A released migration never changes.
const MIGRATIONS: [(&str, &str); 8] = [
    ("0001_items", include_str!("../../migrations/postgres/0001_items.sql")),
    ("0002_search", include_str!("../../migrations/postgres/0002_search.sql")),
    ("0003_code", include_str!("../../migrations/postgres/0003_code.sql")),
    ("0004_work", include_str!("../../migrations/postgres/0004_work.sql")),
    ("0005_hashes", include_str!("../../migrations/postgres/0005_hashes.sql")),
    ("0006_job_users", include_str!("../../migrations/postgres/0006_job_users.sql")),
    ("0007_sort_keys", include_str!("../../migrations/postgres/0007_sort_keys.sql")),
    ("0008_app_trash", include_str!("../../migrations/postgres/0008_app_trash.sql")),
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

const APPLIED: &str = "SELECT name FROM migrations ORDER BY name COLLATE \"C\"";

const MARK_APPLIED: &str = "INSERT INTO migrations (name) VALUES ($1)";

/// Applies the migrations that the database does not have, all or none.
///
/// [`OpenError::Newer`] if it has one that this program does not know.
pub(super) async fn migrate(client: &mut Client) -> Result<(), OpenError> {
    let transaction = client.transaction().await?;
    let applied = applied(&transaction).await?;
    if let Some(unknown) = applied.iter().find(|name| MIGRATIONS.iter().all(|(known, _)| known != name)) {
        return Err(OpenError::Newer(unknown.clone()));
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
