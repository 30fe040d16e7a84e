//! The reference of writes, *bare*: the same rows in the same tables by plain SQL, one synced commit for each change, and
//! nothing else.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use interline_items::Interline;
use interline_items::fields::Limits;
use interline_storage::SqliteStore;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, params};
use uuid::Uuid;

/// The settings of Interline's own writer. The file has its write-ahead log since Interline made it.
const SETTINGS: &str = "
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16384;
    PRAGMA journal_size_limit = 67108864;";

const INSERT_ITEM: &str = "
    INSERT INTO items (
        id, kind, space, version, revision, created_at, updated_at, title, title_key, tags,
        content_characters, content_bytes, content_lines, content_preview, content_hash
    ) VALUES (?1, 'note', ?2, 1, 0, ?3, ?3, ?4, ?4, ?5, ?6, ?6, ?7, ?8, ?9)";

const INSERT_TAG: &str = "INSERT INTO item_tags (item, tag, space, kind, view) VALUES (?1, ?2, ?3, 'note', 0)";

const INSERT_TEXT: &str = "INSERT INTO contents (item, text) VALUES (?1, ?2)";

const UPDATE_ITEM: &str = "
    UPDATE items
    SET version = ?2, updated_at = ?3, content_characters = ?4, content_bytes = ?4, content_lines = ?5,
        content_preview = ?6, content_hash = ?7, chain_steps = chain_steps + 1
    WHERE number = ?1";

const UPDATE_TEXT: &str = "UPDATE contents SET text = ?2 WHERE item = ?1";

const INSERT_VERSION: &str = "
    INSERT INTO versions (
        item, stamp_version, stamp_revision, version, action, changed_fields, at, source, user, token,
        content_characters, content_bytes, fields, undo_kind, undo
    ) VALUES (?1, ?2, 0, ?2, ?3, '[\"content\"]', ?4, 'rest', ?5, ?5, ?6, ?6, ?7, ?8, ?9)";

const NEXT_EVENT: &str = "UPDATE spaces SET last_event = last_event + 1 WHERE id = ?1 RETURNING last_event";

const INSERT_EVENT: &str = "
    INSERT INTO events (space, number, event, item, kind, version, changed_fields, source, at)
    VALUES (?1, ?2, ?3, ?4, 'note', ?5, '[\"content\"]', 'rest', ?6)";

/// Some time in 2026, in microseconds; later changes are later.
const BEGIN: i64 = 1_780_000_000_000_000;
/// Bytes of a preview.
const PREVIEW: usize = 500;
/// As long as a real hash, and as hard to compress.
const HASH: [u8; 32] = *b"\xd1\x3f\x02\x99\x8ae\x17\xc0\x5c\xe8Q\x81\xb3\x0f\x94\x2b\xea`\x7d\x1b\x16\xac\xf2\x98\x33\xcc\x05\x71\xee\xb9\x4c\x40";

/// A connection to a store that nobody else writes.
pub(crate) struct Bare {
    connection: Connection,
    space: [u8; 16],
    user: [u8; 16],
    changes: i64,
}

/// A note as it is given. Its text is ASCII.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BareNote<'a> {
    pub(crate) title: &'a str,
    pub(crate) tags: &'a [&'a str],
    pub(crate) text: &'a str,
}

/// A note in the store.
#[derive(Clone, Debug)]
pub(crate) struct BareItem {
    number: i64,
    id: [u8; 16],
    version: i64,
}

impl Bare {
    /// A store in the file `path` with Interline's tables and a user, made if there is none.
    pub(crate) fn open(path: &Path) -> Result<Bare, Box<dyn Error>> {
        make(path)?;
        let connection =
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.execute_batch(SETTINGS)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.set_prepared_statement_cache_capacity(32);
        let of_user = "SELECT id, user FROM spaces WHERE user IS NOT NULL";
        let (space, user) = connection.query_row(of_user, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let changes = connection.query_row("SELECT coalesce(max(last_event), 0) FROM spaces", [], |row| row.get(0))?;
        Ok(Bare { connection, space, user, changes })
    }

    /// The connection, for what is not measured.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Adds a note: content, metadata, version and event, in one synced commit.
    pub(crate) fn create(&mut self, note: BareNote<'_>) -> rusqlite::Result<BareItem> {
        self.execute("BEGIN IMMEDIATE")?;
        let item = self.insert(note, HASH)?;
        self.execute("COMMIT")?;
        Ok(item)
    }

    /// Gives a note another text; `undo` is what its record keeps of the old one. One synced commit.
    pub(crate) fn edit(&mut self, item: &mut BareItem, text: &str, undo: &[u8]) -> rusqlite::Result<()> {
        self.execute("BEGIN IMMEDIATE")?;
        let (at, length) = (self.next_time(), text.len() as i64);
        item.version += 1;
        self.statement(UPDATE_ITEM, params![item.number, item.version, at, length, lines(text), preview(text), HASH])?;
        self.statement(UPDATE_TEXT, params![item.number, text])?;
        let no_fields: Option<&str> = None;
        self.statement(
            INSERT_VERSION,
            params![item.number, item.version, "update", at, self.user, length, no_fields, 2, undo],
        )?;
        self.put_event("updated", item.id, item.version, at)?;
        self.execute("COMMIT")
    }

    /// The rows of a new note, in the transaction that is open.
    pub(crate) fn insert(&mut self, note: BareNote<'_>, hash: [u8; 32]) -> rusqlite::Result<BareItem> {
        let (id, at, length) = (Uuid::now_v7().into_bytes(), self.next_time(), note.text.len() as i64);
        let tags = serde_json::to_string(note.tags).unwrap_or_default();
        let (lines, preview) = (lines(note.text), preview(note.text));
        self.statement(INSERT_ITEM, params![id, self.space, at, note.title, tags, length, lines, preview, hash])?;
        let number = self.connection.last_insert_rowid();
        for tag in note.tags {
            self.statement(INSERT_TAG, params![number, tag, self.space])?;
        }
        self.statement(INSERT_TEXT, params![number, note.text])?;
        let fields = format!("{{\"title\":{:?},\"tags\":{tags}}}", note.title);
        let no_undo: &[u8] = &[];
        self.statement(INSERT_VERSION, params![number, 1, "create", at, self.user, length, fields, 1, no_undo])?;
        self.put_event("created", id, 1, at)?;
        Ok(BareItem { number, id, version: 1 })
    }

    fn put_event(&self, event: &str, item: [u8; 16], version: i64, at: i64) -> rusqlite::Result<()> {
        let mut next = self.connection.prepare_cached(NEXT_EVENT)?;
        let number: i64 = next.query_row([self.space], |row| row.get(0))?;
        self.statement(INSERT_EVENT, params![self.space, number, event, item, version, at])
    }

    fn next_time(&mut self) -> i64 {
        self.changes += 1;
        BEGIN + self.changes
    }

    fn statement(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute(values).map(|_| ())
    }

    fn execute(&self, sql: &str) -> rusqlite::Result<()> {
        self.statement(sql, &[])
    }
}

/// Interline's tables, and a user with a space.
fn make(path: &Path) -> Result<(), Box<dyn Error>> {
    let interline = Interline::new(Arc::new(SqliteStore::open(path)?), Limits::default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(interline.first_start("bench")).map_err(|error| format!("{error:?}"))?;
    Ok(())
}

fn preview(text: &str) -> &str {
    &text[..text.len().min(PREVIEW)]
}

fn lines(text: &str) -> i64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as i64 + 1
}

/// The bytes of a store's file that are in use, the log written back.
pub(crate) fn used_bytes(path: &Path) -> Result<f64, Box<dyn Error>> {
    let connection = Connection::open(path)?;
    connection.query_row("PRAGMA wal_checkpoint(FULL)", [], |_| Ok(()))?;
    let number = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, f64>(0));
    Ok((number("page_count")? - number("freelist_count")?) * number("page_size")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_those_of_interlines_writer() {
        let source = include_str!("../../../crates/storage/src/sqlite/connection.rs");
        let writer = source.split_once("const WRITER: &str = \"").and_then(|(_, rest)| rest.split_once('"'));
        assert_eq!(writer.map(|(settings, _)| settings), Some(SETTINGS));
    }

    #[test]
    fn the_file_has_a_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let bare = Bare::open(&folder.path().join("bare.db")).expect("a store");
        let mode = bare.connection().query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
        assert_eq!(mode.as_deref(), Ok("wal"));
    }
}
