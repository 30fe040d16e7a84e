//! Webhooks.

use deadpool_postgres::Client;
use interline_items::{SpaceId, UserId, Webhook, WebhookId, WebhookSecret, WebhookStop, WebhookUrl};
use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::super::failure::Failure;
use super::super::rows::{count, maybe_time, time};
use crate::codec::json;

const INSERT: &str = "
    INSERT INTO webhooks (
        id, space, \"user\", url, secret, kinds, created_at, started_at, delivered_at, stopped_at, stop_reason
    ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

/// What is pending for one that has stopped is given up.
const UPDATE: &str = "
    WITH changed AS (
        UPDATE webhooks SET url = $2, kinds = $3, started_at = $4, stopped_at = $5, stop_reason = $6 WHERE id = $1
        RETURNING id, stopped_at
    ), given_up AS (
        UPDATE deliveries SET state = 'given_up' FROM changed
        WHERE webhook = changed.id AND changed.stopped_at IS NOT NULL AND state = 'pending'
    )
    SELECT id FROM changed";

const STOP: &str = "
    WITH stopped AS (
        UPDATE webhooks SET stopped_at = coalesce(stopped_at, $2), stop_reason = coalesce(stop_reason, $3)
        WHERE id = $1 AND url = $4 AND started_at = $5
        RETURNING id
    )
    UPDATE deliveries SET state = 'given_up' FROM stopped WHERE webhook = stopped.id AND state = 'pending'";

const COUNT: &str = "SELECT count(*) AS webhooks FROM webhooks WHERE space = $1";

const REMOVE: &str = "DELETE FROM webhooks WHERE id = $1";

const ONE: &str = "SELECT * FROM webhooks WHERE id = $1";

const OF_USER: &str = "SELECT * FROM webhooks WHERE \"user\" = $1 ORDER BY created_at, id";

/// Adds a webhook.
pub(super) async fn add(client: &Client, webhook: &Webhook) -> Result<(), Failure> {
    let stopped = webhook.stopped.as_ref();
    client
        .execute(
            INSERT,
            &[
                &webhook.id.uuid(),
                &webhook.space.uuid(),
                &webhook.user.uuid(),
                &webhook.url.as_str(),
                &webhook.secret.as_str(),
                &webhook.kinds.as_ref().map(json::of_kinds),
                &webhook.created_at.as_microsecond(),
                &webhook.started_at.as_microsecond(),
                &webhook.delivered_at.map(Timestamp::as_microsecond),
                &stopped.map(|stopped| stopped.at.as_microsecond()),
                &stopped.map(|stopped| stopped.reason.as_str()),
            ],
        )
        .await?;
    Ok(())
}

/// Changes what can be changed about a webhook; whether it is there.
pub(super) async fn update(client: &Client, webhook: &Webhook) -> Result<bool, Failure> {
    let stopped = webhook.stopped.as_ref();
    let changed = client
        .query_opt(
            UPDATE,
            &[
                &webhook.id.uuid(),
                &webhook.url.as_str(),
                &webhook.kinds.as_ref().map(json::of_kinds),
                &webhook.started_at.as_microsecond(),
                &stopped.map(|stopped| stopped.at.as_microsecond()),
                &stopped.map(|stopped| stopped.reason.as_str()),
            ],
        )
        .await?;
    Ok(changed.is_some())
}

/// Stops a webhook that has the same address and start.
pub(super) async fn stop(client: &Client, webhook: &Webhook, stopped: &WebhookStop) -> Result<(), Failure> {
    let (url, started_at) = (webhook.url.as_str(), webhook.started_at.as_microsecond());
    let values: [&(dyn ToSql + Sync); 5] =
        [&webhook.id.uuid(), &stopped.at.as_microsecond(), &stopped.reason, &url, &started_at];
    client.execute(STOP, &values).await?;
    Ok(())
}

/// How many webhooks a space has.
pub(super) async fn count_in(client: &Client, space: SpaceId) -> Result<u64, Failure> {
    count(&client.query_one(COUNT, &[&space.uuid()]).await?, "webhooks")
}

/// Removes a webhook; its deliveries go with it.
pub(super) async fn remove(client: &Client, id: WebhookId) -> Result<bool, Failure> {
    Ok(client.execute(REMOVE, &[&id.uuid()]).await? > 0)
}

/// A webhook.
pub(super) async fn one(client: &Client, id: WebhookId) -> Result<Option<Webhook>, Failure> {
    let statement = client.prepare_cached(ONE).await?;
    client.query_opt(&statement, &[&id.uuid()]).await?.as_ref().map(of_row).transpose()
}

/// The webhooks of a user.
pub(super) async fn of_user(client: &Client, user: UserId) -> Result<Vec<Webhook>, Failure> {
    client.query(OF_USER, &[&user.uuid()]).await?.iter().map(of_row).collect()
}

fn of_row(row: &Row) -> Result<Webhook, Failure> {
    let kinds: Option<&str> = row.try_get("kinds")?;
    let reason: Option<String> = row.try_get("stop_reason")?;
    Ok(Webhook {
        id: WebhookId::from_uuid(row.try_get("id")?),
        space: SpaceId::from_uuid(row.try_get("space")?),
        user: UserId::from_uuid(row.try_get("user")?),
        url: WebhookUrl::from_stored(row.try_get("url")?),
        secret: WebhookSecret::from_stored(row.try_get("secret")?),
        kinds: kinds.map(json::kinds).transpose()?,
        created_at: time(row, "created_at")?,
        started_at: time(row, "started_at")?,
        delivered_at: maybe_time(row, "delivered_at")?,
        stopped: maybe_time(row, "stopped_at")?.map(|at| WebhookStop { at, reason: reason.unwrap_or_default() }),
    })
}
