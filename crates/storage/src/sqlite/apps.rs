//! Creating, changing, reading and publishing apps in SQLite; the plain statements are in [`tables::apps`](apps).

use std::collections::BTreeSet;

use interline_items::{App, AppId, AppVersion, ItemId, Space, StoreError, UserId};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::failure::Failure;
use super::rows::Columns;
use super::sql::poll_once;
use super::write::commit::{self, WholeCopies};
use super::write::encoded_write::EncodedBatch;
use super::write::group_commit::CommitGroup;
use crate::integrity::{Damage, check_hash};
use crate::tables::apps;

/// The files of an app (?1) as they are now.
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
    // A content that was published before is not read again: other writes wait meanwhile.
    " AND NOT EXISTS (SELECT 1 FROM published_contents WHERE hash = items.content_hash) ON CONFLICT (hash) DO NOTHING"
);

/// What `KEEP_CONTENTS` copies.
const NEW_CONTENTS: &str = concat!(
    "SELECT items.id, items.content_hash, contents.text",
    draft!(),
    " AND NOT EXISTS (SELECT 1 FROM published_contents WHERE hash = items.content_hash)"
);

const ADD_VERSION: &str = "
    INSERT INTO app_versions (app, version, published_at, user, files) VALUES (?1, ?2, ?3, ?4, ?5)";

const ADD_FILES: &str = concat!(
    "INSERT INTO app_version_files (app, version, path, path_key, hash, characters)
     SELECT ?1, ?2, items.path, items.path_key, items.content_hash, items.content_characters",
    draft!()
);

const POINT_TO: &str = "UPDATE apps SET published_version = ?2 WHERE id = ?1";

/// Makes an app, its space and its first files.
pub(super) fn create(
    group: &mut CommitGroup<'_>,
    app: &App,
    space: &Space,
    files: &EncodedBatch,
) -> Result<(), Failure> {
    let connection = group.connection();
    poll_once(apps::add(connection, app, space)).map_err(|failure| explain(connection, app, failure))?;
    commit::write_batch(group, files, WholeCopies::Here)
}

/// Changes an app that was last changed at `before`; whether it was.
pub(super) fn update(connection: &Connection, app: &App, before: Timestamp) -> Result<bool, Failure> {
    poll_once(apps::update(connection, app, before)).map_err(|failure| explain(connection, app, failure))
}

/// The answer to a client whose app's row was refused: which app has its slug.
fn explain(connection: &Connection, app: &App, failure: Failure) -> Failure {
    if !failure.is_duplicate() {
        return failure;
    }
    match poll_once(apps::holder_of_slug(connection, app)) {
        Ok(Some(holder)) => StoreError::SlugTaken(Box::new(holder)).into(),
        Ok(None) => failure,
        Err(other) => other,
    }
}

/// Those of the apps that are there, oldest first.
pub(super) fn by_ids(connection: &Connection, ids: &BTreeSet<AppId>) -> Result<Vec<App>, Failure> {
    let mut found = Vec::new();
    for id in ids {
        found.extend(poll_once(apps::one(connection, *id))?);
    }
    found.sort_by_key(|app| (app.created_at, app.id));
    Ok(found)
}

/// Publishes the files of an app as its next version; `None` if it has no files.
pub(super) fn publish(
    group: &mut CommitGroup<'_>,
    app: AppId,
    user: UserId,
    at: Timestamp,
) -> Result<Option<AppVersion>, Failure> {
    // The group's contents are in the table then, to be copied from there.
    group.write_contents()?;
    let (connection, id) = (group.connection(), app.uuid().into_bytes());
    let files: i64 = connection.prepare_cached(FILES)?.query_row([id], |row| row.get(0))?;
    let Some(before) = poll_once(apps::one(connection, app))?.filter(|app| app.deleted_at.is_none() && files > 0)
    else {
        return Ok(None);
    };
    let version = before.published_version.unwrap_or(0) + 1;
    let number = version.cast_signed();
    check_new_contents(connection, id)?;
    connection.prepare_cached(KEEP_CONTENTS)?.execute([id])?;
    let by = user.uuid().into_bytes();
    connection.prepare_cached(ADD_VERSION)?.execute(params![id, number, at.as_microsecond(), by, files])?;
    connection.prepare_cached(ADD_FILES)?.execute(params![id, number])?;
    connection.prepare_cached(POINT_TO)?.execute(params![id, number])?;
    Ok(Some(AppVersion { version, published_at: at, user, files: files.cast_unsigned() }))
}

/// [`StoreError::Corrupt`] if a content that is about to be copied is not what was written.
fn check_new_contents(connection: &Connection, app: [u8; 16]) -> Result<(), Failure> {
    let mut statement = connection.prepare_cached(NEW_CONTENTS)?;
    let mut found = statement.query([app])?;
    while let Some(row) = found.next()? {
        let mut columns = Columns::from_row(row);
        let id = ItemId::from_uuid(columns.uuid()?);
        let hash: [u8; 32] = columns.next().map_err(|failure| failure.of_item(id))?;
        check_hash(id, &hash, columns.text().map_err(|failure| failure.of_item(id))?)?;
    }
    Ok(())
}
