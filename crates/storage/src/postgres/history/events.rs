//! Reading the events of spaces, and forgetting old ones.

use std::collections::BTreeMap;

use deadpool_postgres::Client;
use interline_items::{Event, EventRange, SpaceId};
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::codec::event_subject::{AuthorColumns, SubjectColumns};
use crate::codec::names;
use crate::postgres::failure::Failure;
use crate::postgres::rows::{count, maybe_count, time};

const AFTER: &str = "
    SELECT event.*, users.name AS user_name, tokens.name AS token_name
    FROM unnest($1::uuid[], $2::bigint[]) AS known (space, number)
    CROSS JOIN LATERAL (
        SELECT * FROM events WHERE events.space = known.space AND events.number > known.number
        ORDER BY events.number LIMIT $3
    ) AS event
    LEFT JOIN users ON users.id = event.\"user\" LEFT JOIN tokens ON tokens.id = event.token
    ORDER BY event.space, event.number
    LIMIT $3";

const RANGES: &str = "
    SELECT id, last_event, (SELECT min(number) FROM events WHERE space = spaces.id) AS oldest
    FROM spaces WHERE id = ANY($1)";

const SPACES: &str = "SELECT id FROM spaces ORDER BY id";

/// In steps, so that no transaction is long.
const FORGET: &str = "
    DELETE FROM events WHERE space = $1 AND number <= (
        SELECT max(number) FROM (SELECT number, at FROM events WHERE space = $1 ORDER BY number LIMIT 1000) AS oldest
        WHERE at < $2
    )";

/// The events of spaces after the event with the given number in each.
pub(crate) async fn after(
    client: &Client,
    after: &BTreeMap<SpaceId, u64>,
    limit: usize,
) -> Result<Vec<Event>, Failure> {
    let (spaces, numbers): (Vec<Uuid>, Vec<i64>) =
        after.iter().map(|(space, number)| (space.uuid(), i64::try_from(*number).unwrap_or(i64::MAX))).unzip();
    let statement = client.prepare_cached(AFTER).await?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    client.query(&statement, &[&spaces, &numbers, &limit]).await?.iter().map(event).collect()
}

/// The event of a row that has its number in the column `number`.
fn event(row: &Row) -> Result<Event, Failure> {
    Ok(Event {
        space: SpaceId::from_uuid(row.try_get("space")?),
        number: count(row, "number")?,
        subject: SubjectColumns {
            event: row.try_get("event")?,
            subject: row.try_get("item")?,
            kind: row.try_get("kind")?,
            version: count(row, "version")?,
            changed_fields: row.try_get("changed_fields")?,
        }
        .decode()?,
        source: names::parse_source(row.try_get("source")?)?,
        at: time(row, "at")?,
        attribution: AuthorColumns {
            user: row.try_get("user")?,
            user_name: row.try_get("user_name")?,
            token: row.try_get("token")?,
            token_name: row.try_get("token_name")?,
            client_name: row.try_get("client_name")?,
            client_version: row.try_get("client_version")?,
            reason: row.try_get("reason")?,
            change_set: row.try_get("change_set")?,
        }
        .decode(),
    })
}

/// The oldest and newest event numbers of spaces.
pub(crate) async fn ranges(client: &Client, spaces: &[SpaceId]) -> Result<BTreeMap<SpaceId, EventRange>, Failure> {
    let spaces: Vec<Uuid> = spaces.iter().map(|space| space.uuid()).collect();
    let statement = client.prepare_cached(RANGES).await?;
    let range = |row: &Row| {
        let newest = count(row, "last_event")?;
        let oldest = maybe_count(row, "oldest")?.unwrap_or(newest + 1);
        Ok((SpaceId::from_uuid(row.try_get("id")?), EventRange { oldest, newest }))
    };
    client.query(&statement, &[&spaces]).await?.iter().map(range).collect()
}

/// Forgets the events that happened before a time. Returns how many.
pub(crate) async fn forget(client: &Client, before: Timestamp) -> Result<u64, Failure> {
    let spaces = client.query(SPACES, &[]).await?;
    let statement = client.prepare_cached(FORGET).await?;
    let mut forgotten = 0;
    for space in &spaces {
        let space: Uuid = space.try_get("id")?;
        loop {
            match client.execute(&statement, &[&space, &before.as_microsecond()]).await? {
                0 => break,
                some => forgotten += some,
            }
        }
    }
    Ok(forgotten)
}
