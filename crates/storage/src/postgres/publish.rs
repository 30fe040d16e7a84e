//! Publishing an app: its files become its next version.

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use interline_items::{AppId, AppVersion, ItemId, UserId};
use jiff::Timestamp;
use uuid::Uuid;

use super::failure::Failure;
use super::rows::{count, maybe_count, stored};
use super::write::transaction_retry::{CommitProof, RetryableTransaction, run_blocking};
use crate::integrity::check_hash;

/// Locks the app until the commit: its versions are published one after the other.
const LOCK: &str = "SELECT published_version FROM apps WHERE id = $1 AND deleted_at IS NULL FOR UPDATE";

/// One statement, so that the contents, the list of files and their number are of one moment. References are checked at
/// its end.
const PUBLISH: &str = "
    WITH draft AS MATERIALIZED (
        SELECT items.path, items.path_key, items.content_hash, items.content_characters, contents.text
        FROM spaces JOIN items ON items.space = spaces.id JOIN contents ON contents.item = items.id
        WHERE spaces.app = $1 AND items.kind = 'app_file' AND items.path IS NOT NULL AND items.deleted_at IS NULL
    ), kept AS (
        INSERT INTO published_contents (hash, text)
        SELECT DISTINCT ON (content_hash) content_hash, text FROM draft ORDER BY content_hash
        ON CONFLICT (hash) DO NOTHING
    ), added AS (
        INSERT INTO app_versions (app, version, published_at, \"user\", files)
        SELECT $1, $2, $3, $4, count(*) FROM draft HAVING count(*) > 0
        RETURNING files
    ), listed AS (
        INSERT INTO app_version_files (app, version, path, path_key, hash, characters)
        SELECT $1, $2, path, path_key, content_hash, content_characters FROM draft
    )
    SELECT files FROM added";

/// The contents that are about to be copied.
const NEW_CONTENTS: &str = "
    SELECT items.id, items.content_hash, contents.text
    FROM spaces JOIN items ON items.space = spaces.id JOIN contents ON contents.item = items.id
    WHERE spaces.app = $1 AND items.kind = 'app_file' AND items.path IS NOT NULL AND items.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM published_contents WHERE hash = items.content_hash)
      AND items.id > $2
    ORDER BY items.id LIMIT 16";

const POINT_TO: &str = "UPDATE apps SET published_version = $2 WHERE id = $1";

/// Publishes the files of an app as its next version; `None` if it has no files.
pub(super) struct Publish {
    pub(super) app: AppId,
    pub(super) user: UserId,
    pub(super) at: Timestamp,
}

#[async_trait]
impl RetryableTransaction for Publish {
    type Outcome = Option<AppVersion>;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<(Option<AppVersion>, CommitProof), Failure> {
        let Publish { app, user, at } = self;
        let id = app.uuid();
        let lock = transaction.prepare_cached(LOCK).await?;
        let Some(row) = transaction.query_opt(&lock, &[&id]).await? else { return Ok((None, CommitProof::Nothing)) };
        let version = maybe_count(&row, "published_version")?.unwrap_or(0) + 1;
        let (number, published_at) = (stored(version)?, at.as_microsecond());
        check_new_contents(transaction, id).await?;
        let publish = transaction.prepare_cached(PUBLISH).await?;
        let Some(row) = transaction.query_opt(&publish, &[&id, &number, &published_at, &user.uuid()]).await? else {
            return Ok((None, CommitProof::Nothing));
        };
        let files = count(&row, "files")?;
        transaction.execute(POINT_TO, &[&id, &number]).await?;
        let published = AppVersion { version, published_at: *at, user: *user, files };
        Ok((Some(published), CommitProof::Published { app: id, version: number, at: published_at }))
    }
}

/// [`StoreError::Corrupt`](interline_items::StoreError::Corrupt) if a content that is about to be copied is not what was
/// written. A few at a time, so that they fit into memory.
async fn check_new_contents(transaction: &Transaction<'_>, app: Uuid) -> Result<(), Failure> {
    let statement = transaction.prepare_cached(NEW_CONTENTS).await?;
    let mut last = Uuid::nil();
    loop {
        let found = transaction.query(&statement, &[&app, &last]).await?;
        let Some(row) = found.last() else { return Ok(()) };
        last = row.try_get("id")?;
        run_blocking(move || {
            for row in &found {
                let (hash, text): (&[u8], &str) = (row.try_get("content_hash")?, row.try_get("text")?);
                check_hash(ItemId::from_uuid(row.try_get("id")?), hash, text)?;
            }
            Ok::<_, Failure>(())
        })
        .await??;
    }
}
