//! The tables `apps`, `app_versions` and `app_version_files`: apps, and the files of their published versions.
//!
//! Publishing copies contents, and so is each storage's own; so is reading several apps by their ids, for which PostgreSQL
//! takes an array.

use std::sync::Arc;

use interline_items::fields::{AppSlug, CodePath};
use interline_items::{App, AppId, AppVersion, Corruption, PublishedFile, Space, StoreError, content_hash};
use jiff::Timestamp;

use super::users::add_space;
use crate::sql::{RowReader, Sql, Statement, query_first, statement, values};

const INSERT: Statement = statement!(
    "INSERT INTO apps (
         id, slug, name, description, organization, navigation, published_version, created_at, updated_at,
         deleted_at
     ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
);

const UPDATE: Statement = statement!(
    "UPDATE apps SET slug = ?2, name = ?3, description = ?4, navigation = ?5, updated_at = ?6, deleted_at = ?7
     WHERE id = ?1 AND updated_at = ?8 AND NOT is_purging"
);

const NAME_SPACE: Statement = statement!("UPDATE spaces SET name = ?2 WHERE app = ?1");

/// The columns that [`from_row`] reads, of the apps that fulfil what follows. One of which a part is removed is not there.
macro_rules! select_apps {
    () => {
        "SELECT id, slug, name, description, organization, navigation, published_version, created_at, updated_at,
                deleted_at
         FROM apps WHERE NOT is_purging AND "
    };
}
pub(crate) use select_apps;

const ONE: Statement = statement!(select_apps!(), "id = ?1");

const BY_SLUG: Statement = statement!(select_apps!(), "slug = ?1 ORDER BY created_at, id");

const HOLDER_OF_SLUG: Statement = statement!(
    select_apps!(),
    "slug = ?1 AND organization IS NOT DISTINCT FROM ?2 AND id <> ?3 AND deleted_at IS NULL"
);

const DELETED: Statement = statement!(select_apps!(), "deleted_at IS NOT NULL ORDER BY deleted_at DESC, id DESC");

const VERSIONS: Statement =
    statement!("SELECT version, published_at, \"user\", files FROM app_versions WHERE app = ?1 ORDER BY version DESC");

const FILES: Statement = statement!(
    "SELECT path, characters FROM app_version_files WHERE app = ?1 AND version = ?2 ORDER BY path_key, path"
);

const CONTENT: Statement = statement!(
    "SELECT published_contents.hash, published_contents.text
     FROM app_version_files JOIN published_contents ON published_contents.hash = app_version_files.hash
     WHERE app = ?1 AND version = ?2 AND path = ?3"
);

/// Adds an app and its space.
pub(crate) async fn add<S: Sql>(sql: &S, app: &App, space: &Space) -> Result<(), S::Failure> {
    let values = values![
        app.id,
        app.slug.as_str(),
        &app.name,
        &app.description,
        app.organization,
        &app.navigation,
        app.published_version,
        app.created_at,
        app.updated_at,
        app.deleted_at,
    ];
    sql.execute(INSERT, values).await?;
    add_space(sql, space).await
}

/// Changes an app that was last changed at `before`, and the name of its space; whether it was.
pub(crate) async fn update<S: Sql>(sql: &S, app: &App, before: Timestamp) -> Result<bool, S::Failure> {
    let App { id, slug, name, description, navigation, updated_at, deleted_at, .. } = app;
    let values = values![*id, slug.as_str(), name, description, navigation, *updated_at, *deleted_at, before];
    if sql.execute(UPDATE, values).await? == 0 {
        return Ok(false);
    }
    sql.execute(NAME_SPACE, values![*id, name]).await?;
    Ok(true)
}

/// Another app of the same organization, or of none, that has the slug of `app`; none where `app` is deleted, whose slug is
/// free.
pub(crate) async fn holder_of_slug<S: Sql>(sql: &S, app: &App) -> Result<Option<App>, S::Failure> {
    if app.deleted_at.is_some() {
        return Ok(None);
    }
    query_first(sql, HOLDER_OF_SLUG, values![app.slug.as_str(), app.organization, app.id], from_row).await
}

/// One app.
pub(crate) async fn one<S: Sql>(sql: &S, id: AppId) -> Result<Option<App>, S::Failure> {
    query_first(sql, ONE, values![id], from_row).await
}

/// The apps that have a slug, oldest first.
pub(crate) async fn by_slug<S: Sql>(sql: &S, slug: &AppSlug) -> Result<Vec<App>, S::Failure> {
    sql.query(BY_SLUG, values![slug.as_str()], from_row).await
}

/// The deleted apps, the one that was deleted last first.
pub(crate) async fn deleted<S: Sql>(sql: &S) -> Result<Vec<App>, S::Failure> {
    sql.query(DELETED, values![], from_row).await
}

/// The published versions of an app, newest first.
pub(crate) async fn versions<S: Sql>(sql: &S, app: AppId) -> Result<Vec<AppVersion>, S::Failure> {
    let read = |row: &mut RowReader<'_>| {
        Ok(AppVersion { version: row.get()?, published_at: row.get()?, user: row.get()?, files: row.get()? })
    };
    sql.query(VERSIONS, values![app], read).await
}

/// The files of a published version, by their paths.
pub(crate) async fn published_files<S: Sql>(
    sql: &S,
    app: AppId,
    version: u64,
) -> Result<Vec<PublishedFile>, S::Failure> {
    let read =
        |row: &mut RowReader<'_>| Ok(PublishedFile { path: CodePath::from_stored(row.get()?), characters: row.get()? });
    sql.query(FILES, values![app, version], read).await
}

/// The content of a file of a published version.
pub(crate) async fn published_content<S: Sql>(
    sql: &S,
    app: AppId,
    version: u64,
    path: &CodePath,
) -> Result<Option<Arc<str>>, S::Failure> {
    let read = |row: &mut RowReader<'_>| {
        let (hash, text): ([u8; 32], Arc<str>) = (row.get()?, row.get()?);
        if content_hash(&text) == hash { Ok(text) } else { Err(damaged(path)) }
    };
    query_first(sql, CONTENT, values![app, version, path.as_str()], read).await
}

fn damaged(path: &CodePath) -> StoreError {
    let detail = format!("the published file {} does not have its hash", path.as_str());
    StoreError::Corrupt(Corruption { item: None, version: None, detail })
}

/// The app of a row.
pub(crate) fn from_row(row: &mut RowReader<'_>) -> Result<App, StoreError> {
    Ok(App {
        id: row.get()?,
        slug: AppSlug::from_stored(row.get()?),
        name: row.get()?,
        description: row.optional()?,
        organization: row.optional()?,
        navigation: row.optional()?,
        published_version: row.optional()?,
        created_at: row.get()?,
        updated_at: row.get()?,
        deleted_at: row.optional()?,
    })
}
