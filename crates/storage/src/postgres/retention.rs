//! Forgetting old records of histories, each item's in transactions of its own.

use deadpool_postgres::{Client, Pool};
use interline_items::{ForgottenVersions, ItemId, Retention};

use super::connection::with_timeout;
use super::failure::Failure;
use crate::tables::retention::{self, Candidates};

/// Forgets old records of the next items.
pub(super) async fn forget_versions(
    pool: &Pool,
    retention: Retention,
    after: Option<ItemId>,
) -> Result<ForgottenVersions, Failure> {
    let mut client = pool.get().await?;
    let Candidates { items, last } = with_timeout(retention::candidates(&client, retention, after)).await?;
    let mut forgotten = ForgottenVersions { records: 0, last };
    for item in items {
        loop {
            match with_timeout(forget(&mut client, item, retention)).await? {
                0 => break,
                records => forgotten.records += records,
            }
        }
    }
    Ok(forgotten)
}

/// Forgets as many records of an item's history as one transaction should; how many.
async fn forget(client: &mut Client, item: ItemId, retention: Retention) -> Result<u64, Failure> {
    let transaction = client.transaction().await?;
    let records = retention::forget(&transaction, item, retention).await?;
    transaction.commit().await?;
    Ok(records)
}
