//! Writing the rows of an item: its metadata, tags and content.

use interline_items::fields::{CodePath, Description, FrontMatter, PromptName, Title, Url};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use crate::codec::undo::UndoChain;
use crate::sqlite::failure::Failure;
use crate::sqlite::write::encoded_write::EncodedWrite;

const INSERT: &str = "
    INSERT INTO items (
        id, kind, space, version, revision, created_at, updated_at, last_used_at, archived_at, deleted_at,
        title, title_key, description, tags, url, name, arguments,
        content_characters, content_bytes, content_lines, content_preview, content_hash, functions, path, path_key,
        front_matter
    ) VALUES (
        ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25,
        ?26
    )";

// Several statements: SQLite rewrites the entries of every index that a statement could change, even where no value does.
// `last_used_at` is in none: a use is no change of an item, so a change may not know of it.
const UPDATE_STATE: &str = "
    UPDATE items
    SET version = ?2, revision = ?3, updated_at = ?4, content_characters = ?5, content_bytes = ?6, content_lines = ?7,
        content_preview = ?8, content_hash = ?9, chain_bytes = ?10, chain_steps = ?11, functions = ?12
    WHERE number = ?1";

const UPDATE_FIELDS: &str = "
    UPDATE items
    SET title = ?2, title_key = ?3, description = ?4, url = ?5, name = ?6, arguments = ?7, path = ?8, path_key = ?9,
        front_matter = ?10
    WHERE number = ?1";

const UPDATE_LIFE: &str = "UPDATE items SET archived_at = ?2, deleted_at = ?3 WHERE number = ?1";

const UPDATE_TAGS: &str = "UPDATE items SET tags = ?2 WHERE number = ?1";

const REMOVE_TAGS: &str = "DELETE FROM item_tags WHERE item = ?1";

const INSERT_TAG: &str = "
    INSERT INTO item_tags (item, tag, space, kind, view) SELECT number, ?2, space, kind, view FROM items WHERE number = ?1";

const UPDATE_TEXT: &str = "UPDATE contents SET text = ?2 WHERE item = ?1";

const INSERT_TEXT: &str = "INSERT INTO contents (item, text) VALUES (?1, ?2)";

const REMOVE_TEXT: &str = "DELETE FROM contents WHERE item = ?1";

/// Which columns of an item a change writes anew.
#[derive(Clone, Copy)]
pub(crate) struct Differs {
    /// Title, description, url, name, arguments, path or front matter.
    pub(crate) fields: bool,
    /// The tags.
    pub(crate) tags: bool,
    /// Whether it is archived or deleted.
    pub(crate) life: bool,
}

/// Adds an item without its content. Returns its number.
pub(crate) fn insert(connection: &Connection, encoded: &EncodedWrite) -> Result<i64, Failure> {
    let item = &encoded.write.after;
    let content = item.content.as_ref();
    connection.prepare_cached(INSERT)?.execute(params![
        item.id.uuid().into_bytes(),
        item.kind.name(),
        item.space.uuid().into_bytes(),
        item.stamp.version.cast_signed(),
        item.stamp.revision.cast_signed(),
        item.created_at.as_microsecond(),
        item.updated_at.as_microsecond(),
        item.last_used_at.map(Timestamp::as_microsecond),
        item.archived_at.map(Timestamp::as_microsecond),
        item.deleted_at.map(Timestamp::as_microsecond),
        item.fields.title.as_ref().map(Title::as_str),
        encoded.title_key,
        item.fields.description.as_ref().map(Description::as_str),
        encoded.tags,
        item.fields.url.as_ref().map(Url::as_str),
        item.fields.name.as_ref().map(PromptName::as_str),
        encoded.arguments,
        content.map(|content| content.characters.cast_signed()),
        content.map(|content| content.bytes.cast_signed()),
        content.map(|content| content.lines.cast_signed()),
        content.map(|content| content.preview.as_str()),
        content.map(|content| content.hash),
        encoded.functions,
        item.fields.path.as_ref().map(CodePath::as_str),
        encoded.path_key,
        item.fields.front_matter.as_ref().map(FrontMatter::as_str),
    ])?;
    let number = connection.last_insert_rowid();
    put_tags(connection, number, encoded)?;
    Ok(number)
}

/// Brings the rows of an item, without its content, to the state after a change.
pub(crate) fn update(
    connection: &Connection,
    number: i64,
    encoded: &EncodedWrite,
    differs: Differs,
    chain: UndoChain,
) -> Result<(), Failure> {
    update_state(connection, number, encoded, chain)?;
    let item = &encoded.write.after;
    if differs.fields {
        connection.prepare_cached(UPDATE_FIELDS)?.execute(params![
            number,
            item.fields.title.as_ref().map(Title::as_str),
            encoded.title_key,
            item.fields.description.as_ref().map(Description::as_str),
            item.fields.url.as_ref().map(Url::as_str),
            item.fields.name.as_ref().map(PromptName::as_str),
            encoded.arguments,
            item.fields.path.as_ref().map(CodePath::as_str),
            encoded.path_key,
            item.fields.front_matter.as_ref().map(FrontMatter::as_str),
        ])?;
    }
    if differs.life {
        connection.prepare_cached(UPDATE_LIFE)?.execute(params![
            number,
            item.archived_at.map(Timestamp::as_microsecond),
            item.deleted_at.map(Timestamp::as_microsecond),
        ])?;
    }
    if differs.tags {
        connection.prepare_cached(UPDATE_TAGS)?.execute(params![number, encoded.tags])?;
        connection.prepare_cached(REMOVE_TAGS)?.execute([number])?;
        put_tags(connection, number, encoded)?;
    }
    Ok(())
}

fn update_state(connection: &Connection, number: i64, encoded: &EncodedWrite, chain: UndoChain) -> Result<(), Failure> {
    let item = &encoded.write.after;
    let content = item.content.as_ref();
    connection.prepare_cached(UPDATE_STATE)?.execute(params![
        number,
        item.stamp.version.cast_signed(),
        item.stamp.revision.cast_signed(),
        item.updated_at.as_microsecond(),
        content.map(|content| content.characters.cast_signed()),
        content.map(|content| content.bytes.cast_signed()),
        content.map(|content| content.lines.cast_signed()),
        content.map(|content| content.preview.as_str()),
        content.map(|content| content.hash),
        chain.bytes.cast_signed(),
        chain.steps,
        encoded.functions,
    ])?;
    Ok(())
}

fn put_tags(connection: &Connection, number: i64, encoded: &EncodedWrite) -> Result<(), Failure> {
    for tag in encoded.write.after.fields.tags.as_slice() {
        connection.prepare_cached(INSERT_TAG)?.execute(params![number, tag.as_str()])?;
    }
    Ok(())
}

/// Sets the content of an item, or removes it.
pub(crate) fn put_text(connection: &Connection, number: i64, text: Option<&str>) -> rusqlite::Result<()> {
    let Some(text) = text else {
        connection.prepare_cached(REMOVE_TEXT)?.execute([number])?;
        return Ok(());
    };
    // Not an upsert, which copies the text once more to find that it is there.
    if connection.prepare_cached(UPDATE_TEXT)?.execute(params![number, text])? == 0 {
        connection.prepare_cached(INSERT_TEXT)?.execute(params![number, text])?;
    }
    Ok(())
}
