//! What a change leaves to be done.

use deadpool_postgres::Transaction;
use interline_items::JobKind;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::super::failure::Failure;

// What was given up begins anew, what is under way is done once more, and what failed keeps its pause. What only waits for
// something that was set aside does not wait with the rest.
macro_rules! want {
    ($rows:literal) => {
        concat!(
            "INSERT INTO jobs (task, subject, since, due_at) ",
            $rows,
            " ON CONFLICT (task, subject) DO UPDATE SET
                 wanted = jobs.wanted + 1,
                 since = CASE WHEN jobs.failed_at IS NULL THEN jobs.since ELSE excluded.since END,
                 due_at = CASE
                     WHEN jobs.failed_at IS NOT NULL THEN excluded.due_at
                     WHEN jobs.claim IS NULL AND jobs.failures = 0 THEN least(jobs.due_at, excluded.due_at)
                     ELSE jobs.due_at
                 END,
                 failures = CASE WHEN jobs.failed_at IS NULL THEN jobs.failures ELSE 0 END,
                 failed_at = NULL"
        )
    };
}

/// For each webhook that is told about it, a copy of the event, and the job of telling it. One statement, because others
/// wait for the space's counter; and a webhook that is being deleted is not waited for.
const DELIVER: &str = concat!(
    "WITH heard AS (
         SELECT id, space, kinds FROM webhooks WHERE space = $1 AND stopped_at IS NULL
         ORDER BY id FOR KEY SHARE SKIP LOCKED
     ), told AS (
         INSERT INTO deliveries (webhook, space, event_number, event, item, kind, version, changed_fields, source, at)
         SELECT heard.id, events.space, events.number, events.event, events.item, events.kind, events.version,
                events.changed_fields, events.source, events.at
         FROM heard JOIN events ON events.space = heard.space AND events.number = $2
         WHERE heard.kinds IS NULL OR heard.kinds::jsonb ? events.kind
         RETURNING webhook
     ) ",
    want!("SELECT $3::text, webhook, $4::bigint, $5::bigint FROM told ORDER BY webhook")
);

const ENRICH: &str = want!("VALUES ($1, $2, $3, $4)");

/// A change, by what may follow from it.
pub(in super::super) struct Follows {
    /// Where it happened, and the number of its event there.
    pub(in super::super) space: Uuid,
    pub(in super::super) event: i64,
    /// When, in microseconds.
    pub(in super::super) at: i64,
    /// Whether the space has webhooks.
    pub(in super::super) is_told: bool,
    /// The item, if a model should read it.
    pub(in super::super) enriches: Option<Uuid>,
}

/// Leaves what follows from a change to be done.
pub(in super::super) async fn follow(transaction: &Transaction<'_>, change: &Follows) -> Result<(), Failure> {
    let due = |task: JobKind| change.at + i64::try_from(task.delay().as_micros()).unwrap_or(0);
    if change.is_told {
        let task = JobKind::Deliver;
        let statement = transaction.prepare_cached(DELIVER).await?;
        let values: [&(dyn ToSql + Sync); 5] = [&change.space, &change.event, &task.name(), &change.at, &due(task)];
        transaction.execute(&statement, &values).await?;
    }
    if let Some(item) = change.enriches {
        let task = JobKind::Enrich;
        let statement = transaction.prepare_cached(ENRICH).await?;
        transaction.execute(&statement, &[&task.name(), &item, &change.at, &due(task)]).await?;
    }
    Ok(())
}
