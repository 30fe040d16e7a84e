//! Look-ups of items by id, name, path, tag and time of deletion; the time of an item's last use.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use interline_items::fields::{CodePath, PromptName, Tag};
use interline_items::{
    Contents, Item, ItemId, ItemState, Kind, PointRead, Snapshot, SpaceId, Stamp, UniqueField, View, Visibility,
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::codec::names;
use crate::integrity::{Damage, Integrity};
use crate::paging::view_number;
use crate::sqlite::failure::Failure;
use crate::sqlite::rows::{self, item_columns};

const ITEM: &str = concat!("SELECT ", item_columns!(), " FROM items WHERE id = ?1");

/// What decides whether an item exists for a caller. These columns are before those that may be long, and the content is in
/// another table: of an item that is not for the caller nothing long is read.
const OWNER: &str = "SELECT number, kind, space FROM items WHERE id = ?1";

const NUMBERED_ITEM: &str = concat!("SELECT ", item_columns!(), ", items.number FROM items WHERE id = ?1");

const ITEM_OF_NUMBER: &str = concat!("SELECT ", item_columns!(), " FROM items WHERE number = ?1");

const CONTENT: &str = "SELECT text FROM contents WHERE item = ?1";

const BY_NAME: &str = "
    SELECT id FROM items WHERE space = ?1 AND kind = ?2 AND name = ?3 AND name IS NOT NULL AND deleted_at IS NULL";

const BY_PATH: &str = "
    SELECT id FROM items WHERE space = ?1 AND kind = ?2 AND path = ?3 AND path IS NOT NULL AND deleted_at IS NULL";

/// By the index of a partition.
const BY_ID_RANGE: &str = "
    SELECT id FROM items WHERE space = ?1 AND kind = ?2 AND view = ?3 AND id BETWEEN ?4 AND ?5 ORDER BY id LIMIT ?6";

/// By the index of a list: no more is read than the trash of a space.
macro_rules! deleted_with {
    ($field:literal) => {
        concat!(
            "SELECT id FROM items WHERE space = ?1 AND kind = ?2 AND view = 2 AND deleted_at IS NOT NULL AND ",
            $field,
            " = ?3 ORDER BY deleted_at DESC, id DESC LIMIT 1"
        )
    };
}

const MARK_USED: &str = "
    UPDATE items SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)";

const TAGS: &str = "
    SELECT tag, kind, view, items FROM tag_counts WHERE space = ?1";

const TAGGED: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM item_tags JOIN items ON items.number = item_tags.item
     WHERE item_tags.space = ?1 AND item_tags.tag = ?2 AND item_tags.kind = ?3
     ORDER BY items.id"
);

const TRASH: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM items WHERE deleted_at IS NOT NULL AND deleted_at < ?1 ORDER BY deleted_at, id LIMIT ?2"
);

/// Items that were deleted before a time, the longest ago first.
pub(crate) fn trash(
    connection: &Connection,
    integrity: &Integrity,
    before: Timestamp,
    limit: usize,
) -> Result<Vec<Item>, Failure> {
    let mut statement = connection.prepare_cached(TRASH)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    whole_items(statement.query_and_then(params![before.as_microsecond(), limit], rows::item)?, integrity)
}

const STATE: &str = "SELECT kind, space, version, revision, last_used_at FROM items WHERE id = ?1";

/// The kind, space, stamp and last use of an item.
pub(crate) fn state(connection: &Connection, id: ItemId) -> Result<Option<ItemState>, Failure> {
    let mut statement = connection.prepare_cached(STATE)?;
    let mut found = statement.query([id.uuid().into_bytes()])?;
    let Some(row) = found.next()? else { return Ok(None) };
    decode_state(rows::Columns::from_row(row)).map(Some).map_err(|failure| failure.of_item(id))
}

fn decode_state(mut columns: rows::Columns<'_>) -> Result<ItemState, Failure> {
    Ok(ItemState {
        kind: names::parse_kind(columns.text()?)?,
        space: SpaceId::from_uuid(columns.uuid()?),
        stamp: Stamp { version: columns.count()?, revision: columns.count()? },
        last_used_at: columns.optional_time()?,
        proposal: None,
    })
}

/// An item without its content.
pub(crate) fn item(connection: &Connection, id: ItemId) -> Result<Option<Item>, Failure> {
    let mut statement = connection.prepare_cached(ITEM)?;
    let found = statement.query_and_then([id.uuid().into_bytes()], rows::item)?.next().transpose();
    found.map_err(|failure| failure.of_item(id))
}

/// The same, if it exists for a caller.
pub(crate) fn visible_item(connection: &Connection, id: ItemId, visible: &Visibility) -> Result<Option<Item>, Failure> {
    if_visible(connection, id, visible, |number| item_of_number(connection, number))
}

/// An item with its content if that is short, if it exists for a caller.
pub(crate) fn visible_point_read(
    connection: &Connection,
    id: ItemId,
    visible: &Visibility,
) -> Result<Option<PointRead>, Failure> {
    if_visible(connection, id, visible, |number| {
        let item = item_of_number(connection, number)?;
        if item.content.as_ref().is_some_and(|info| info.bytes > PointRead::MAX_BYTES) {
            return Ok(PointRead::WithoutContent(item));
        }
        Ok(PointRead::Whole(Snapshot { item, content: content(connection, number)? }))
    })
}

/// An item with its content, if it exists for a caller.
pub(crate) fn visible_snapshot(
    connection: &Connection,
    id: ItemId,
    visible: &Visibility,
) -> Result<Option<Snapshot>, Failure> {
    if_visible(connection, id, visible, |number| {
        let item = item_of_number(connection, number)?;
        Ok(Snapshot { item, content: content(connection, number)? })
    })
}

/// Calls `read` with the number of an item that exists for a caller.
fn if_visible<T>(
    connection: &Connection,
    id: ItemId,
    visible: &Visibility,
    read: impl FnOnce(i64) -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    let mut owner = connection.prepare_cached(OWNER)?;
    // This statement stays open while others read: as long as one is, all see the same snapshot.
    let mut found = owner.query([id.uuid().into_bytes()]).map_err(|error| Failure::from(error).of_item(id))?;
    let Some(row) = found.next().map_err(|error| Failure::from(error).of_item(id))? else { return Ok(None) };
    let mut columns = rows::Columns::from_row(row);
    let (number, kind) = (columns.next()?, columns.text().ok().and_then(|kind| names::parse_kind(kind).ok()));
    let space = columns.uuid().ok().map(SpaceId::from_uuid);
    // What cannot be decoded is nobody's.
    if !kind.zip(space).is_some_and(|(kind, space)| visible.includes(kind, space)) {
        return Ok(None);
    }
    read(number).map(Some).map_err(|failure| failure.of_item(id))
}

/// An item with its content, wherever it is. The connection is in a transaction.
pub(crate) fn snapshot(connection: &Connection, id: ItemId) -> Result<Option<Snapshot>, Failure> {
    let Some((number, item)) = numbered_item(connection, id)? else { return Ok(None) };
    Ok(Some(Snapshot { item, content: content(connection, number).map_err(|failure| failure.of_item(id))? }))
}

/// An item without its content, and its number.
pub(crate) fn numbered_item(connection: &Connection, id: ItemId) -> Result<Option<(i64, Item)>, Failure> {
    let mut statement = connection.prepare_cached(NUMBERED_ITEM)?;
    let mut found = statement.query_and_then([id.uuid().into_bytes()], |row| {
        let number = row.get(row.as_ref().column_count() - 1)?;
        Ok((number, rows::item(row)?))
    })?;
    found.next().transpose().map_err(|failure: Failure| failure.of_item(id))
}

/// The item of a number, without its content.
pub(crate) fn item_of_number(connection: &Connection, number: i64) -> Result<Item, Failure> {
    let mut statement = connection.prepare_cached(ITEM_OF_NUMBER)?;
    let found = statement.query_and_then([number], rows::item)?.next();
    found.unwrap_or_else(|| Err(rusqlite::Error::QueryReturnedNoRows.into()))
}

/// The content of an item. What is no text is an error, as is a page that cannot be read.
pub(crate) fn content(connection: &Connection, number: i64) -> Result<Option<Arc<str>>, Failure> {
    Ok(connection.prepare_cached(CONTENT)?.query_row([number], |row| row.get(0)).optional()?)
}

/// An item on a page, with its content if that is asked for. What is damaged is counted: a content is left out, and so is an
/// item that cannot be read (`None`).
pub(crate) fn page_snapshot(
    connection: &Connection,
    integrity: &Integrity,
    (id, number): (ItemId, i64),
    contents: Contents,
) -> Result<Option<Snapshot>, Failure> {
    let read = item_of_number(connection, number).map_err(|failure| failure.of_item(id));
    let Some(item) = integrity.unless_damaged(read)? else { return Ok(None) };
    match contents {
        Contents::Omit => Ok(Some(Snapshot { item, content: None })),
        Contents::Read => {
            let read = content(connection, number).map_err(|failure| failure.of_item(id));
            Ok(Some(match integrity.unless_damaged(read)? {
                Some(content) => integrity.without_damage(Snapshot { item, content }),
                None => Snapshot { item, content: None },
            }))
        }
    }
}

/// The items of rows; one that is damaged is counted and left out.
pub(crate) fn whole_items(
    found: impl Iterator<Item = Result<Item, Failure>>,
    integrity: &Integrity,
) -> Result<Vec<Item>, Failure> {
    let mut items = Vec::new();
    for item in found {
        items.extend(integrity.unless_damaged(item)?);
    }
    Ok(items)
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

/// The item of a kind that was deleted last and had a url, name or path, in the first of the spaces that has one.
pub(crate) fn find_deleted(
    connection: &Connection,
    spaces: &[SpaceId],
    kind: Kind,
    field: &UniqueField,
) -> Result<Option<ItemId>, Failure> {
    let sql = match field {
        UniqueField::Url(_) => deleted_with!("url"),
        UniqueField::Name(_) => deleted_with!("name"),
        UniqueField::Path(_) => deleted_with!("path"),
    };
    first_with(connection, sql, spaces, kind, field.value())
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

/// The first ids of items from one id to another in the visible spaces and kinds: no more are read of each than asked for.
pub(crate) fn find_by_id_range(
    connection: &Connection,
    range: &RangeInclusive<ItemId>,
    visible: &Visibility,
    limit: usize,
) -> Result<Vec<ItemId>, Failure> {
    let mut statement = connection.prepare_cached(BY_ID_RANGE)?;
    let (first, last) = (range.start().uuid().into_bytes(), range.end().uuid().into_bytes());
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut ids = BTreeSet::new();
    for (space, kind) in visible.spaces().iter().flat_map(|space| visible.kinds().iter().map(move |kind| (space, kind)))
    {
        for view in [View::Active, View::Archived, View::Deleted] {
            let keys = params![space.uuid().into_bytes(), kind.name(), view_number(view), first, last, most];
            let found = statement.query_map(keys, |row| row.get(0))?;
            for id in found {
                ids.insert(ItemId::from_uuid(uuid::Uuid::from_bytes(id?)));
            }
        }
    }
    Ok(ids.into_iter().take(limit).collect())
}

/// Stores the time of a use, unless a later one is stored.
pub(crate) fn mark_used(connection: &Connection, id: ItemId, at: Timestamp) -> Result<(), Failure> {
    connection.prepare_cached(MARK_USED)?.execute(params![id.uuid().into_bytes(), at.as_microsecond()])?;
    Ok(())
}

/// The tags of items of these kinds in these views, and how many items have each.
pub(crate) fn tags(
    connection: &Connection,
    spaces: &BTreeSet<SpaceId>,
    kinds: &BTreeSet<Kind>,
    views: &BTreeSet<View>,
) -> Result<Vec<(Tag, u64)>, Failure> {
    let mut statement = connection.prepare_cached(TAGS)?;
    let mut counts = BTreeMap::new();
    for space in spaces {
        let mut found = statement.query([space.uuid().into_bytes()])?;
        while let Some(row) = found.next()? {
            let mut columns = rows::Columns::from_row(row);
            let (tag, kind) = (columns.next::<String>()?, names::parse_kind(columns.text()?)?);
            let (view, items) = (columns.next::<i32>()?, columns.count()?);
            if kinds.contains(&kind) && views.iter().any(|one| view_number(*one) == view) {
                *counts.entry(tag).or_default() += items;
            }
        }
    }
    Ok(counts.into_iter().map(|(tag, items)| (Tag::from_stored(tag), items)).collect())
}

/// The items that are not deleted and have a tag.
pub(crate) fn tagged(
    connection: &Connection,
    integrity: &Integrity,
    spaces: &BTreeSet<SpaceId>,
    kinds: &BTreeSet<Kind>,
    tag: &Tag,
) -> Result<Vec<Item>, Failure> {
    let mut statement = connection.prepare_cached(TAGGED)?;
    let mut items = Vec::new();
    for (space, kind) in spaces.iter().flat_map(|space| kinds.iter().map(move |kind| (space, kind))) {
        let keys = params![space.uuid().into_bytes(), tag.as_str(), kind.name()];
        items.append(&mut whole_items(statement.query_and_then(keys, rows::item)?, integrity)?);
    }
    Ok(items)
}
