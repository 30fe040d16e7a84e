//! Reading the events of spaces, and forgetting old ones.

use std::collections::BTreeMap;

use interline_items::{Event, EventRange, SpaceId};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use crate::codec::event_subject::{AuthorColumns, SubjectColumns};
use crate::codec::names;
use crate::sqlite::failure::Failure;
use crate::sqlite::rows::Columns;

const AFTER: &str = "
    SELECT number, event, item, kind, version, changed_fields, source, at, events.user, users.name, events.token, tokens.name,
           client_name, client_version, reason, change_set
    FROM events LEFT JOIN users ON users.id = events.user LEFT JOIN tokens ON tokens.id = events.token
    WHERE space = ?1 AND number > ?2 ORDER BY number LIMIT ?3";

const RANGE: &str = "
    SELECT last_event, (SELECT min(number) FROM events WHERE space = spaces.id) FROM spaces WHERE id = ?1";

const SPACES: &str = "SELECT id FROM spaces ORDER BY id";

/// In steps, so that the writer thread is not held up by years of events.
const FORGET: &str = "
    DELETE FROM events WHERE space = ?1 AND number <= (
        SELECT max(number) FROM (SELECT number, at FROM events WHERE space = ?1 ORDER BY number LIMIT 1000)
        WHERE at < ?2
    )";

/// The events of spaces after the event with the given number in each.
pub(crate) fn after(
    connection: &Connection,
    after: &BTreeMap<SpaceId, u64>,
    limit: usize,
) -> Result<Vec<Event>, Failure> {
    let mut statement = connection.prepare_cached(AFTER)?;
    let mut events = Vec::new();
    for (space, number) in after {
        let number = i64::try_from(*number).unwrap_or(i64::MAX);
        let room = i64::try_from(limit - events.len()).unwrap_or(i64::MAX);
        let found = statement.query_and_then(params![space.uuid().into_bytes(), number, room], |row| {
            event(*space, &mut Columns::from_row(row))
        })?;
        for event in found {
            events.push(event?);
        }
    }
    Ok(events)
}

/// The event of a space whose columns come next.
fn event(space: SpaceId, columns: &mut Columns<'_>) -> Result<Event, Failure> {
    Ok(Event {
        space,
        number: columns.count()?,
        subject: SubjectColumns {
            event: columns.text()?,
            subject: columns.uuid()?,
            kind: columns.text()?,
            version: columns.count()?,
            changed_fields: columns.text()?,
        }
        .decode()?,
        source: names::parse_source(columns.text()?)?,
        at: columns.time()?,
        attribution: AuthorColumns {
            user: columns.optional_uuid()?,
            user_name: columns.next()?,
            token: columns.optional_uuid()?,
            token_name: columns.next()?,
            client_name: columns.next()?,
            client_version: columns.next()?,
            reason: columns.next()?,
            change_set: columns.optional_uuid()?,
        }
        .decode(),
    })
}

/// The oldest and newest event numbers of spaces.
pub(crate) fn ranges(connection: &Connection, spaces: &[SpaceId]) -> Result<BTreeMap<SpaceId, EventRange>, Failure> {
    let mut statement = connection.prepare_cached(RANGE)?;
    let mut ranges = BTreeMap::new();
    for space in spaces {
        let found: Option<(i64, Option<i64>)> =
            statement.query_row([space.uuid().into_bytes()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        if let Some((newest, oldest)) = found {
            let newest = newest.cast_unsigned();
            let oldest = oldest.map_or(newest + 1, i64::cast_unsigned);
            ranges.insert(*space, EventRange { oldest, newest });
        }
    }
    Ok(ranges)
}

/// All spaces.
pub(crate) fn spaces(connection: &Connection) -> Result<Vec<SpaceId>, Failure> {
    let mut statement = connection.prepare_cached(SPACES)?;
    let found = statement.query_map([], |row| Ok(SpaceId::from_uuid(Uuid::from_bytes(row.get(0)?))))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Forgets some events of a space that are too old. Returns how many; 0 if there are no more.
pub(crate) fn forget(connection: &Connection, space: SpaceId, before: Timestamp) -> Result<u64, Failure> {
    let values = params![space.uuid().into_bytes(), before.as_microsecond()];
    Ok(connection.prepare_cached(FORGET)?.execute(values)? as u64)
}
