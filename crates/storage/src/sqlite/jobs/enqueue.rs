//! Enqueueing the jobs that follow from a change, in the transaction of the change.

use interline_items::JobKind;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::super::failure::Failure;

/// For each webhook that wants the event, a copy of it to be delivered.
const DELIVER: &str = "
    INSERT INTO deliveries (
        webhook, space, event_number, event, item, kind, version, changed_fields, source, at, user, token, client_name,
        client_version, reason, change_set
    )
    SELECT webhooks.id, events.space, events.number, events.event, events.item, events.kind, events.version,
           events.changed_fields, events.source, events.at, events.user, events.token, events.client_name,
           events.client_version, events.reason, events.change_set
    FROM webhooks JOIN events ON events.space = webhooks.space AND events.number = ?2
    WHERE webhooks.space = ?1 AND webhooks.stopped_at IS NULL
      AND (webhooks.kinds IS NULL OR EXISTS (SELECT 1 FROM json_each(webhooks.kinds) WHERE value = events.kind))
    RETURNING webhook, (SELECT user FROM webhooks WHERE id = webhook)";

// A job that was given up begins anew, one that is claimed is done once more, and one that failed keeps its pause. A job
// that only waits for a delivery that was set aside does not make the new one wait.
const ADD_JOB: &str = "
    INSERT INTO jobs (task, subject, user, since, due_at) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (task, subject) DO UPDATE SET
        wanted = wanted + 1,
        since = CASE WHEN failed_at IS NULL THEN since ELSE excluded.since END,
        due_at = CASE
            WHEN failed_at IS NOT NULL THEN excluded.due_at
            WHEN claim IS NULL AND failures = 0 THEN min(due_at, excluded.due_at)
            ELSE due_at
        END,
        failures = CASE WHEN failed_at IS NULL THEN failures ELSE 0 END,
        failed_at = NULL";

const IS_ENRICHING: &str = "SELECT 1 FROM tasks_done WHERE task = ?1 AND until > ?2";

/// A change, as far as jobs depend on it.
pub(in super::super) struct JobsForChange {
    /// The space of the change, and the number of its event there.
    pub(in super::super) space: Uuid,
    pub(in super::super) event: i64,
    /// Since when there is something to do, in microseconds.
    pub(in super::super) at: i64,
    /// The user who made it.
    pub(in super::super) user: Uuid,
    /// The item, if a model should read it.
    pub(in super::super) item_to_enrich: Option<Uuid>,
}

/// Enqueues the jobs that follow from a change.
pub(in super::super) fn enqueue(connection: &Connection, change: &JobsForChange) -> Result<(), Failure> {
    let mut deliver = connection.prepare_cached(DELIVER)?;
    let webhooks =
        deliver.query_map(params![change.space.into_bytes(), change.event], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let webhooks = webhooks.collect::<Result<Vec<([u8; 16], [u8; 16])>, _>>()?;
    for (webhook, user) in webhooks {
        add_job(connection, JobKind::Deliver, webhook, user, change.at)?;
    }
    if let Some(item) = change.item_to_enrich
        && connection.prepare_cached(IS_ENRICHING)?.exists(params![JobKind::Enrich.name(), change.at])?
    {
        add_job(connection, JobKind::Enrich, item.into_bytes(), change.user.into_bytes(), change.at)?;
    }
    Ok(())
}

fn add_job(connection: &Connection, task: JobKind, subject: [u8; 16], user: [u8; 16], at: i64) -> Result<(), Failure> {
    let due_at = at + i64::try_from(task.delay().as_micros()).unwrap_or(0);
    connection.prepare_cached(ADD_JOB)?.execute(params![task.name(), subject, user, at, due_at])?;
    Ok(())
}
