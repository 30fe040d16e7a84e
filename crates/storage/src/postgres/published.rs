//! Published versions of apps.

use std::sync::Arc;

use async_trait::async_trait;
use deadpool_postgres::{Client, Transaction};
use interline_items::fields::CodePath;
use interline_items::{AppId, AppVersion, PublishedFile, UserId};
use jiff::Timestamp;
use tokio_postgres::Row;

use super::failure::Failure;
use super::rows::{count, maybe_count, stored, time};
use super::work::{CommitProof, RetryableTransaction};

/// Until the commit: versions of an app are published one after the other.
const LOCK: &str = "SELECT published_version FROM apps WHERE id = $1 FOR UPDATE";

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

const POINT_TO: &str = "UPDATE apps SET published_version = $2 WHERE id = $1";

const VERSIONS: &str = "
    SELECT version, published_at, \"user\", files FROM app_versions WHERE app = $1 ORDER BY version DESC";

const FILES: &str = "
    SELECT path, characters FROM app_version_files WHERE app = $1 AND version = $2 ORDER BY path_key, path";

const CONTENT: &str = "
    SELECT published_contents.text
    FROM app_version_files JOIN published_contents USING (hash)
    WHERE app = $1 AND version = $2 AND path = $3";

/// The files of an app as its next version; `None` if there are none.
pub(super) struct Publish {
    pub(super) app: AppId,
    pub(super) user: UserId,
    pub(super) at: Timestamp,
}

#[async_trait]
impl RetryableTransaction for Publish {
    type Outcome = Option<AppVersion>;

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<(Option<AppVersion>, CommitProof), Failure> {
        let Publish { app, user, at } = self;
        let id = app.uuid();
        let lock = transaction.prepare_cached(LOCK).await?;
        let Some(row) = transaction.query_opt(&lock, &[&id]).await? else { return Ok((None, CommitProof::Nothing)) };
        let version = maybe_count(&row, "published_version")?.unwrap_or(0) + 1;
        let (number, published_at) = (stored(version)?, at.as_microsecond());
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

pub(super) async fn versions(client: &Client, app: AppId) -> Result<Vec<AppVersion>, Failure> {
    let version_of = |row: &Row| {
        Ok(AppVersion {
            version: count(row, "version")?,
            published_at: time(row, "published_at")?,
            user: UserId::from_uuid(row.try_get("user")?),
            files: count(row, "files")?,
        })
    };
    let statement = client.prepare_cached(VERSIONS).await?;
    client.query(&statement, &[&app.uuid()]).await?.iter().map(version_of).collect()
}

pub(super) async fn files(client: &Client, app: AppId, version: u64) -> Result<Vec<PublishedFile>, Failure> {
    let file_of = |row: &Row| {
        Ok(PublishedFile { path: CodePath::from_stored(row.try_get("path")?), characters: count(row, "characters")? })
    };
    // A number that is too large to be stored is none of a version.
    let Ok(number) = i64::try_from(version) else { return Ok(Vec::new()) };
    let statement = client.prepare_cached(FILES).await?;
    client.query(&statement, &[&app.uuid(), &number]).await?.iter().map(file_of).collect()
}

pub(super) async fn content(
    client: &Client,
    app: AppId,
    version: u64,
    path: &CodePath,
) -> Result<Option<Arc<str>>, Failure> {
    let Ok(number) = i64::try_from(version) else { return Ok(None) };
    let statement = client.prepare_cached(CONTENT).await?;
    let found = client.query_opt(&statement, &[&app.uuid(), &number, &path.as_str()]).await?;
    Ok(found.map(|row| row.try_get::<_, &str>(0).map(Arc::from)).transpose()?)
}
