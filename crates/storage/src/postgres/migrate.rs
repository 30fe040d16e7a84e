//! Brings a database to the newest form.

use deadpool_postgres::{Client, Transaction};

use crate::OpenError;

/// The steps, oldest first. A step that was released never changes.
const MIGRATIONS: [(&str, &str); 4] = [
    ("0001_items", include_str!("../../migrations/postgres/0001_items.sql")),
    ("0002_search", include_str!("../../migrations/postgres/0002_search.sql")),
    ("0003_code", include_str!("../../migrations/postgres/0003_code.sql")),
    ("0004_work", include_str!("../../migrations/postgres/0004_work.sql")),
];

/// Several processes that start together take turns: the first one migrates, however long, and the others find it done.
const TAKE_TURNS: &str = "
    SET LOCAL lock_timeout = 0;
    SET LOCAL statement_timeout = 0;
    SELECT pg_advisory_xact_lock(7449362051)";

const CREATE_TABLE: &str = "
    CREATE TABLE IF NOT EXISTS migrations (
        name       text PRIMARY KEY,
        applied_at timestamptz NOT NULL DEFAULT now()
    )";

const APPLIED: &str = "SELECT name FROM migrations ORDER BY name COLLATE \"C\"";

const REMEMBER: &str = "INSERT INTO migrations (name) VALUES ($1)";

/// Takes the steps that the database has not seen, all or none.
///
/// [`OpenError::Newer`] if it has seen one that this program does not know.
pub(super) async fn migrate(client: &mut Client) -> Result<(), OpenError> {
    let transaction = client.transaction().await?;
    let applied = applied(&transaction).await?;
    if let Some(unknown) = applied.iter().find(|name| MIGRATIONS.iter().all(|(known, _)| known != name)) {
        return Err(OpenError::Newer(unknown.clone()));
    }
    for (name, sql) in MIGRATIONS.iter().filter(|(name, _)| !applied.iter().any(|seen| seen == name)) {
        transaction.batch_execute(sql).await?;
        transaction.execute(REMEMBER, &[name]).await?;
    }
    Ok(transaction.commit().await?)
}

async fn applied(transaction: &Transaction<'_>) -> Result<Vec<String>, tokio_postgres::Error> {
    transaction.batch_execute(TAKE_TURNS).await?;
    transaction.batch_execute(CREATE_TABLE).await?;
    let rows = transaction.query(APPLIED, &[]).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}
