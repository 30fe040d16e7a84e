//! Look-ups of items by id, name, path, tag and time of deletion.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use deadpool_postgres::{Client, GenericClient};
use interline_items::fields::{CodePath, PromptName, Tag};
use interline_items::{
    Item, ItemId, ItemState, Kind, PointRead, Snapshot, SpaceId, Stamp, UniqueField, View, Visibility,
};
use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::codec::names;
use crate::integrity::{Damage, Integrity};
use crate::paging::view_number;
use crate::postgres::failure::Failure;
use crate::postgres::rows::{self, item_columns};

const ITEM: &str = concat!("SELECT ", item_columns!(), " FROM items WHERE id = $1");

/// The columns of an item and its content, as the expression `$text` selects it.
macro_rules! select_snapshot {
    ($text:literal) => {
        concat!(
            "SELECT ",
            item_columns!(),
            ", ",
            $text,
            " FROM items LEFT JOIN contents ON contents.item = items.id WHERE items.id = $1"
        )
    };
}

const SNAPSHOT: &str = select_snapshot!("contents.text");

/// What decides whether an item exists for a caller. A row that is not selected is not read any further: its long values stay
/// where they are.
macro_rules! visible {
    () => {
        " AND items.space = ANY($2) AND items.kind = ANY($3)"
    };
}

const VISIBLE_ITEM: &str = concat!("SELECT ", item_columns!(), " FROM items WHERE items.id = $1", visible!());

const VISIBLE_SNAPSHOT: &str = concat!(select_snapshot!("contents.text"), visible!());

const VISIBLE_POINT_READ: &str = concat!(
    select_snapshot!("CASE WHEN items.content_bytes > $4 THEN NULL ELSE contents.text END AS text"),
    visible!()
);

const BY_NAME: &str = "
    SELECT id FROM items
    WHERE space = ANY($1) AND kind = $2 AND name = $3 AND deleted_at IS NULL
    ORDER BY array_position($1, space)
    LIMIT 1";

const BY_PATH: &str = "
    SELECT id FROM items
    WHERE space = ANY($1) AND kind = $2 AND path = $3 AND deleted_at IS NULL
    ORDER BY array_position($1, space)
    LIMIT 1";

const BY_ID_RANGE: &str = "
    SELECT id FROM items
    WHERE id BETWEEN $1 AND $2 AND space = ANY($3) AND kind = ANY($4)
    ORDER BY id
    LIMIT $5";

macro_rules! deleted_with {
    ($field:literal) => {
        concat!(
            "SELECT id FROM items WHERE space = ANY($1) AND kind = $2 AND view = 2 AND ",
            $field,
            " = $3 ORDER BY array_position($1, space), deleted_at DESC, id DESC LIMIT 1"
        )
    };
}

const TAGS: &str = "
    SELECT tag, count(*) AS items
    FROM item_tags JOIN items ON items.id = item_tags.item
    WHERE items.space = ANY($1) AND items.kind = ANY($2) AND items.view = ANY($3)
    GROUP BY tag
    ORDER BY tag";

const TAGGED: &str = concat!(
    "SELECT ",
    item_columns!(),
    " FROM item_tags JOIN items ON items.id = item_tags.item
      WHERE item_tags.tag = $3 AND items.space = ANY($1) AND items.kind = ANY($2)
      ORDER BY items.id"
);

const TRASH: &str =
    concat!("SELECT ", item_columns!(), " FROM items WHERE deleted_at < $1 ORDER BY deleted_at, id LIMIT $2");

/// Items that were deleted before a time, the longest ago first.
pub(crate) async fn trash(
    client: &Client,
    integrity: &Integrity,
    before: Timestamp,
    limit: usize,
) -> Result<Vec<Item>, Failure> {
    let statement = client.prepare_cached(TRASH).await?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let found = client.query(&statement, &[&before.as_microsecond(), &limit]).await?;
    whole_items(&found, integrity)
}

const STATE: &str = "SELECT kind, space, version, revision, last_used_at FROM items WHERE id = $1";

/// The kind, space, stamp and last use of an item.
pub(crate) async fn state(client: &Client, id: ItemId) -> Result<Option<ItemState>, Failure> {
    let statement = client.prepare_cached(STATE).await?;
    let Some(row) = client.query_opt(&statement, &[&id.uuid()]).await? else { return Ok(None) };
    Ok(Some(ItemState {
        kind: rows::decoded(&row, "kind", names::parse_kind)?,
        space: SpaceId::from_uuid(row.try_get("space")?),
        stamp: Stamp { version: rows::count(&row, "version")?, revision: rows::count(&row, "revision")? },
        last_used_at: rows::maybe_time(&row, "last_used_at")?,
        proposal: None,
    }))
}

/// An item without its content.
pub(crate) async fn item(client: &Client, id: ItemId) -> Result<Option<Item>, Failure> {
    let statement = client.prepare_cached(ITEM).await?;
    let found = client.query_opt(&statement, &[&id.uuid()]).await.map_err(|error| Failure::from(error).of_item(id))?;
    found.as_ref().map(rows::item).transpose()
}

/// An item with its content.
pub(crate) async fn snapshot(client: &impl GenericClient, id: ItemId) -> Result<Option<Snapshot>, Failure> {
    let statement = client.prepare_cached(SNAPSHOT).await?;
    let found = client.query_opt(&statement, &[&id.uuid()]).await.map_err(|error| Failure::from(error).of_item(id))?;
    match found {
        Some(row) => rows::long_snapshot(row).await.map(Some),
        None => Ok(None),
    }
}

/// An item without its content, if it exists for a caller.
pub(crate) async fn visible_item(client: &Client, id: ItemId, visible: &Visibility) -> Result<Option<Item>, Failure> {
    visible_row(client, VISIBLE_ITEM, id, visible, &[]).await?.as_ref().map(rows::item).transpose()
}

/// An item with its content if that is short, if it exists for a caller.
pub(crate) async fn visible_point_read(
    client: &Client,
    id: ItemId,
    visible: &Visibility,
) -> Result<Option<PointRead>, Failure> {
    let longest = i64::try_from(PointRead::MAX_BYTES).unwrap_or(i64::MAX);
    let Some(row) = visible_row(client, VISIBLE_POINT_READ, id, visible, &[&longest]).await? else { return Ok(None) };
    let snapshot = rows::snapshot(&row)?;
    let is_long = snapshot.item.content.as_ref().is_some_and(|info| info.bytes > PointRead::MAX_BYTES);
    Ok(Some(if is_long { PointRead::WithoutContent(snapshot.item) } else { PointRead::Whole(snapshot) }))
}

/// An item with its content, if it exists for a caller.
pub(crate) async fn visible_snapshot(
    client: &Client,
    id: ItemId,
    visible: &Visibility,
) -> Result<Option<Snapshot>, Failure> {
    match visible_row(client, VISIBLE_SNAPSHOT, id, visible, &[]).await? {
        Some(row) => rows::long_snapshot(row).await.map(Some),
        None => Ok(None),
    }
}

/// The row that a statement selects by an id, what a caller sees, and `more` parameters.
async fn visible_row(
    client: &Client,
    sql: &str,
    id: ItemId,
    visible: &Visibility,
    more: &[&(dyn ToSql + Sync)],
) -> Result<Option<Row>, Failure> {
    let statement = client.prepare_cached(sql).await?;
    let (id_value, kinds) = (id.uuid(), kind_names(visible.kinds()));
    let spaces: Vec<Uuid> = visible.spaces().iter().map(|space| space.uuid()).collect();
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&id_value, &spaces, &kinds];
    parameters.extend(more);
    let found = client.query_opt(&statement, &parameters).await;
    found.map_err(|error| Failure::from(error).of_item(id))
}

/// The items of rows; one that is damaged is counted and left out.
pub(crate) fn whole_items<'r>(
    found: impl IntoIterator<Item = &'r Row>,
    integrity: &Integrity,
) -> Result<Vec<Item>, Failure> {
    let mut items = Vec::new();
    for row in found {
        items.extend(integrity.unless_damaged(rows::item(row))?);
    }
    Ok(items)
}

/// The item of a kind with a name in the first of the spaces that has one.
pub(crate) async fn find_by_name(
    client: &Client,
    spaces: &[SpaceId],
    kind: Kind,
    name: &PromptName,
) -> Result<Option<ItemId>, Failure> {
    first_with(client, BY_NAME, spaces, kind, name.as_str()).await
}

/// The item of a kind with a path in the first of the spaces that has one.
pub(crate) async fn find_by_path(
    client: &Client,
    spaces: &[SpaceId],
    kind: Kind,
    path: &CodePath,
) -> Result<Option<ItemId>, Failure> {
    first_with(client, BY_PATH, spaces, kind, path.as_str()).await
}

/// The item of a kind that was deleted last and had a url, name or path, in the first of the spaces that has one.
pub(crate) async fn find_deleted(
    client: &Client,
    spaces: &[SpaceId],
    kind: Kind,
    field: &UniqueField,
) -> Result<Option<ItemId>, Failure> {
    let sql = match field {
        UniqueField::Url(_) => deleted_with!("url"),
        UniqueField::Name(_) => deleted_with!("name"),
        UniqueField::Path(_) => deleted_with!("path"),
    };
    first_with(client, sql, spaces, kind, field.value()).await
}

/// The first ids of items from one id to another in the visible spaces and kinds.
pub(crate) async fn find_by_id_range(
    client: &Client,
    range: &RangeInclusive<ItemId>,
    visible: &Visibility,
    limit: usize,
) -> Result<Vec<ItemId>, Failure> {
    let statement = client.prepare_cached(BY_ID_RANGE).await?;
    let spaces: Vec<Uuid> = visible.spaces().iter().map(|space| space.uuid()).collect();
    let (kinds, limit) = (kind_names(visible.kinds()), i64::try_from(limit).unwrap_or(i64::MAX));
    let (first, last) = (range.start().uuid(), range.end().uuid());
    let found = client.query(&statement, &[&first, &last, &spaces, &kinds, &limit]).await?;
    found.iter().map(|row| Ok(ItemId::from_uuid(row.try_get(0)?))).collect()
}

/// The id of the row that a statement finds.
async fn first_with(
    client: &Client,
    sql: &str,
    spaces: &[SpaceId],
    kind: Kind,
    value: &str,
) -> Result<Option<ItemId>, Failure> {
    let statement = client.prepare_cached(sql).await?;
    let found = client.query_opt(&statement, &[&uuids(spaces), &kind.name(), &value]).await?;
    Ok(found.map(|row| row.try_get(0)).transpose()?.map(ItemId::from_uuid))
}

/// The tags of items of these kinds in these views, and how many items have each.
pub(crate) async fn tags(
    client: &Client,
    spaces: &[SpaceId],
    kinds: &BTreeSet<Kind>,
    views: &BTreeSet<View>,
) -> Result<Vec<(Tag, u64)>, Failure> {
    let statement = client.prepare_cached(TAGS).await?;
    let views: Vec<i32> = views.iter().map(|view| view_number(*view)).collect();
    let counted = client.query(&statement, &[&uuids(spaces), &kind_names(kinds), &views]).await?;
    counted.iter().map(|row| Ok((Tag::from_stored(row.try_get("tag")?), rows::count(row, "items")?))).collect()
}

/// The items that are not deleted and have a tag.
pub(crate) async fn tagged(
    client: &Client,
    integrity: &Integrity,
    spaces: &[SpaceId],
    kinds: &BTreeSet<Kind>,
    tag: &Tag,
) -> Result<Vec<Item>, Failure> {
    let statement = client.prepare_cached(TAGGED).await?;
    let found = client.query(&statement, &[&uuids(spaces), &kind_names(kinds), &tag.as_str()]).await?;
    whole_items(&found, integrity)
}

fn kind_names(kinds: &BTreeSet<Kind>) -> Vec<&'static str> {
    kinds.iter().map(|kind| kind.name()).collect()
}

fn uuids(spaces: &[SpaceId]) -> Vec<Uuid> {
    spaces.iter().map(|space| space.uuid()).collect()
}
