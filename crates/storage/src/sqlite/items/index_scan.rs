//! Index scans: the first entries of each partition in an order, from the index of that order. An index starts with the
//! columns of a partition, then has the sort key, and ends with the id.

use std::collections::BTreeSet;

use interline_items::fields::Tag;
use interline_items::{CursorKey, ListQuery, PageStart, SortOrder, TagMatch};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::codec::json;
use crate::paging::{PageEntry, SortColumn, entries_needed};
use crate::sqlite::failure::Failure;
use crate::sqlite::items::list::{ListPartition, entry_from_row};

/// A range of an index: the entries with a sort key, or those without one, which come last in both orders.
enum IndexRange<'a> {
    Keyed,
    KeyedAfter(&'a CursorKey, [u8; 16]),
    Unkeyed,
    UnkeyedAfter([u8; 16]),
}

/// Enough entries of each partition for a page, in no particular order.
pub(crate) fn scan(
    connection: &Connection,
    query: &ListQuery,
    partitions: &[ListPartition],
) -> Result<Vec<PageEntry>, Failure> {
    let ranges = match &query.start {
        PageStart::Offset(_) => vec![IndexRange::Keyed, IndexRange::Unkeyed],
        PageStart::After(cursor) => {
            let id = cursor.id.uuid().into_bytes();
            match &cursor.key {
                Some(key) => vec![IndexRange::KeyedAfter(key, id), IndexRange::Unkeyed],
                None => vec![IndexRange::UnkeyedAfter(id)],
            }
        }
    };
    let mut entries = Vec::new();
    for range in &ranges {
        // Whatever the partition, entries without a key come after those that have one, and are seldom on the page.
        let missing = entries_needed(query).saturating_sub(entries.len());
        if missing > 0 {
            for partition in partitions {
                scan_range(connection, query, *partition, range, missing, &mut entries)?;
            }
        }
    }
    Ok(entries)
}

fn scan_range(
    connection: &Connection,
    query: &ListQuery,
    partition: ListPartition,
    range: &IndexRange<'_>,
    limit: usize,
    entries: &mut Vec<PageEntry>,
) -> Result<(), Failure> {
    let mut values: Vec<Value> = vec![
        partition.space.uuid().into_bytes().to_vec().into(),
        partition.kind.name().to_owned().into(),
        partition.view_number().into(),
        i64::try_from(limit).unwrap_or(i64::MAX).into(),
    ];
    let tags: BTreeSet<&str> = query.filter.tags.iter().map(Tag::as_str).collect();
    let tag_filter = if tags.is_empty() {
        ""
    } else {
        values.push(json::encode_strings(tags.iter().copied()).into());
        values.push(tags_needed(tags.len(), query.filter.tag_match).into());
        TAG_FILTER
    };
    match range {
        IndexRange::Keyed | IndexRange::Unkeyed => {}
        IndexRange::KeyedAfter(key, id) => values.extend([cursor_value(key), id.to_vec().into()]),
        IndexRange::UnkeyedAfter(id) => values.push(id.to_vec().into()),
    }
    let column = SortColumn::of_list(query.sort.by);
    let mut statement = connection.prepare_cached(&page_sql(column, query.sort.order, range, tag_filter))?;
    let found = statement.query_and_then(params_from_iter(values), |row| entry_from_row(row, column))?;
    for entry in found {
        entries.push(entry?);
    }
    Ok(())
}

/// How many of the query's tags an item must have.
pub(crate) fn tags_needed(tags: usize, tag_match: TagMatch) -> i64 {
    match tag_match {
        TagMatch::Any => 1,
        TagMatch::All => i64::try_from(tags).unwrap_or(i64::MAX),
    }
}

const TAG_FILTER: &str = "
    AND ?6 <= (SELECT count(*) FROM item_tags WHERE item = number AND tag IN (SELECT value FROM json_each(?5)))";

fn page_sql(column: SortColumn, order: SortOrder, range: &IndexRange<'_>, tag_filter: &str) -> String {
    let key = column.name();
    let (after, direction) = match order {
        SortOrder::Ascending => (">", "ASC"),
        SortOrder::Descending => ("<", "DESC"),
    };
    // The parameters of the cursor come after those of the tags, if there are any.
    let (first, second) = if tag_filter.is_empty() { (5, 6) } else { (7, 8) };
    let condition = match range {
        IndexRange::Keyed => format!("{key} IS NOT NULL"),
        IndexRange::KeyedAfter(..) => {
            let has_key = match column {
                // Its index is used only where the condition says that items have the key.
                SortColumn::RareTime(_) => format!("{key} IS NOT NULL AND "),
                SortColumn::Time(_) | SortColumn::Title | SortColumn::View => String::new(),
            };
            format!("{has_key}({key}, id) {after} (?{first}, ?{second})")
        }
        IndexRange::Unkeyed => format!("{key} IS NULL"),
        IndexRange::UnkeyedAfter(_) => format!("{key} IS NULL AND id {after} ?{first}"),
    };
    let sorted = match (column, range) {
        // By the index of ids: that of the column has no entries without a key.
        (SortColumn::RareTime(_), IndexRange::Unkeyed | IndexRange::UnkeyedAfter(_)) => format!("id {direction}"),
        _ => format!("{key} {direction}, id {direction}"),
    };
    format!(
        "SELECT {key}, id, number FROM items
         WHERE space = ?1 AND kind = ?2 AND view = ?3 AND {condition} {tag_filter}
         ORDER BY {sorted}
         LIMIT ?4"
    )
}

fn cursor_value(key: &CursorKey) -> Value {
    match key {
        CursorKey::Text(text) => text.clone().into(),
        CursorKey::Micros(micros) => (*micros).into(),
        CursorKey::Score { score, .. } => (*score).into(),
    }
}

#[cfg(test)]
mod tests {
    use interline_items::SortBy;

    use super::*;
    use crate::sqlite::migrate::migrate;

    /// How SQLite carries out a query.
    fn plan(connection: &Connection, sql: &str) -> String {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let mut rows = statement.raw_query();
        let mut steps = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            steps.push(row.get::<_, String>(3).unwrap());
        }
        steps.join("; ")
    }

    #[test]
    fn every_order_is_that_of_an_index() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        let key = CursorKey::Micros(0);
        for (by, index) in [
            (SortBy::CreatedAt, "items_by_creation"),
            (SortBy::UpdatedAt, "items_by_update"),
            (SortBy::LastUsedAt, "items_by_use"),
            (SortBy::Title, "items_by_title"),
            (SortBy::ArchivedAt, "items_by_archival"),
            (SortBy::DeletedAt, "items_in_trash"),
        ] {
            for order in [SortOrder::Ascending, SortOrder::Descending] {
                let column = SortColumn::of_list(by);
                let may_be_missing = !matches!(by, SortBy::CreatedAt | SortBy::UpdatedAt);
                let unkeyed = [IndexRange::Unkeyed, IndexRange::UnkeyedAfter([0; 16])];
                for range in unkeyed.into_iter().filter(|_| may_be_missing) {
                    let plan = plan(&connection, &page_sql(column, order, &range, ""));
                    assert!(!plan.contains("TEMP B-TREE"), "{by:?} {order:?}: {plan}");
                }
                for range in [IndexRange::Keyed, IndexRange::KeyedAfter(&key, [0; 16])] {
                    let plan = plan(&connection, &page_sql(column, order, &range, ""));
                    assert!(plan.contains(&format!("INDEX {index} (")), "{by:?} {order:?}: {plan}");
                    assert!(!plan.contains("TEMP B-TREE"), "{by:?} {order:?}: {plan}");
                    if let IndexRange::KeyedAfter(..) = range {
                        assert!(plan.contains(",id)"), "the page is where the cursor says: {by:?} {order:?}: {plan}");
                    }
                }
            }
        }
    }
}
