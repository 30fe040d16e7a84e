//! What a change leaves to be done.

use deadpool_postgres::Transaction;
use interline_items::Task;
use uuid::Uuid;

use super::super::failure::Failure;

/// For each webhook that is told about it, a copy of the event.
const DELIVER: &str = "
    INSERT INTO deliveries (webhook, space, event_number, event, item, kind, version, changed_fields, source, at)
    SELECT webhooks.id, events.space, events.number, events.event, events.item, events.kind, events.version,
           events.changed_fields, events.source, events.at
    FROM webhooks JOIN events ON events.space = webhooks.space AND events.number = $2
    WHERE webhooks.space = $1 AND webhooks.stopped_at IS NULL
      AND (webhooks.kinds IS NULL OR webhooks.kinds::jsonb ? events.kind)
    ORDER BY webhooks.id
    RETURNING webhook";

// What was given up begins anew; what is under way is done once more; what waits, waits no longer for it.
const WANT: &str = "
    INSERT INTO jobs (task, subject, since, due_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (task, subject) DO UPDATE SET
        wanted = jobs.wanted + 1,
        since = CASE WHEN jobs.failed_at IS NULL THEN jobs.since ELSE excluded.since END,
        due_at = CASE WHEN jobs.failed_at IS NULL THEN jobs.due_at ELSE excluded.due_at END,
        failures = CASE WHEN jobs.failed_at IS NULL THEN jobs.failures ELSE 0 END,
        failed_at = NULL";

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
    if change.is_told {
        let statement = transaction.prepare_cached(DELIVER).await?;
        for told in transaction.query(&statement, &[&change.space, &change.event]).await? {
            want(transaction, Task::Deliver, told.try_get(0)?, change.at).await?;
        }
    }
    match change.enriches {
        Some(item) => want(transaction, Task::Enrich, item, change.at).await,
        None => Ok(()),
    }
}

async fn want(transaction: &Transaction<'_>, task: Task, subject: Uuid, at: i64) -> Result<(), Failure> {
    let due_at = at + i64::try_from(task.delay().as_micros()).unwrap_or(0);
    let statement = transaction.prepare_cached(WANT).await?;
    transaction.execute(&statement, &[&task.name(), &subject, &at, &due_at]).await?;
    Ok(())
}
