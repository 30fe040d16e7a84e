//! Webhooks.

use interline_items::{SpaceId, UserId, Webhook, WebhookId, WebhookSecret, WebhookStop, WebhookUrl};
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use super::super::failure::Failure;
use super::super::rows::Columns;
use crate::codec::json;

const INSERT: &str = "
    INSERT INTO webhooks (
        id, space, user, url, secret, kinds, created_at, started_at, delivered_at, stopped_at, stop_reason
    ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

const UPDATE: &str = "
    UPDATE webhooks SET url = ?2, kinds = ?3, started_at = ?4, stopped_at = ?5, stop_reason = ?6 WHERE id = ?1";

const STOP: &str = "
    UPDATE webhooks SET stopped_at = coalesce(stopped_at, ?2), stop_reason = coalesce(stop_reason, ?3)
    WHERE id = ?1 AND url = ?4 AND started_at = ?5";

const COUNT: &str = "SELECT count(*) FROM webhooks WHERE space = ?1";

const GIVE_UP: &str = "UPDATE deliveries SET state = 'given_up' WHERE webhook = ?1 AND state = 'pending'";

const REMOVE: &str = "DELETE FROM webhooks WHERE id = ?1";

macro_rules! select_webhooks {
    ($rest:literal) => {
        concat!(
            "SELECT id, space, user, url, secret, kinds, created_at, started_at, delivered_at, stopped_at, stop_reason
             FROM webhooks ",
            $rest
        )
    };
}

const ONE: &str = select_webhooks!("WHERE id = ?1");

const OF_USER: &str = select_webhooks!("WHERE user = ?1 ORDER BY created_at, id");

/// Adds a webhook.
pub(super) fn add(connection: &Connection, webhook: &Webhook) -> Result<(), Failure> {
    let stopped = webhook.stopped.as_ref();
    connection.prepare_cached(INSERT)?.execute(params![
        webhook.id.uuid().into_bytes(),
        webhook.space.uuid().into_bytes(),
        webhook.user.uuid().into_bytes(),
        webhook.url.as_str(),
        webhook.secret.as_str(),
        webhook.kinds.as_ref().map(json::of_kinds),
        webhook.created_at.as_microsecond(),
        webhook.started_at.as_microsecond(),
        webhook.delivered_at.map(Timestamp::as_microsecond),
        stopped.map(|stopped| stopped.at.as_microsecond()),
        stopped.map(|stopped| stopped.reason.as_str()),
    ])?;
    Ok(())
}

/// Changes what can be changed about a webhook; whether it is there.
pub(super) fn update(connection: &Connection, webhook: &Webhook) -> Result<bool, Failure> {
    let (id, stopped) = (webhook.id.uuid().into_bytes(), webhook.stopped.as_ref());
    let changed = connection.prepare_cached(UPDATE)?.execute(params![
        id,
        webhook.url.as_str(),
        webhook.kinds.as_ref().map(json::of_kinds),
        webhook.started_at.as_microsecond(),
        stopped.map(|stopped| stopped.at.as_microsecond()),
        stopped.map(|stopped| stopped.reason.as_str()),
    ])?;
    if stopped.is_some() {
        connection.prepare_cached(GIVE_UP)?.execute([id])?;
    }
    Ok(changed > 0)
}

/// Stops a webhook that has the same address and start.
pub(super) fn stop(connection: &Connection, webhook: &Webhook, stopped: &WebhookStop) -> Result<(), Failure> {
    let id = webhook.id.uuid().into_bytes();
    let changed = connection.prepare_cached(STOP)?.execute(params![
        id,
        stopped.at.as_microsecond(),
        stopped.reason,
        webhook.url.as_str(),
        webhook.started_at.as_microsecond(),
    ])?;
    if changed > 0 {
        connection.prepare_cached(GIVE_UP)?.execute([id])?;
    }
    Ok(())
}

/// How many webhooks a space has.
pub(super) fn count_in(connection: &Connection, space: SpaceId) -> Result<u64, Failure> {
    let count: i64 = connection.prepare_cached(COUNT)?.query_row([space.uuid().into_bytes()], |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

/// Removes a webhook; its deliveries go with it.
pub(super) fn remove(connection: &Connection, id: WebhookId) -> Result<bool, Failure> {
    Ok(connection.prepare_cached(REMOVE)?.execute([id.uuid().into_bytes()])? > 0)
}

/// A webhook.
pub(super) fn one(connection: &Connection, id: WebhookId) -> Result<Option<Webhook>, Failure> {
    let mut statement = connection.prepare_cached(ONE)?;
    statement.query_and_then([id.uuid().into_bytes()], of_row)?.next().transpose()
}

/// The webhooks of a user.
pub(super) fn of_user(connection: &Connection, user: UserId) -> Result<Vec<Webhook>, Failure> {
    connection.prepare_cached(OF_USER)?.query_and_then([user.uuid().into_bytes()], of_row)?.collect()
}

fn of_row(row: &Row<'_>) -> Result<Webhook, Failure> {
    let mut columns = Columns::of(row);
    Ok(Webhook {
        id: WebhookId::from_uuid(columns.uuid()?),
        space: SpaceId::from_uuid(columns.uuid()?),
        user: UserId::from_uuid(columns.uuid()?),
        url: WebhookUrl::from_stored(columns.next()?),
        secret: WebhookSecret::from_stored(columns.next()?),
        kinds: columns.optional_text()?.map(json::kinds).transpose()?,
        created_at: columns.time()?,
        started_at: columns.time()?,
        delivered_at: columns.optional_time()?,
        stopped: match columns.optional_time()? {
            Some(at) => Some(WebhookStop { at, reason: columns.next::<Option<String>>()?.unwrap_or_default() }),
            None => None,
        },
    })
}
