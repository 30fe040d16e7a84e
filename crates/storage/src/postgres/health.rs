//! Whether reads and writes work: a read and a write in a transaction that waits for no lock longer than a moment.

use std::time::Duration;

use deadpool_postgres::{Client, Transaction};
use interline_items::{Outage, StoreHealth};
use tokio_postgres::error::SqlState;

use crate::postgres::connection::Pools;
use crate::postgres::failure::Failure;

/// How long a connection, a read and a write are waited for, each.
const PROBE_TIME: Duration = Duration::from_secs(2);

/// No lock is waited for longer than any other process holds it for a healthy reason.
const LIMITS: &str = "SET LOCAL lock_timeout = '500ms'; SET LOCAL statement_timeout = '1500ms'";
const READ: &str = "SELECT FROM items, contents, tokens LIMIT 0";
/// The lock is the one that a change of items takes.
const WRITE: &str = "
    LOCK TABLE spaces, items, contents, versions, events IN ROW EXCLUSIVE MODE;
    INSERT INTO meta (key, value) VALUES ('probes', '1')
    ON CONFLICT (key) DO UPDATE SET value = (meta.value::bigint + 1)::text";

/// Probes the database. Writes are not probed where the last ones tell.
pub(super) async fn probe(pools: &Pools) -> StoreHealth {
    let mut client = match in_time(async { Ok(pools.work.get().await?) }).await {
        Ok(client) => client,
        Err(failure) => return StoreHealth::failing(outage_of(&failure)),
    };
    let read = in_time(run(&mut client, READ)).await;
    let recent = pools.write_state.recent();
    let written = match (&recent, &read) {
        (Some(_), _) => Ok(()),
        // The write would wait for the read.
        (None, Err(Failure::NoAnswer)) => Err(Failure::NoAnswer),
        (None, _) => in_time(run(&mut client, WRITE)).await,
    };
    let spoils = |outcome: &Result<(), Failure>| outcome.as_ref().is_err_and(Failure::spoils_the_connection);
    if spoils(&read) || spoils(&written) {
        // In the pool, the next request would wait for what was not answered.
        drop(Client::take(client));
        pools.work.retain(|_, _| false);
    }
    if recent.is_none() && written.is_ok() {
        pools.write_state.committed();
    }
    let outage = |failure: Failure| outage_of(&failure);
    StoreHealth { reads: read.map_err(outage), writes: recent.unwrap_or_else(|| written.map_err(outage)) }
}

async fn in_time<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::time::timeout(PROBE_TIME, work).await.unwrap_or(Err(Failure::NoAnswer))
}

async fn run(client: &mut Client, statements: &str) -> Result<(), Failure> {
    // Dropping the transaction rolls it back.
    let transaction: Transaction<'_> = client.transaction().await?;
    transaction.batch_execute(LIMITS).await?;
    transaction.batch_execute(statements).await?;
    Ok(transaction.commit().await?)
}

/// What a failure of a probe says.
fn outage_of(failure: &Failure) -> Outage {
    match failure {
        Failure::NoConnection(_) | Failure::NoAnswer => Outage::Unreachable,
        Failure::Answer(_) => Outage::Failed,
        Failure::Database(error) => outage_of_writes(error).unwrap_or(match error.code() {
            Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE || *code == SqlState::QUERY_CANCELED => Outage::Locked,
            Some(code) if *code == SqlState::IO_ERROR => Outage::DiskFailed,
            _ if failure.lost_the_connection() => Outage::Unreachable,
            _ => Outage::Failed,
        }),
    }
}

/// What the failure of a write says about all others; `None` if it may be about this one alone.
pub(super) fn outage_of_writes(error: &tokio_postgres::Error) -> Option<Outage> {
    match error.code()? {
        code if *code == SqlState::DISK_FULL => Some(Outage::DiskFull),
        code if *code == SqlState::READ_ONLY_SQL_TRANSACTION => Some(Outage::ReadOnly),
        _ => None,
    }
}
