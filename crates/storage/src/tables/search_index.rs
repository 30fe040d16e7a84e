//! The tables `stale_items` and `meta`, as far as they tell who works on the search index, and how much work is left.

use uuid::Uuid;

use crate::sql::{Sql, Statement, column, query_only, statement, values};

const COUNT_STALE: Statement = statement!("SELECT count(*) FROM stale_items");

const RELEASE: Statement = statement!("DELETE FROM meta WHERE key = 'indexer' AND value LIKE ?1");

/// How many items the index does not know as they are.
pub(crate) async fn count_stale<S: Sql>(sql: &S) -> Result<u64, S::Failure> {
    query_only(sql, COUNT_STALE, values![], column).await
}

/// Gives up the lease of the index, unless another process has it.
pub(crate) async fn release_lease<S: Sql>(sql: &S, holder: Uuid) -> Result<(), S::Failure> {
    // As `Lease::to_text` writes it.
    sql.execute(RELEASE, values![format!("{holder} %")]).await?;
    Ok(())
}
