//! The table `webhooks`.

use interline_items::{SpaceId, StoreError, UserId, Webhook, WebhookId, WebhookSecret, WebhookStop, WebhookUrl};
use jiff::Timestamp;

use crate::codec::json;
use crate::sql::{Dialect, RowReader, Sql, Statement, column, query_first, query_only, statement, values};

const INSERT: Statement = statement!(
    "INSERT INTO webhooks (
         id, space, \"user\", url, secret, kinds, created_at, started_at, delivered_at, stopped_at, stop_reason
     ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
);

macro_rules! update {
    () => {
        "UPDATE webhooks SET url = ?2, kinds = ?3, started_at = ?4, stopped_at = ?5, stop_reason = ?6 WHERE id = ?1"
    };
}

/// In PostgreSQL it does what [`GIVE_UP_PENDING`] does too, in the same statement, and so in one transaction.
const UPDATE: Statement = statement!(
    sqlite: update!(),
    postgres: concat!(
        "WITH given_up AS (
             UPDATE deliveries SET state = 'given_up'
             WHERE webhook = ?1 AND state = 'pending' AND CAST(?5 AS bigint) IS NOT NULL
         ) ",
        update!()
    ),
);

macro_rules! stop {
    () => {
        "UPDATE webhooks SET stopped_at = coalesce(stopped_at, ?2), stop_reason = coalesce(stop_reason, ?3)
         WHERE id = ?1 AND url = ?4 AND started_at = ?5"
    };
}

/// As [`UPDATE`].
const STOP: Statement = statement!(
    sqlite: stop!(),
    postgres: concat!(
        "WITH stopped AS (",
        stop!(),
        " RETURNING id)
         UPDATE deliveries SET state = 'given_up' FROM stopped WHERE webhook = stopped.id AND state = 'pending'"
    ),
);

/// What is pending for a webhook that has stopped is given up.
const GIVE_UP_PENDING: Statement =
    statement!("UPDATE deliveries SET state = 'given_up' WHERE webhook = ?1 AND state = 'pending'");

const COUNT: Statement = statement!("SELECT count(*) FROM webhooks WHERE space = ?1");

/// No change adds a delivery from then on.
const STOP_FOR_REMOVAL: Statement = statement!(
    "UPDATE webhooks SET stopped_at = coalesce(stopped_at, ?2), stop_reason = coalesce(stop_reason, 'it is being deleted')
     WHERE id = ?1"
);

const REMOVE_DELIVERIES: Statement =
    statement!("DELETE FROM deliveries WHERE number IN (SELECT number FROM deliveries WHERE webhook = ?1 LIMIT 1000)");

const REMOVE: Statement = statement!("DELETE FROM webhooks WHERE id = ?1");

/// The columns that [`from_row`] reads.
macro_rules! select_webhooks {
    () => {
        "SELECT id, space, \"user\", url, secret, kinds, created_at, started_at, delivered_at, stopped_at, stop_reason
         FROM webhooks "
    };
}

const ONE: Statement = statement!(select_webhooks!(), "WHERE id = ?1");

const OF_USER: Statement = statement!(select_webhooks!(), "WHERE \"user\" = ?1 ORDER BY created_at, id");

/// Adds a webhook.
pub(crate) async fn add<S: Sql>(sql: &S, webhook: &Webhook) -> Result<(), S::Failure> {
    let stopped = webhook.stopped.as_ref();
    let values = values![
        webhook.id,
        webhook.space,
        webhook.user,
        webhook.url.as_str(),
        webhook.secret.as_str(),
        webhook.kinds.as_ref().map(json::encode_kinds),
        webhook.created_at,
        webhook.started_at,
        webhook.delivered_at,
        stopped.map(|stopped| stopped.at),
        stopped.map(|stopped| stopped.reason.as_str()),
    ];
    sql.execute(INSERT, values).await?;
    Ok(())
}

/// Changes the columns of a webhook that can change; whether there is such a webhook.
pub(crate) async fn update<S: Sql>(sql: &S, webhook: &Webhook) -> Result<bool, S::Failure> {
    let stopped = webhook.stopped.as_ref();
    let values = values![
        webhook.id,
        webhook.url.as_str(),
        webhook.kinds.as_ref().map(json::encode_kinds),
        webhook.started_at,
        stopped.map(|stopped| stopped.at),
        stopped.map(|stopped| stopped.reason.as_str()),
    ];
    let changed = sql.execute(UPDATE, values).await?;
    if S::DIALECT == Dialect::Sqlite && stopped.is_some() {
        sql.execute(GIVE_UP_PENDING, values![webhook.id]).await?;
    }
    Ok(changed > 0)
}

/// Stops a webhook, if it still has the same address and start.
pub(crate) async fn stop<S: Sql>(sql: &S, webhook: &Webhook, stop: &WebhookStop) -> Result<(), S::Failure> {
    let values = values![webhook.id, stop.at, &stop.reason, webhook.url.as_str(), webhook.started_at];
    let changed = sql.execute(STOP, values).await?;
    if S::DIALECT == Dialect::Sqlite && changed > 0 {
        sql.execute(GIVE_UP_PENDING, values![webhook.id]).await?;
    }
    Ok(())
}

/// How many webhooks a space has.
pub(crate) async fn count_in<S: Sql>(sql: &S, space: SpaceId) -> Result<u64, S::Failure> {
    query_only(sql, COUNT, values![space], column).await
}

/// Stops a webhook that is to be removed.
pub(crate) async fn stop_for_removal<S: Sql>(sql: &S, id: WebhookId, now: Timestamp) -> Result<(), S::Failure> {
    sql.execute(STOP_FOR_REMOVAL, values![id, now]).await?;
    Ok(())
}

/// Removes some deliveries of a webhook; how many, 0 if there are no more. Some, so that a webhook with very many of them holds
/// up neither SQLite's writer nor the locks of PostgreSQL.
pub(crate) async fn remove_deliveries<S: Sql>(sql: &S, id: WebhookId) -> Result<u64, S::Failure> {
    sql.execute(REMOVE_DELIVERIES, values![id]).await
}

/// Removes a webhook; deliveries that it still has go with it.
pub(crate) async fn remove<S: Sql>(sql: &S, id: WebhookId) -> Result<bool, S::Failure> {
    Ok(sql.execute(REMOVE, values![id]).await? > 0)
}

/// One webhook.
pub(crate) async fn one<S: Sql>(sql: &S, id: WebhookId) -> Result<Option<Webhook>, S::Failure> {
    query_first(sql, ONE, values![id], from_row).await
}

/// The webhooks of a user, oldest first.
pub(crate) async fn for_user<S: Sql>(sql: &S, user: UserId) -> Result<Vec<Webhook>, S::Failure> {
    sql.query(OF_USER, values![user], from_row).await
}

fn from_row(row: &mut RowReader<'_>) -> Result<Webhook, StoreError> {
    Ok(Webhook {
        id: row.get()?,
        space: row.get()?,
        user: row.get()?,
        url: WebhookUrl::from_stored(row.get()?),
        secret: WebhookSecret::from_stored(row.get()?),
        kinds: row.optional()?.map(json::decode_kinds).transpose()?,
        created_at: row.get()?,
        started_at: row.get()?,
        delivered_at: row.optional()?,
        stopped: match row.optional()? {
            Some(at) => Some(WebhookStop { at, reason: row.optional()?.unwrap_or_default() }),
            None => None,
        },
    })
}
