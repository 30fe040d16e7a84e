//! Apps and what was published of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use interline_items::fields::{AppSlug, CodePath};
use interline_items::{App, AppId, AppVersion, OrganizationId, PublishedFile, Space, StoreError, UserId};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::commit::{self, WholeCopies};
use super::failure::Failure;
use super::group::Group;
use super::prepared::PreparedBatch;
use super::rows::Columns;
use super::sql::poll_once;
use crate::tables::users::add_space;

const INSERT: &str = "
    INSERT INTO apps (id, slug, name, description, organization, navigation, published_version, created_at, updated_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

const UPDATE: &str = "
    UPDATE apps SET slug = ?2, name = ?3, description = ?4, navigation = ?5, updated_at = ?6
    WHERE id = ?1 AND updated_at = ?7";

const NAME_SPACE: &str = "UPDATE spaces SET name = ?2 WHERE app = ?1";

macro_rules! app_columns {
    () => {
        "SELECT id, slug, name, description, organization, navigation, published_version, created_at, updated_at
         FROM apps "
    };
}

const ONE: &str = concat!(app_columns!(), "WHERE id = ?1");

const BY_SLUG: &str = concat!(app_columns!(), "WHERE slug = ?1 ORDER BY created_at, id");

const HOLDER: &str = concat!(app_columns!(), "WHERE slug = ?1 AND organization IS ?2 AND id <> ?3");

macro_rules! draft {
    () => {
        " FROM spaces JOIN items ON items.space = spaces.id JOIN contents ON contents.item = items.number
          WHERE spaces.app = ?1 AND items.kind = 'app_file' AND items.path IS NOT NULL AND items.deleted_at IS NULL"
    };
}

const FILES: &str = concat!("SELECT count(*)", draft!());

const KEEP_CONTENTS: &str = concat!(
    "INSERT INTO published_contents (hash, text) SELECT items.content_hash, contents.text",
    draft!(),
    // What is there is not read again: others wait meanwhile.
    " AND NOT EXISTS (SELECT 1 FROM published_contents WHERE hash = items.content_hash) ON CONFLICT (hash) DO NOTHING"
);

const ADD_VERSION: &str = "
    INSERT INTO app_versions (app, version, published_at, user, files) VALUES (?1, ?2, ?3, ?4, ?5)";

const ADD_FILES: &str = concat!(
    "INSERT INTO app_version_files (app, version, path, path_key, hash, characters)
     SELECT ?1, ?2, items.path, items.path_key, items.content_hash, items.content_characters",
    draft!()
);

const POINT_TO: &str = "UPDATE apps SET published_version = ?2 WHERE id = ?1";

const VERSIONS: &str = "
    SELECT version, published_at, user, files FROM app_versions WHERE app = ?1 ORDER BY version DESC";

const VERSION_FILES: &str = "
    SELECT path, characters FROM app_version_files WHERE app = ?1 AND version = ?2 ORDER BY path_key, path";

const CONTENT: &str = "
    SELECT published_contents.text
    FROM app_version_files JOIN published_contents ON published_contents.hash = app_version_files.hash
    WHERE app = ?1 AND version = ?2 AND path = ?3";

/// Makes an app, its space and its first files.
pub(super) fn create(group: &mut Group<'_>, app: &App, space: &Space, files: &PreparedBatch) -> Result<(), Failure> {
    let connection = group.connection();
    let inserted = connection.prepare_cached(INSERT)?.execute(params![
        app.id.uuid().into_bytes(),
        app.slug.as_str(),
        app.name,
        app.description,
        app.organization.map(|organization| organization.uuid().into_bytes()),
        app.navigation,
        app.published_version.map(u64::cast_signed),
        app.created_at.as_microsecond(),
        app.updated_at.as_microsecond(),
    ]);
    inserted.map_err(|error| explain(connection, app, error.into()))?;
    poll_once(add_space(connection, space))?;
    commit::carry_out(group, files, WholeCopies::Here)
}

/// Changes an app that was last changed at `before`; whether it was.
pub(super) fn update(connection: &Connection, app: &App, before: Timestamp) -> Result<bool, Failure> {
    let id = app.id.uuid().into_bytes();
    let updated = connection.prepare_cached(UPDATE)?.execute(params![
        id,
        app.slug.as_str(),
        app.name,
        app.description,
        app.navigation,
        app.updated_at.as_microsecond(),
        before.as_microsecond(),
    ]);
    if updated.map_err(|error| explain(connection, app, error.into()))? == 0 {
        return Ok(false);
    }
    connection.prepare_cached(NAME_SPACE)?.execute(params![id, app.name])?;
    Ok(true)
}

/// What it means that the row of an app was refused.
fn explain(connection: &Connection, wanted: &App, failure: Failure) -> Failure {
    if !failure.is_duplicate() {
        return failure;
    }
    let organization = wanted.organization.map(|organization| organization.uuid().into_bytes());
    let keys = params![wanted.slug.as_str(), organization, wanted.id.uuid().into_bytes()];
    match first(connection, HOLDER, keys) {
        Ok(Some(holder)) => StoreError::SlugTaken(Box::new(holder)).into(),
        Ok(None) => failure,
        Err(other) => other,
    }
}

/// Those of the apps that are there, oldest first.
pub(super) fn apps(connection: &Connection, ids: &BTreeSet<AppId>) -> Result<Vec<App>, Failure> {
    let mut apps = Vec::new();
    for id in ids {
        apps.extend(first(connection, ONE, [id.uuid().into_bytes()])?);
    }
    apps.sort_by_key(|app| (app.created_at, app.id));
    Ok(apps)
}

/// The apps that have a slug.
pub(super) fn by_slug(connection: &Connection, slug: &AppSlug) -> Result<Vec<App>, Failure> {
    connection.prepare_cached(BY_SLUG)?.query_and_then([slug.as_str()], app_of)?.collect()
}

/// Publishes the files of an app; `None` if there are none.
pub(super) fn publish(
    group: &mut Group<'_>,
    app: AppId,
    user: UserId,
    at: Timestamp,
) -> Result<Option<AppVersion>, Failure> {
    // All of them are in the table then, to be copied from there.
    group.write_contents()?;
    let (connection, id) = (group.connection(), app.uuid().into_bytes());
    let files: i64 = connection.prepare_cached(FILES)?.query_row([id], |row| row.get(0))?;
    let Some(before) = first(connection, ONE, [id])?.filter(|_| files > 0) else { return Ok(None) };
    let version = before.published_version.unwrap_or(0) + 1;
    let number = version.cast_signed();
    connection.prepare_cached(KEEP_CONTENTS)?.execute([id])?;
    let by = user.uuid().into_bytes();
    connection.prepare_cached(ADD_VERSION)?.execute(params![id, number, at.as_microsecond(), by, files])?;
    connection.prepare_cached(ADD_FILES)?.execute(params![id, number])?;
    connection.prepare_cached(POINT_TO)?.execute(params![id, number])?;
    Ok(Some(AppVersion { version, published_at: at, user, files: files.cast_unsigned() }))
}

/// The published versions of an app, newest first.
pub(super) fn versions(connection: &Connection, app: AppId) -> Result<Vec<AppVersion>, Failure> {
    let version_of = |row: &Row<'_>| {
        let mut columns = Columns::of(row);
        Ok(AppVersion {
            version: columns.count()?,
            published_at: columns.time()?,
            user: UserId::from_uuid(columns.uuid()?),
            files: columns.count()?,
        })
    };
    connection.prepare_cached(VERSIONS)?.query_and_then([app.uuid().into_bytes()], version_of)?.collect()
}

/// The files of a published version.
pub(super) fn version_files(connection: &Connection, app: AppId, version: u64) -> Result<Vec<PublishedFile>, Failure> {
    let file_of = |row: &Row<'_>| {
        let mut columns = Columns::of(row);
        Ok(PublishedFile { path: CodePath::from_stored(columns.next()?), characters: columns.count()? })
    };
    let keys = params![app.uuid().into_bytes(), version.cast_signed()];
    connection.prepare_cached(VERSION_FILES)?.query_and_then(keys, file_of)?.collect()
}

/// The content of a published file.
pub(super) fn content(
    connection: &Connection,
    app: AppId,
    version: u64,
    path: &CodePath,
) -> Result<Option<Arc<str>>, Failure> {
    let keys = params![app.uuid().into_bytes(), version.cast_signed(), path.as_str()];
    Ok(connection.prepare_cached(CONTENT)?.query_row(keys, |row| row.get(0)).optional()?)
}

fn first(connection: &Connection, sql: &str, keys: impl rusqlite::Params) -> Result<Option<App>, Failure> {
    connection.prepare_cached(sql)?.query_and_then(keys, app_of)?.next().transpose()
}

fn app_of(row: &Row<'_>) -> Result<App, Failure> {
    let mut columns = Columns::of(row);
    Ok(App {
        id: AppId::from_uuid(columns.uuid()?),
        slug: AppSlug::from_stored(columns.next()?),
        name: columns.next()?,
        description: columns.next()?,
        organization: columns.optional_uuid()?.map(OrganizationId::from_uuid),
        navigation: columns.next()?,
        published_version: columns.next::<Option<i64>>()?.map(i64::cast_unsigned),
        created_at: columns.time()?,
        updated_at: columns.time()?,
    })
}
