//! Lists filtered by tags: either an index scan that skips other items, or a look-up of the items that have the tags.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use interline_items::fields::Tag;
use interline_items::{ListQuery, PageStart, TagMatch};
use rusqlite::{Connection, params};

use crate::paging::{PageEntry, SortColumn, compare, entries_needed};
use crate::sqlite::failure::Failure;
use crate::sqlite::items::index_scan::scan;
use crate::sqlite::items::list::{ListPartition, entry_from_row};
use crate::sqlite::rows::Columns;

const COUNT: &str = "SELECT items FROM tag_counts WHERE space = ?1 AND tag = ?2 AND kind = ?3 AND view = ?4";

const NUMBERS: &str = "SELECT item FROM item_tags WHERE space = ?1 AND tag = ?2 AND kind = ?3 AND view = ?4";

const HAS: &str = "SELECT 1 FROM item_tags WHERE item = ?1 AND tag = ?2";

/// How many steps of an index scan take as long as the look-up of an item by its number.
const STEPS_OF_A_LOOKUP: u64 = 2;

/// How many items match, and enough of their entries for a page, in no particular order. `all` is how many items there
/// are without regard to tags.
pub(crate) fn entries(
    connection: &Connection,
    query: &ListQuery,
    partitions: &[ListPartition],
    all: u64,
) -> Result<(u64, Vec<PageEntry>), Failure> {
    let tags: BTreeSet<&str> = query.filter.tags.iter().map(Tag::as_str).collect();
    let numbers = || match query.filter.tag_match {
        TagMatch::All => with_all(connection, &tags, partitions),
        TagMatch::Any => with_any(connection, &tags, partitions),
    };
    // The items of one tag are counted in a table; those of several tags must be found to count them.
    let (total, found) = match tags.first() {
        Some(tag) if tags.len() == 1 => (count(connection, tag, partitions)?, None),
        _ => {
            let found = numbers()?;
            (found.len() as u64, Some(found))
        }
    };
    // An index scan meets a matching item every `all / total` steps.
    let steps = (entries_needed(query) as u64).saturating_mul(all) / total.max(1);
    let entries = if steps < total * STEPS_OF_A_LOOKUP {
        scan(connection, query, partitions)?
    } else {
        look_up(connection, query, &found.map_or_else(numbers, Ok)?)?
    };
    Ok((total, entries))
}

fn count(connection: &Connection, tag: &str, partitions: &[ListPartition]) -> Result<u64, Failure> {
    let mut statement = connection.prepare_cached(COUNT)?;
    let mut total = 0;
    for partition in partitions {
        let keys = params![partition.space.uuid().into_bytes(), tag, partition.kind.name(), partition.view_number()];
        if let Some(row) = statement.query(keys)?.next()? {
            total += Columns::from_row(row).count()?;
        }
    }
    Ok(total)
}

/// The numbers of the items that have all of the tags: of the items with the rarest tag, those with the other tags too.
fn with_all(connection: &Connection, tags: &BTreeSet<&str>, partitions: &[ListPartition]) -> Result<Vec<i64>, Failure> {
    let mut counted = Vec::new();
    for tag in tags {
        counted.push((count(connection, tag, partitions)?, *tag));
    }
    counted.sort_unstable();
    let Some(((_, rarest), others)) = counted.split_first() else { return Ok(Vec::new()) };
    let mut numbers = with_tag(connection, rarest, partitions)?;
    let mut has = connection.prepare_cached(HAS)?;
    for (_, tag) in others {
        let mut kept = Vec::new();
        for number in numbers {
            if has.exists(params![number, tag])? {
                kept.push(number);
            }
        }
        numbers = kept;
    }
    Ok(numbers)
}

/// The numbers of the items that have at least one of the tags.
fn with_any(connection: &Connection, tags: &BTreeSet<&str>, partitions: &[ListPartition]) -> Result<Vec<i64>, Failure> {
    let mut numbers = BTreeSet::new();
    for tag in tags {
        numbers.extend(with_tag(connection, tag, partitions)?);
    }
    Ok(numbers.into_iter().collect())
}

fn with_tag(connection: &Connection, tag: &str, partitions: &[ListPartition]) -> Result<Vec<i64>, Failure> {
    let mut statement = connection.prepare_cached(NUMBERS)?;
    let mut numbers = Vec::new();
    for partition in partitions {
        let keys = params![partition.space.uuid().into_bytes(), tag, partition.kind.name(), partition.view_number()];
        let mut found = statement.query(keys)?;
        while let Some(row) = found.next()? {
            numbers.push(row.get(0)?);
        }
    }
    Ok(numbers)
}

/// The entries of these items that come after the start of the page.
fn look_up(connection: &Connection, query: &ListQuery, numbers: &[i64]) -> Result<Vec<PageEntry>, Failure> {
    let column = SortColumn::of_list(query.sort.by);
    let sql = format!("SELECT {}, id, number FROM items WHERE number = ?1", column.name());
    let mut statement = connection.prepare_cached(&sql)?;
    let start = match &query.start {
        PageStart::Offset(_) => None,
        PageStart::After(cursor) => Some(PageEntry::from_cursor(cursor)),
    };
    let mut entries = Vec::new();
    for number in numbers {
        let mut found = statement.query([number])?;
        if let Some(row) = found.next()? {
            let entry = entry_from_row(row, column)?;
            if start.as_ref().is_none_or(|start| compare(&entry, start, query.sort.order) == Ordering::Greater) {
                entries.push(entry);
            }
        }
    }
    Ok(entries)
}
