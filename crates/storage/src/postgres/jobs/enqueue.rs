//! Enqueueing the jobs that follow from a change, in the transaction of the change.

use deadpool_postgres::Transaction;
use interline_items::JobKind;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::super::failure::Failure;

// A job that was given up begins anew, one that is claimed is done once more, and one that failed keeps its pause. A job
// that only waits for a delivery that was set aside does not make the new one wait.
macro_rules! add_jobs {
    ($rows:literal) => {
        concat!(
            "INSERT INTO jobs (task, subject, \"user\", since, due_at) ",
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

/// For each webhook that wants the event, a copy of it to be delivered, and the job of delivering. One statement, because
/// other commits wait for the space's counter; and a webhook that is being deleted is not waited for.
const DELIVER: &str = concat!(
    "WITH subscribed AS (
         SELECT id, space, \"user\", kinds FROM webhooks WHERE space = $1 AND stopped_at IS NULL
         ORDER BY id FOR KEY SHARE SKIP LOCKED
     ), queued AS (
         INSERT INTO deliveries (
             webhook, space, event_number, event, item, kind, version, changed_fields, source, at, \"user\", token,
             client_name, client_version, reason, change_set
         )
         SELECT subscribed.id, events.space, events.number, events.event, events.item, events.kind, events.version,
                events.changed_fields, events.source, events.at, events.\"user\", events.token, events.client_name,
                events.client_version, events.reason, events.change_set
         FROM subscribed JOIN events ON events.space = subscribed.space AND events.number = $2
         WHERE subscribed.kinds IS NULL OR subscribed.kinds::jsonb ? events.kind
         RETURNING webhook
     ) ",
    add_jobs!(
        "SELECT $3::text, queued.webhook, subscribed.\"user\", $4::bigint, $5::bigint
         FROM queued JOIN subscribed ON subscribed.id = queued.webhook ORDER BY queued.webhook"
    )
);

const ENRICH: &str = add_jobs!("VALUES ($1, $2, $3, $4, $5)");

/// A change, as far as jobs depend on it.
pub(in super::super) struct JobsForChange {
    /// The space of the change, and the number of its event there.
    pub(in super::super) space: Uuid,
    pub(in super::super) event: i64,
    /// Since when there is something to do, in microseconds.
    pub(in super::super) at: i64,
    pub(in super::super) has_webhooks: bool,
    /// The user who made it.
    pub(in super::super) user: Uuid,
    /// The item, if a model should read it.
    pub(in super::super) item_to_enrich: Option<Uuid>,
}

/// Enqueues the jobs that follow from a change.
pub(in super::super) async fn enqueue(transaction: &Transaction<'_>, change: &JobsForChange) -> Result<(), Failure> {
    let due = |task: JobKind| change.at + i64::try_from(task.delay().as_micros()).unwrap_or(0);
    if change.has_webhooks {
        let task = JobKind::Deliver;
        let statement = transaction.prepare_cached(DELIVER).await?;
        let values: [&(dyn ToSql + Sync); 5] = [&change.space, &change.event, &task.name(), &change.at, &due(task)];
        transaction.execute(&statement, &values).await?;
    }
    if let Some(item) = change.item_to_enrich {
        let task = JobKind::Enrich;
        let statement = transaction.prepare_cached(ENRICH).await?;
        transaction.execute(&statement, &[&task.name(), &item, &change.user, &change.at, &due(task)]).await?;
    }
    Ok(())
}
