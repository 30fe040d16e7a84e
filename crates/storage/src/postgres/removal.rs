//! The end of a user: what it had goes, and its name stays.

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use interline_items::{Rank, RemoveUser, UserId, UserRemoval};
use jiff::Timestamp;
use uuid::Uuid;

use super::accounts::ONE_AT_A_TIME;
use super::failure::Failure;
use super::work::{CommitProof, RetryableTransaction};
use crate::tables::users;

const OTHER_ADMINS: &str = "
    SELECT EXISTS (SELECT FROM users WHERE rank = 'admin' AND deleted_at IS NULL AND id <> $1)";

/// Items before the space, and in the order of ids, as every commit locks them. What comes after the first look is
/// kept out by the second lock: a new item needs its space.
const LOCK_ITEMS: &str = "
    SELECT items.id FROM items JOIN spaces ON spaces.id = items.space
    WHERE spaces.\"user\" = $1
    ORDER BY items.id
    FOR UPDATE OF items";
const LOCK_SPACE: &str = "SELECT id FROM spaces WHERE \"user\" = $1 FOR UPDATE";

const COUNT: &str = "SELECT count(*) FROM items WHERE space = $1";

/// One more than their last state, so that the search index has not seen it.
const MARK_STALE: &str = "
    INSERT INTO stale_items (item, mark) SELECT id, version + revision + 1 FROM items WHERE space = $1
    ON CONFLICT (item) DO UPDATE SET mark = excluded.mark";

/// What a space holds, and then the space. Contents, tags and histories go with their items.
const EMPTY_SPACE: [&str; 5] = [
    "DELETE FROM webhooks WHERE space = $1",
    "DELETE FROM items WHERE space = $1",
    "DELETE FROM events WHERE space = $1",
    "DELETE FROM members WHERE space = $1",
    "DELETE FROM spaces WHERE id = $1",
];

/// What a user has beside its space. The names of its tokens stay.
const STRIP_USER: [&str; 4] = [
    "DELETE FROM webhooks WHERE \"user\" = $1",
    "DELETE FROM members WHERE \"user\" = $1",
    "DELETE FROM idempotency WHERE \"user\" = $1",
    "UPDATE tokens SET secret = NULL WHERE \"user\" = $1",
];

const BURY: &str = "UPDATE users SET email = NULL, deleted_at = $2 WHERE id = $1";

/// The end of a user.
pub(super) struct Removal {
    pub(super) user: UserId,
    pub(super) items: RemoveUser,
    pub(super) at: Timestamp,
}

#[async_trait]
impl RetryableTransaction for Removal {
    type Outcome = UserRemoval;

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<(UserRemoval, CommitProof), Failure> {
        transaction.batch_execute(ONE_AT_A_TIME).await?;
        let Some(found) = users::one(transaction, self.user).await? else {
            return Ok((UserRemoval::Unknown, CommitProof::Nothing));
        };
        let id = self.user.uuid();
        if found.rank == Rank::Admin && !transaction.query_one(OTHER_ADMINS, &[&id]).await?.try_get::<_, bool>(0)? {
            return Ok((UserRemoval::LastAdmin, CommitProof::Nothing));
        }
        transaction.query(LOCK_ITEMS, &[&id]).await?;
        let space: Option<Uuid> = match transaction.query_opt(LOCK_SPACE, &[&id]).await? {
            Some(row) => Some(row.try_get(0)?),
            None => None,
        };
        let mut removed = 0;
        if let Some(space) = space {
            removed = transaction.query_one(COUNT, &[&space]).await?.try_get::<_, i64>(0)?.cast_unsigned();
            if self.items == RemoveUser::IfEmpty && removed > 0 {
                return Ok((UserRemoval::HasItems(removed), CommitProof::Nothing));
            }
            transaction.execute(MARK_STALE, &[&space]).await?;
            for sql in EMPTY_SPACE {
                transaction.execute(sql, &[&space]).await?;
            }
        }
        for sql in STRIP_USER {
            transaction.execute(sql, &[&id]).await?;
        }
        transaction.execute(BURY, &[&id, &self.at.as_microsecond()]).await?;
        Ok((UserRemoval::Removed(removed), CommitProof::Tombstone(id)))
    }
}
