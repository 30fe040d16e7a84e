//! Removing a user: its rows in all tables go. Its name stays for the histories.

use interline_items::{Rank, RemoveUser, SpaceId, UserId, UserRemoval};
use jiff::Timestamp;

use super::users;
use crate::sql::{Dialect, Sql, Statement, column, query_first, query_only, statement, values};

const OTHER_ADMINS: Statement =
    statement!("SELECT count(*) FROM users WHERE rank = 'admin' AND deleted_at IS NULL AND id <> ?1");

/// For PostgreSQL: items before the space, and in the order of ids, as every commit locks them. An item that comes after
/// this look is kept out by the lock of [`OWN_SPACE`]: a new item needs its space.
const LOCK_ITEMS: Statement = statement!(
    "SELECT items.id FROM items JOIN spaces ON spaces.id = items.space
     WHERE spaces.\"user\" = ?1
     ORDER BY items.id
     FOR UPDATE OF items"
);

const OWN_SPACE: Statement = statement!(
    sqlite: "SELECT id FROM spaces WHERE \"user\" = ?1",
    postgres: "SELECT id FROM spaces WHERE \"user\" = ?1 FOR UPDATE",
);

const COUNT: Statement = statement!("SELECT count(*) FROM items WHERE space = ?1");

/// Marks items that are about to be removed with one more than their last state, so that the search index has not seen it.
macro_rules! mark_stale {
    ($key:literal, $items:literal) => {
        concat!(
            "INSERT INTO stale_items (item, mark) SELECT ",
            $key,
            ", version + revision + 1 FROM items WHERE ",
            $items,
            " ON CONFLICT (item) DO UPDATE SET mark = excluded.mark"
        )
    };
}
pub(super) use mark_stale;

const MARK_STALE: Statement =
    statement!(sqlite: mark_stale!("number", "space = ?1"), postgres: mark_stale!("id", "space = ?1"));

/// Everything that a space holds, and then the space. Contents, tags and histories go with their items.
const EMPTY_SPACE: [Statement; 6] = [
    statement!("DELETE FROM import_sources WHERE space = ?1"),
    statement!("DELETE FROM webhooks WHERE space = ?1"),
    statement!("DELETE FROM items WHERE space = ?1"),
    statement!("DELETE FROM events WHERE space = ?1"),
    statement!("DELETE FROM members WHERE space = ?1"),
    statement!("DELETE FROM spaces WHERE id = ?1"),
];

/// Everything that a user has beside its space. The names of its tokens stay.
const STRIP_USER: [Statement; 4] = [
    statement!("DELETE FROM webhooks WHERE \"user\" = ?1"),
    statement!("DELETE FROM members WHERE \"user\" = ?1"),
    statement!("DELETE FROM idempotency WHERE \"user\" = ?1"),
    statement!("UPDATE tokens SET secret = NULL WHERE \"user\" = ?1"),
];

const MARK_DELETED: Statement = statement!("UPDATE users SET email = NULL, deleted_at = ?2 WHERE id = ?1");

async fn remove_space<S: Sql>(sql: &S, space: SpaceId) -> Result<(), S::Failure> {
    sql.execute(MARK_STALE, values![space]).await?;
    for statement in EMPTY_SPACE {
        sql.execute(statement, values![space]).await?;
    }
    Ok(())
}

/// Removes a user with its own space, in a transaction of the caller, who sees to it that no other user is made or removed
/// meanwhile.
pub(crate) async fn remove_user<S: Sql>(
    sql: &S,
    user: UserId,
    items: RemoveUser,
    at: Timestamp,
) -> Result<UserRemoval, S::Failure> {
    let Some(removed) = users::one(sql, user).await? else { return Ok(UserRemoval::Unknown) };
    if removed.rank == Rank::Admin {
        let other_admins: u64 = query_only(sql, OTHER_ADMINS, values![user], column).await?;
        if other_admins == 0 {
            return Ok(UserRemoval::LastAdmin);
        }
    }
    if S::DIALECT == Dialect::Postgres {
        sql.query(LOCK_ITEMS, values![user], |_| Ok(())).await?;
    }
    let mut item_count = 0;
    if let Some(space) = query_first(sql, OWN_SPACE, values![user], column::<SpaceId>).await? {
        item_count = query_only(sql, COUNT, values![space], column).await?;
        if items == RemoveUser::IfEmpty && item_count > 0 {
            return Ok(UserRemoval::HasItems(item_count));
        }
        remove_space(sql, space).await?;
    }
    for statement in STRIP_USER {
        sql.execute(statement, values![user]).await?;
    }
    sql.execute(MARK_DELETED, values![user, at]).await?;
    Ok(UserRemoval::Removed(item_count))
}
