//! What webhooks are to be told, and were.

use interline_items::{Attempt, Delivery, DeliveryState, SpaceId, WebhookId};
use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, Row, params};

use super::super::events;
use super::super::failure::Failure;
use super::super::rows::Columns;
use crate::codec::names;

macro_rules! select_deliveries {
    ($rest:literal) => {
        concat!(
            "SELECT number, state, due_at, attempts, tried_at, microseconds, status, failure,
                    space, event_number, event, item, kind, version, changed_fields, source, at
             FROM deliveries WHERE webhook = ?1 AND ",
            $rest
        )
    };
}

const NEXT: &str = select_deliveries!("state = 'pending' ORDER BY due_at, number LIMIT 1");

const BEFORE: &str = select_deliveries!("number < ?2 ORDER BY number DESC LIMIT ?3");

// One that was given up or delivered meanwhile stays so.
const NOTE: &str = "
    UPDATE deliveries
    SET state = ?3, due_at = ?4, attempts = attempts + 1, tried_at = ?5, microseconds = ?6, status = ?7, failure = ?8
    WHERE webhook = ?1 AND number = ?2 AND state = 'pending'";

const DELIVERED: &str = "
    UPDATE webhooks SET delivered_at = ?2 WHERE id = ?1 AND (delivered_at IS NULL OR delivered_at < ?2)";

/// What a webhook is to be told next.
pub(super) fn next(connection: &Connection, webhook: WebhookId) -> Result<Option<Delivery>, Failure> {
    let mut statement = connection.prepare_cached(NEXT)?;
    statement.query_and_then([webhook.uuid().into_bytes()], of_row)?.next().transpose()
}

/// The deliveries before one, newest first.
pub(super) fn of_webhook(
    connection: &Connection,
    webhook: WebhookId,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<Delivery>, Failure> {
    let before = before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(BEFORE)?;
    statement.query_and_then(params![webhook.uuid().into_bytes(), before, limit], of_row)?.collect()
}

/// Remembers an attempt.
pub(super) fn note(
    connection: &Connection,
    webhook: WebhookId,
    delivery: u64,
    attempt: &Attempt,
    state: DeliveryState,
) -> Result<(), Failure> {
    let webhook = webhook.uuid().into_bytes();
    let due_at = match state {
        DeliveryState::Pending(Some(until)) => until.as_microsecond(),
        DeliveryState::Pending(None) | DeliveryState::Delivered | DeliveryState::GivenUp => 0,
    };
    connection.prepare_cached(NOTE)?.execute(params![
        webhook,
        delivery.cast_signed(),
        state.name(),
        due_at,
        attempt.at.as_microsecond(),
        i64::try_from(attempt.took.as_micros()).unwrap_or(i64::MAX),
        attempt.status,
        attempt.failure,
    ])?;
    match state {
        DeliveryState::Delivered => {
            connection.prepare_cached(DELIVERED)?.execute(params![webhook, attempt.at.as_microsecond()])?;
        }
        DeliveryState::Pending(_) | DeliveryState::GivenUp => {}
    }
    Ok(())
}

fn of_row(row: &Row<'_>) -> Result<Delivery, Failure> {
    let mut columns = Columns::of(row);
    let number = columns.count()?;
    let state = columns.text()?.to_owned();
    let due_at: i64 = columns.next()?;
    let attempts = columns.next()?;
    let tried_at = columns.optional_time()?;
    let took: Option<i64> = columns.next()?;
    let (status, failure) = (columns.next()?, columns.next()?);
    Ok(Delivery {
        number,
        state: names::delivery_state(&state, Timestamp::from_microsecond(due_at).ok().filter(|_| due_at > 0))?,
        attempts,
        last: tried_at.map(|at| Attempt {
            at,
            took: SignedDuration::from_micros(took.unwrap_or_default()),
            status,
            failure,
        }),
        event: {
            let space = SpaceId::from_uuid(columns.uuid()?);
            events::event(space, &mut columns)?
        },
    })
}
