//! The end of a user: what it had goes, and its name stays.

use interline_items::{Rank, RemoveUser, UserId, UserRemoval};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};

use super::failure::Failure;
use super::group::Group;
use super::sql::poll_once;
use crate::tables::users;

const OTHER_ADMIN: &str = "SELECT 1 FROM users WHERE rank = 'admin' AND deleted_at IS NULL AND id <> ?1";

const OWN_SPACE: &str = "SELECT id FROM spaces WHERE user = ?1";

const COUNT: &str = "SELECT count(*) FROM items WHERE space = ?1";

// One more than their last state, so that the search index has not seen it.
const MARK_STALE: &str = "
    INSERT INTO stale_items (item, mark) SELECT number, version + revision + 1 FROM items WHERE space = ?1
    ON CONFLICT (item) DO UPDATE SET mark = excluded.mark";

/// What a space holds, and then the space. Contents, tags and histories go with their items.
const EMPTY_SPACE: [&str; 5] = [
    "DELETE FROM webhooks WHERE space = ?1",
    "DELETE FROM items WHERE space = ?1",
    "DELETE FROM events WHERE space = ?1",
    "DELETE FROM members WHERE space = ?1",
    "DELETE FROM spaces WHERE id = ?1",
];

/// What a user has beside its space. The names of its tokens stay.
const STRIP_USER: [&str; 4] = [
    "DELETE FROM webhooks WHERE user = ?1",
    "DELETE FROM members WHERE user = ?1",
    "DELETE FROM idempotency WHERE user = ?1",
    "UPDATE tokens SET secret = NULL WHERE user = ?1",
];

const BURY: &str = "UPDATE users SET email = NULL, deleted_at = ?2 WHERE id = ?1";

/// Removes a user with its own space.
pub(super) fn remove_user(
    group: &mut Group<'_>,
    user: UserId,
    items: RemoveUser,
    at: Timestamp,
) -> Result<UserRemoval, Failure> {
    // All of them are in the table then, and go with their items.
    group.write_contents()?;
    let connection = group.connection();
    let Some(found) = poll_once(users::one(connection, user))? else { return Ok(UserRemoval::Unknown) };
    let key = user.uuid().into_bytes();
    if found.rank == Rank::Admin && !connection.prepare_cached(OTHER_ADMIN)?.exists([key])? {
        return Ok(UserRemoval::LastAdmin);
    }
    let space: Option<[u8; 16]> =
        connection.prepare_cached(OWN_SPACE)?.query_row([key], |row| row.get(0)).optional()?;
    let mut removed = 0;
    if let Some(space) = space {
        removed = connection.prepare_cached(COUNT)?.query_row([space], |row| row.get(0)).map(i64::cast_unsigned)?;
        if items == RemoveUser::IfEmpty && removed > 0 {
            return Ok(UserRemoval::HasItems(removed));
        }
        connection.prepare_cached(MARK_STALE)?.execute([space])?;
        for sql in EMPTY_SPACE {
            connection.prepare_cached(sql)?.execute([space])?;
        }
    }
    for sql in STRIP_USER {
        connection.prepare_cached(sql)?.execute([key])?;
    }
    connection.prepare_cached(BURY)?.execute(params![key, at.as_microsecond()])?;
    Ok(UserRemoval::Removed(removed))
}
