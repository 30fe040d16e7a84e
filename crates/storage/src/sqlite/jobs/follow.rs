//! What a change leaves to be done.

use interline_items::JobKind;
use rusqlite::{Connection, params};
use uuid::Uuid;

use super::super::failure::Failure;

/// For each webhook that is told about it, a copy of the event.
const DELIVER: &str = "
    INSERT INTO deliveries (webhook, space, event_number, event, item, kind, version, changed_fields, source, at)
    SELECT webhooks.id, events.space, events.number, events.event, events.item, events.kind, events.version,
           events.changed_fields, events.source, events.at
    FROM webhooks JOIN events ON events.space = webhooks.space AND events.number = ?2
    WHERE webhooks.space = ?1 AND webhooks.stopped_at IS NULL
      AND (webhooks.kinds IS NULL OR EXISTS (SELECT 1 FROM json_each(webhooks.kinds) WHERE value = events.kind))
    RETURNING webhook";

// What was given up begins anew, what is under way is done once more, and what failed keeps its pause. What only waits for
// something that was set aside does not wait with the rest.
const WANT: &str = "
    INSERT INTO jobs (task, subject, since, due_at) VALUES (?1, ?2, ?3, ?4)
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

const IS_DONE: &str = "SELECT 1 FROM tasks_done WHERE task = ?1 AND until > ?2";

/// A change, by what may follow from it.
pub(in super::super) struct Follows {
    /// Where it happened, and the number of its event there.
    pub(in super::super) space: Uuid,
    pub(in super::super) event: i64,
    /// When, in microseconds.
    pub(in super::super) at: i64,
    /// The item, if a model should read it.
    pub(in super::super) enriches: Option<Uuid>,
}

/// Leaves what follows from a change to be done.
pub(in super::super) fn follow(connection: &Connection, change: &Follows) -> Result<(), Failure> {
    let mut deliver = connection.prepare_cached(DELIVER)?;
    let told = deliver.query_map(params![change.space.into_bytes(), change.event], |row| row.get(0))?;
    let told = told.collect::<Result<Vec<[u8; 16]>, _>>()?;
    for webhook in told {
        want(connection, JobKind::Deliver, webhook, change.at)?;
    }
    if let Some(item) = change.enriches
        && connection.prepare_cached(IS_DONE)?.exists(params![JobKind::Enrich.name(), change.at])?
    {
        want(connection, JobKind::Enrich, item.into_bytes(), change.at)?;
    }
    Ok(())
}

fn want(connection: &Connection, task: JobKind, subject: [u8; 16], at: i64) -> Result<(), Failure> {
    let due_at = at + i64::try_from(task.delay().as_micros()).unwrap_or(0);
    connection.prepare_cached(WANT)?.execute(params![task.name(), subject, at, due_at])?;
    Ok(())
}
