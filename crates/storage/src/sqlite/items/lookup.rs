//! Look-ups of items by id, name, path, tag and time of deletion; the time of an item's last use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use interline_items::fields::{CodePath, PromptName, Tag};
use interline_items::{Item, ItemId, ItemState, Kind, Snapshot, SpaceId, Stamp};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::codec::names;
use crate::sqlite::failure::Failure;
use crate::sqlite::rows::{self, item_columns, select_snapshot};

const ITEM: &str = concat!("SELECT ", item_columns!(), " FROM items WHERE id = ?1");

// One statement, so that item and content are of one snapshot.
const SNAPSHOT: &str = concat!(select_snapshot!(), " WHERE items.id = ?1");

const NUMBERED_ITEM: &str = concat!("SELECT ", item_columns!(), ", items.number FROM items WHERE id = ?1");

const CONTENT: &str = "SELECT text FROM contents WHERE item = ?1";

const BY_NAME: &str = "
    SELECT id FROM items WHERE space = ?1 AND kind = ?2 AND name = ?3 AND name IS NOT NULL AND deleted_at IS NULL";

const BY_PATH: &str = "
    SELECT id FROM items WHERE space = ?1 AND kind = ?2 AND path = ?3 AND path IS NOT NULL AND deleted_at IS NULL";

const MARK_USED: &str = "
    UPDATE items SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)";

const TAGS: &str = "
    SELECT tag, kind, items FROM tag_counts WHERE space = ?1 AND view < 2";

const TAGGED: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM item_tags JOIN items ON items.number = item_tags.item
     WHERE item_tags.space = ?1 AND item_tags.tag = ?2 AND item_tags.kind = ?3 AND item_tags.view < 2
     ORDER BY items.id"
);

const TRASH: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM items WHERE deleted_at IS NOT NULL AND deleted_at < ?1 ORDER BY deleted_at, id LIMIT ?2"
);

/// Items that were deleted before a time, the longest ago first.
pub(crate) fn trash(connection: &Connection, before: Timestamp, limit: usize) -> Result<Vec<Item>, Failure> {
    let mut statement = connection.prepare_cached(TRASH)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    statement.query_and_then(params![before.as_microsecond(), limit], rows::item)?.collect()
}

const STATE: &str = "SELECT kind, space, version, revision, last_used_at FROM items WHERE id = ?1";

/// The kind, space, stamp and last use of an item.
pub(crate) fn state(connection: &Connection, id: ItemId) -> Result<Option<ItemState>, Failure> {
    let mut statement = connection.prepare_cached(STATE)?;
    let mut found = statement.query([id.uuid().into_bytes()])?;
    let Some(row) = found.next()? else { return Ok(None) };
    let mut columns = rows::Columns::from_row(row);
    Ok(Some(ItemState {
        kind: names::parse_kind(columns.text()?)?,
        space: SpaceId::from_uuid(columns.uuid()?),
        stamp: Stamp { version: columns.count()?, revision: columns.count()? },
        last_used_at: columns.optional_time()?,
    }))
}

/// An item without its content.
pub(crate) fn item(connection: &Connection, id: ItemId) -> Result<Option<Item>, Failure> {
    let mut statement = connection.prepare_cached(ITEM)?;
    statement.query_and_then([id.uuid().into_bytes()], rows::item)?.next().transpose()
}

/// An item with its content.
pub(crate) fn snapshot(connection: &Connection, id: ItemId) -> Result<Option<Snapshot>, Failure> {
    let mut statement = connection.prepare_cached(SNAPSHOT)?;
    statement.query_and_then([id.uuid().into_bytes()], rows::snapshot)?.next().transpose()
}

/// An item without its content, and its number.
pub(crate) fn numbered_item(connection: &Connection, id: ItemId) -> Result<Option<(i64, Item)>, Failure> {
    let mut statement = connection.prepare_cached(NUMBERED_ITEM)?;
    let found = statement.query_and_then([id.uuid().into_bytes()], |row| {
        let number = row.get(row.as_ref().column_count() - 1)?;
        Ok((number, rows::item(row)?))
    });
    found?.next().transpose()
}

/// The content of an item.
pub(crate) fn content(connection: &Connection, number: i64) -> Result<Option<Arc<str>>, Failure> {
    Ok(connection.prepare_cached(CONTENT)?.query_row([number], |row| row.get(0)).optional()?)
}

/// The item of a kind with a name in the first of the spaces that has one.
pub(crate) fn find_by_name(
    connection: &Connection,
    spaces: &[SpaceId],
    kind: Kind,
    name: &PromptName,
) -> Result<Option<ItemId>, Failure> {
    first_with(connection, BY_NAME, spaces, kind, name.as_str())
}

/// The item of a kind with a path in the first of the spaces that has one.
pub(crate) fn find_by_path(
    connection: &Connection,
    spaces: &[SpaceId],
    kind: Kind,
    path: &CodePath,
) -> Result<Option<ItemId>, Failure> {
    first_with(connection, BY_PATH, spaces, kind, path.as_str())
}

/// The id of the first row that a statement finds, space by space.
fn first_with(
    connection: &Connection,
    sql: &str,
    spaces: &[SpaceId],
    kind: Kind,
    value: &str,
) -> Result<Option<ItemId>, Failure> {
    let mut statement = connection.prepare_cached(sql)?;
    for space in spaces {
        let keys = params![space.uuid().into_bytes(), kind.name(), value];
        let found = statement.query_row(keys, |row| row.get(0)).optional()?;
        if let Some(id) = found {
            return Ok(Some(ItemId::from_uuid(uuid::Uuid::from_bytes(id))));
        }
    }
    Ok(None)
}

/// Stores the time of a use, unless a later one is stored.
pub(crate) fn mark_used(connection: &Connection, id: ItemId, at: Timestamp) -> Result<(), Failure> {
    connection.prepare_cached(MARK_USED)?.execute(params![id.uuid().into_bytes(), at.as_microsecond()])?;
    Ok(())
}

/// The tags of items that are not deleted, and how many items have each.
pub(crate) fn tags(
    connection: &Connection,
    spaces: &BTreeSet<SpaceId>,
    kinds: &BTreeSet<Kind>,
) -> Result<Vec<(Tag, u64)>, Failure> {
    let mut statement = connection.prepare_cached(TAGS)?;
    let mut counts = BTreeMap::new();
    for space in spaces {
        let mut found = statement.query([space.uuid().into_bytes()])?;
        while let Some(row) = found.next()? {
            let mut columns = rows::Columns::from_row(row);
            let (tag, kind, items) = (columns.next::<String>()?, names::parse_kind(columns.text()?)?, columns.count()?);
            if kinds.contains(&kind) {
                *counts.entry(tag).or_default() += items;
            }
        }
    }
    Ok(counts.into_iter().map(|(tag, items)| (Tag::from_stored(tag), items)).collect())
}

/// The items that are not deleted and have a tag.
pub(crate) fn tagged(
    connection: &Connection,
    spaces: &BTreeSet<SpaceId>,
    kinds: &BTreeSet<Kind>,
    tag: &Tag,
) -> Result<Vec<Item>, Failure> {
    let mut statement = connection.prepare_cached(TAGGED)?;
    let mut items = Vec::new();
    for (space, kind) in spaces.iter().flat_map(|space| kinds.iter().map(move |kind| (space, kind))) {
        let keys = params![space.uuid().into_bytes(), tag.as_str(), kind.name()];
        for item in statement.query_and_then(keys, rows::item)? {
            items.push(item?);
        }
    }
    Ok(items)
}
