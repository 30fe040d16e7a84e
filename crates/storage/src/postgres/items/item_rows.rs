//! Writing the rows of an item: its metadata, tags and content.

use deadpool_postgres::Transaction;
use interline_items::fields::{CodePath, Description, FrontMatter, PromptName, Tag, Title, Url, sort_key};
use interline_items::{ContentWrite, Item, ItemWrite};
use tokio_postgres::types::ToSql;

use crate::codec::undo::UndoChain;
use crate::codec::{functions, json};
use crate::postgres::failure::Failure;
use crate::postgres::rows::{micros, stored};
use crate::postgres::write::commit::LockedItem;

/// The columns of an item that every change writes, in the order of the parameters.
macro_rules! columns {
    () => {
        "id, space, kind, title, title_key, description, tags, url, name, arguments,
         content_characters, content_bytes, content_lines, content_preview, content_hash,
         version, revision, created_at, updated_at, archived_at, deleted_at, chain_bytes, chain_steps,
         path, path_key, functions, front_matter"
    };
}

macro_rules! values {
    () => {
        "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
         $24, $25, $26, $27"
    };
}

const INSERT: &str = concat!("INSERT INTO items (", columns!(), ", last_used_at) VALUES (", values!(), ", $28)");

/// Without `last_used_at`: a use is no change of an item, so a change may not know of it.
const UPDATE: &str = concat!("UPDATE items SET (", columns!(), ") = (", values!(), ") WHERE id = $1");

const DROP_TAGS: &str = "DELETE FROM item_tags WHERE item = $1";
const ADD_TAGS: &str = "INSERT INTO item_tags (item, tag) SELECT $1, unnest($2::text[])";

const PUT_CONTENT: &str = "
    INSERT INTO contents (item, text) VALUES ($1, $2)
    ON CONFLICT (item) DO UPDATE SET text = excluded.text";
const DROP_CONTENT: &str = "DELETE FROM contents WHERE item = $1";

/// Writes the metadata.
pub(crate) async fn put(
    transaction: &Transaction<'_>,
    item: &Item,
    before: Option<&LockedItem>,
    chain: UndoChain,
) -> Result<(), Failure> {
    let fields = &item.fields;
    let content = item.content.as_ref();
    let parameters: [&(dyn ToSql + Sync); 28] = [
        &item.id.uuid(),
        &item.space.uuid(),
        &item.kind.name(),
        &fields.title.as_ref().map(Title::as_str),
        &fields.title_key(),
        &fields.description.as_ref().map(Description::as_str),
        &json::encode_tags(&fields.tags),
        &fields.url.as_ref().map(Url::as_str),
        &fields.name.as_ref().map(PromptName::as_str),
        &fields.arguments.as_ref().map(json::encode_arguments),
        &content.map(|content| stored(content.characters)).transpose()?,
        &content.map(|content| stored(content.bytes)).transpose()?,
        &content.map(|content| stored(content.lines)).transpose()?,
        &content.map(|content| content.preview.as_str()),
        &content.map(|content| content.hash.as_slice()),
        &stored(item.stamp.version)?,
        &stored(item.stamp.revision)?,
        &item.created_at.as_microsecond(),
        &item.updated_at.as_microsecond(),
        &micros(item.archived_at),
        &micros(item.deleted_at),
        &stored(chain.bytes)?,
        &i64::from(chain.steps),
        &fields.path.as_ref().map(CodePath::as_str),
        &fields.path.as_ref().map(|path| sort_key(path.as_str())),
        &item.functions.as_deref().map(functions::encode),
        &fields.front_matter.as_ref().map(FrontMatter::as_str),
        &micros(item.last_used_at),
    ];
    let (sql, parameters) = match before {
        None => (INSERT, &parameters[..]),
        Some(_) => (UPDATE, &parameters[..27]),
    };
    let statement = transaction.prepare_cached(sql).await?;
    transaction.execute(&statement, parameters).await?;
    Ok(())
}

/// Writes the tags, where they differ from those before.
pub(crate) async fn put_tags(
    transaction: &Transaction<'_>,
    item: &Item,
    before: Option<&LockedItem>,
) -> Result<(), Failure> {
    let tags: Vec<&str> = item.fields.tags.as_slice().iter().map(Tag::as_str).collect();
    match before {
        Some(locked) if locked.fields.tags == item.fields.tags => return Ok(()),
        Some(_) => {
            let drop = transaction.prepare_cached(DROP_TAGS).await?;
            transaction.execute(&drop, &[&item.id.uuid()]).await?;
        }
        None => {}
    }
    if !tags.is_empty() {
        let add = transaction.prepare_cached(ADD_TAGS).await?;
        transaction.execute(&add, &[&item.id.uuid(), &tags]).await?;
    }
    Ok(())
}

/// Writes the content, where it changes.
pub(crate) async fn put_content(transaction: &Transaction<'_>, write: &ItemWrite) -> Result<(), Failure> {
    let id = write.after.id.uuid();
    let new = match &write.content {
        ContentWrite::Keep => return Ok(()),
        ContentWrite::Edit { new, .. } => Some(new),
        ContentWrite::Set { new, .. } | ContentWrite::Repair { new } => new.as_ref(),
    };
    match new {
        Some(text) => {
            let put = transaction.prepare_cached(PUT_CONTENT).await?;
            transaction.execute(&put, &[&id, &&**text]).await?;
        }
        None => {
            let drop = transaction.prepare_cached(DROP_CONTENT).await?;
            transaction.execute(&drop, &[&id]).await?;
        }
    }
    Ok(())
}
