//! Removing a user or an app: its rows in all tables go. The name of a user stays for the histories.

use interline_items::{AppId, Rank, RemoveUser, SpaceId, UserId, UserRemoval};
use jiff::Timestamp;

use super::users;
use crate::sql::{Dialect, Sql, Statement, column, query_first, query_only, statement, values};

macro_rules! deleted_app {
    ($lock:literal) => {
        concat!(
            "SELECT spaces.id FROM apps JOIN spaces ON spaces.app = apps.id WHERE apps.id = ?1 AND apps.deleted_at < ?2",
            $lock
        )
    };
}

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

/// The same for the space of an app.
const LOCK_FILES: Statement = statement!(
    "SELECT items.id FROM items JOIN spaces ON spaces.id = items.space
     WHERE spaces.app = ?1
     ORDER BY items.id
     FOR UPDATE OF items"
);

/// An app that was deleted before a time, and its space; the lock is that of whoever would restore it.
const DELETED_APP: Statement = statement!(
    sqlite: deleted_app!(""),
    postgres: deleted_app!(" FOR UPDATE OF apps, spaces"),
);

const PUBLISHED_HASHES: Statement = statement!("SELECT DISTINCT hash FROM app_version_files WHERE app = ?1");

/// Everything that an app has beside its space.
const STRIP_APP: [Statement; 3] = [
    statement!("DELETE FROM app_version_files WHERE app = ?1"),
    statement!("DELETE FROM app_versions WHERE app = ?1"),
    statement!("DELETE FROM apps WHERE id = ?1"),
];

const FORGET_CONTENT: Statement = statement!(
    "DELETE FROM published_contents
     WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM app_version_files WHERE hash = ?1)"
);

const OWN_SPACE: Statement = statement!(
    sqlite: "SELECT id FROM spaces WHERE \"user\" = ?1",
    postgres: "SELECT id FROM spaces WHERE \"user\" = ?1 FOR UPDATE",
);

const COUNT: Statement = statement!("SELECT count(*) FROM items WHERE space = ?1");

// One more than their last state, so that the search index has not seen it.
macro_rules! mark_stale {
    ($key:literal) => {
        concat!(
            "INSERT INTO stale_items (item, mark) SELECT ",
            $key,
            ", version + revision + 1 FROM items WHERE space = ?1
             ON CONFLICT (item) DO UPDATE SET mark = excluded.mark"
        )
    };
}

const MARK_STALE: Statement = statement!(sqlite: mark_stale!("number"), postgres: mark_stale!("id"));

/// Everything that a space holds, and then the space. Contents, tags and histories go with their items.
const EMPTY_SPACE: [Statement; 5] = [
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

/// Removes an app that was deleted before a time, with its space, files and published versions, in a transaction of the
/// caller; whether there was one. Contents that other versions share stay.
pub(crate) async fn purge_app<S: Sql>(sql: &S, app: AppId, before: Timestamp) -> Result<bool, S::Failure> {
    if S::DIALECT == Dialect::Postgres {
        sql.query(LOCK_FILES, values![app], |_| Ok(())).await?;
    }
    let Some(space) = query_first(sql, DELETED_APP, values![app, before], column::<SpaceId>).await? else {
        return Ok(false);
    };
    let hashes: Vec<[u8; 32]> = sql.query(PUBLISHED_HASHES, values![app], column).await?;
    remove_space(sql, space).await?;
    for statement in STRIP_APP {
        sql.execute(statement, values![app]).await?;
    }
    for hash in hashes {
        sql.execute(FORGET_CONTENT, values![&hash]).await?;
    }
    Ok(true)
}

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
