//! What webhooks are to be told, and were.

use deadpool_postgres::Client;
use interline_items::{Attempt, Delivery, DeliveryState, WebhookId};
use jiff::{SignedDuration, Timestamp};
use tokio_postgres::Row;

use super::super::events;
use super::super::failure::Failure;
use super::super::rows::{count, maybe_time, stored};
use crate::codec::names;

const NEXT: &str = "
    SELECT * FROM deliveries WHERE webhook = $1 AND state = 'pending' ORDER BY due_at, number LIMIT 1";

const BEFORE: &str = "
    SELECT * FROM deliveries WHERE webhook = $1 AND number < $2 ORDER BY number DESC LIMIT $3";

/// One that was given up or delivered meanwhile stays so.
const NOTE: &str = "
    WITH noted AS (
        UPDATE deliveries SET
            state = $3, due_at = $4, attempts = attempts + 1, tried_at = $5, microseconds = $6, status = $7, failure = $8
        WHERE webhook = $1 AND number = $2 AND state = 'pending'
    )
    UPDATE webhooks SET delivered_at = $5
    WHERE id = $1 AND $3 = 'delivered' AND (delivered_at IS NULL OR delivered_at < $5)";

/// What a webhook is to be told next.
pub(super) async fn next(client: &Client, webhook: WebhookId) -> Result<Option<Delivery>, Failure> {
    let statement = client.prepare_cached(NEXT).await?;
    client.query_opt(&statement, &[&webhook.uuid()]).await?.as_ref().map(of_row).transpose()
}

/// The deliveries before one, newest first.
pub(super) async fn of_webhook(
    client: &Client,
    webhook: WebhookId,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<Delivery>, Failure> {
    let before = before.and_then(|before| i64::try_from(before).ok()).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    client.query(BEFORE, &[&webhook.uuid(), &before, &limit]).await?.iter().map(of_row).collect()
}

/// Remembers an attempt.
pub(super) async fn note(
    client: &Client,
    webhook: WebhookId,
    delivery: u64,
    attempt: &Attempt,
    state: DeliveryState,
) -> Result<(), Failure> {
    let due_at = match state {
        DeliveryState::Pending(Some(until)) => until.as_microsecond(),
        DeliveryState::Pending(None) | DeliveryState::Delivered | DeliveryState::GivenUp => 0,
    };
    let statement = client.prepare_cached(NOTE).await?;
    client
        .execute(
            &statement,
            &[
                &webhook.uuid(),
                &stored(delivery)?,
                &state.name(),
                &due_at,
                &attempt.at.as_microsecond(),
                &i64::try_from(attempt.took.as_micros()).unwrap_or(i64::MAX),
                &attempt.status.map(i64::from),
                &attempt.failure,
            ],
        )
        .await?;
    Ok(())
}

fn of_row(row: &Row) -> Result<Delivery, Failure> {
    let (state, due_at): (&str, i64) = (row.try_get("state")?, row.try_get("due_at")?);
    let set_aside_until = Timestamp::from_microsecond(due_at).ok().filter(|_| due_at > 0);
    let took: Option<i64> = row.try_get("microseconds")?;
    let status: Option<i64> = row.try_get("status")?;
    let failure = row.try_get("failure")?;
    Ok(Delivery {
        number: count(row, "number")?,
        event: events::event(row, "event_number")?,
        state: names::delivery_state(state, set_aside_until)?,
        attempts: u32::try_from(count(row, "attempts")?).unwrap_or(u32::MAX),
        last: maybe_time(row, "tried_at")?.map(|at| Attempt {
            at,
            took: SignedDuration::from_micros(took.unwrap_or_default()),
            status: status.and_then(|status| u16::try_from(status).ok()),
            failure,
        }),
    })
}
