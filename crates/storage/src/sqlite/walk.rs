//! The first entries of shelves in an order, from the index of that order.

use std::collections::BTreeSet;

use interline_items::fields::Tag;
use interline_items::{CursorKey, ListQuery, PageStart, Sort, SortBy, SortOrder, TagMatch};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::failure::Failure;
use super::list::{Shelf, enough, entry_of};
use crate::codec::json;
use crate::order::Entry;

/// The column that an order compares; its index starts with the columns of a shelf and ends with the id.
pub(super) const fn key_column(by: SortBy) -> &'static str {
    match by {
        SortBy::CreatedAt => "created_at",
        SortBy::UpdatedAt => "updated_at",
        SortBy::LastUsedAt => "last_used_at",
        SortBy::Title => "title_key",
    }
}

/// A part of an index: the entries with a key in their order, or those without one, which come last in both orders.
enum Range<'a> {
    Keyed,
    KeyedAfter(&'a CursorKey, [u8; 16]),
    Unkeyed,
    UnkeyedAfter([u8; 16]),
}

/// Enough entries of each shelf for a page, in no order.
pub(super) fn walk(connection: &Connection, query: &ListQuery, shelves: &[Shelf]) -> Result<Vec<Entry>, Failure> {
    let ranges = match &query.start {
        PageStart::Offset(_) => vec![Range::Keyed, Range::Unkeyed],
        PageStart::After(cursor) => {
            let id = cursor.id.uuid().into_bytes();
            match &cursor.key {
                Some(key) => vec![Range::KeyedAfter(key, id), Range::Unkeyed],
                None => vec![Range::UnkeyedAfter(id)],
            }
        }
    };
    let mut entries = Vec::new();
    for shelf in shelves {
        let full = entries.len().saturating_add(enough(query));
        for range in &ranges {
            let missing = full - entries.len();
            if missing > 0 {
                walk_range(connection, query, *shelf, range, missing, &mut entries)?;
            }
        }
    }
    Ok(entries)
}

fn walk_range(
    connection: &Connection,
    query: &ListQuery,
    shelf: Shelf,
    range: &Range<'_>,
    limit: usize,
    entries: &mut Vec<Entry>,
) -> Result<(), Failure> {
    let mut values: Vec<Value> = vec![
        shelf.space.uuid().into_bytes().to_vec().into(),
        shelf.kind.name().to_owned().into(),
        shelf.view_number().into(),
        i64::try_from(limit).unwrap_or(i64::MAX).into(),
    ];
    let tags: BTreeSet<&str> = query.filter.tags.iter().map(Tag::as_str).collect();
    let tag_filter = if tags.is_empty() {
        ""
    } else {
        values.push(json::of_words(tags.iter().copied()).into());
        values.push(needed(tags.len(), query.filter.tag_match).into());
        TAG_FILTER
    };
    match range {
        Range::Keyed | Range::Unkeyed => {}
        Range::KeyedAfter(key, id) => values.extend([value_of(key), id.to_vec().into()]),
        Range::UnkeyedAfter(id) => values.push(id.to_vec().into()),
    }
    let mut statement = connection.prepare_cached(&page_sql(query.sort, range, tag_filter))?;
    let found = statement.query_and_then(params_from_iter(values), |row| entry_of(row, query.sort.by))?;
    for entry in found {
        entries.push(entry?);
    }
    Ok(())
}

/// How many of the tags an item must have.
pub(super) fn needed(tags: usize, tag_match: TagMatch) -> i64 {
    match tag_match {
        TagMatch::Any => 1,
        TagMatch::All => i64::try_from(tags).unwrap_or(i64::MAX),
    }
}

const TAG_FILTER: &str = "
    AND ?6 <= (SELECT count(*) FROM item_tags WHERE item = number AND tag IN (SELECT value FROM json_each(?5)))";

fn page_sql(sort: Sort, range: &Range<'_>, tag_filter: &str) -> String {
    let key = key_column(sort.by);
    let (after, direction) = match sort.order {
        SortOrder::Ascending => (">", "ASC"),
        SortOrder::Descending => ("<", "DESC"),
    };
    // The parameters of the cursor come after those of the tags, if there are any.
    let (first, second) = if tag_filter.is_empty() { (5, 6) } else { (7, 8) };
    let range = match range {
        Range::Keyed => format!("{key} IS NOT NULL"),
        Range::KeyedAfter(..) => format!("({key}, id) {after} (?{first}, ?{second})"),
        Range::Unkeyed => format!("{key} IS NULL"),
        Range::UnkeyedAfter(_) => format!("{key} IS NULL AND id {after} ?{first}"),
    };
    format!(
        "SELECT {key}, id, number FROM items
         WHERE space = ?1 AND kind = ?2 AND view = ?3 AND {range} {tag_filter}
         ORDER BY {key} {direction}, id {direction}
         LIMIT ?4"
    )
}

fn value_of(key: &CursorKey) -> Value {
    match key {
        CursorKey::Text(text) => text.clone().into(),
        CursorKey::Micros(micros) => (*micros).into(),
        CursorKey::Score(score) => (*score).into(),
    }
}
