//! The table `deliveries`: copies of events that are to be sent to webhooks' endpoints, and the log of attempts.

use interline_items::{Attempt, Delivery, DeliveryState, Event, StoreError, WebhookId};
use jiff::{SignedDuration, Timestamp};

use crate::codec::event_subject::{AuthorColumns, SubjectColumns};
use crate::codec::names;
use crate::sql::{Dialect, RowReader, Sql, Statement, query_first, statement, values};

/// The columns that [`from_row`] reads, for a webhook (?1).
macro_rules! select_deliveries {
    () => {
        "SELECT number, state, due_at, attempts, tried_at, microseconds, status, failure,
                space, event_number, event, item, kind, version, changed_fields, source, at, deliveries.\"user\", users.name,
                deliveries.token, tokens.name, client_name, client_version, reason, change_set
         FROM deliveries LEFT JOIN users ON users.id = deliveries.\"user\" LEFT JOIN tokens ON tokens.id = deliveries.token
         WHERE webhook = ?1 AND "
    };
}

const NEXT: Statement = statement!(select_deliveries!(), "state = 'pending' ORDER BY due_at, number LIMIT 1");

const BEFORE: Statement = statement!(select_deliveries!(), "number < ?2 ORDER BY number DESC LIMIT ?3");

// A delivery that was given up or delivered meanwhile stays so.
macro_rules! record_attempt {
    () => {
        "UPDATE deliveries SET
             state = ?3, due_at = ?4, attempts = attempts + 1, tried_at = ?5, microseconds = ?6, status = ?7, failure = ?8
         WHERE webhook = ?1 AND number = ?2 AND state = 'pending'"
    };
}

/// In PostgreSQL it does what [`MARK_DELIVERED`] does too, in the same statement: one round trip, one transaction.
const RECORD_ATTEMPT: Statement = statement!(
    sqlite: record_attempt!(),
    postgres: concat!(
        "WITH recorded AS (",
        record_attempt!(),
        ") UPDATE webhooks SET delivered_at = ?5
         WHERE id = ?1 AND ?3 = 'delivered' AND (delivered_at IS NULL OR delivered_at < ?5)"
    ),
);

const MARK_DELIVERED: Statement =
    statement!("UPDATE webhooks SET delivered_at = ?2 WHERE id = ?1 AND (delivered_at IS NULL OR delivered_at < ?2)");

/// The delivery that a webhook's endpoint is to be sent next.
pub(crate) async fn next<S: Sql>(sql: &S, webhook: WebhookId) -> Result<Option<Delivery>, S::Failure> {
    query_first(sql, NEXT, values![webhook], from_row).await
}

/// The deliveries of a webhook before one of them, newest first.
pub(crate) async fn for_webhook<S: Sql>(
    sql: &S,
    webhook: WebhookId,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<Delivery>, S::Failure> {
    sql.query(BEFORE, values![webhook, before.unwrap_or(u64::MAX), limit], from_row).await
}

/// Records an attempt to deliver, and the state of the delivery after it.
pub(crate) async fn record_attempt<S: Sql>(
    sql: &S,
    webhook: WebhookId,
    delivery: u64,
    attempt: &Attempt,
    state: DeliveryState,
) -> Result<(), S::Failure> {
    let due_at = match state {
        DeliveryState::Pending(Some(until)) => until.as_microsecond(),
        DeliveryState::Pending(None) | DeliveryState::Delivered | DeliveryState::GivenUp => 0,
    };
    let values = values![
        webhook,
        delivery,
        state.name(),
        due_at,
        attempt.at,
        i64::try_from(attempt.took.as_micros()).unwrap_or(i64::MAX),
        attempt.status,
        &attempt.failure,
    ];
    sql.execute(RECORD_ATTEMPT, values).await?;
    if S::DIALECT == Dialect::Sqlite && matches!(state, DeliveryState::Delivered) {
        sql.execute(MARK_DELIVERED, values![webhook, attempt.at]).await?;
    }
    Ok(())
}

fn from_row(row: &mut RowReader<'_>) -> Result<Delivery, StoreError> {
    let number = row.get()?;
    let (state, due_at) = (row.get()?, row.get::<i64>()?);
    let set_aside_until = Timestamp::from_microsecond(due_at).ok().filter(|_| due_at > 0);
    let attempts = row.get()?;
    let tried_at = row.optional()?;
    let took = SignedDuration::from_micros(row.optional()?.unwrap_or_default());
    let (status, failure) = (row.optional()?, row.optional()?);
    Ok(Delivery {
        number,
        state: names::parse_delivery_state(state, set_aside_until)?,
        attempts,
        last: tried_at.map(|at| Attempt { at, took, status, failure }),
        event: Event {
            space: row.get()?,
            number: row.get()?,
            subject: SubjectColumns {
                event: row.get()?,
                subject: row.get()?,
                kind: row.get()?,
                version: row.get()?,
                changed_fields: row.get()?,
            }
            .decode()?,
            source: names::parse_source(row.get()?)?,
            at: row.get()?,
            attribution: AuthorColumns {
                user: row.optional()?,
                user_name: row.optional()?,
                token: row.optional()?,
                token_name: row.optional()?,
                client_name: row.optional()?,
                client_version: row.optional()?,
                reason: row.optional()?,
                change_set: row.optional()?,
            }
            .decode(),
        },
    })
}
