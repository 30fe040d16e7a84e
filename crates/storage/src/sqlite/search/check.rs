//! The integrity check: pages and references, then contents, versions and the search index of every item.

mod pages;
mod published;

use std::collections::BTreeMap;

use interline_items::{CheckProblem, CheckReport, ContentInfo, ItemId, Snapshot};
use rusqlite::Connection;

use super::index::keys;
use super::segments::{live_segments, stale_items};
use super::texts::Texts;
use crate::codec::CodecError;
use crate::integrity::Damage;
use crate::search::fingerprint::{Fingerprints, fingerprint};
use crate::search::item_set::ItemSet;
use crate::search::live_segment::LiveSegment;
use crate::sqlite::failure::Failure;
use crate::sqlite::history::versions;
use crate::sqlite::items::lookup;
use crate::sqlite::rows::Columns;

const ITEMS: &str = "SELECT number, id FROM items ORDER BY number";

/// The same by an index that has both: it does not read the table.
const ITEMS_BY_ID: &str = "SELECT number, id FROM items INDEXED BY items_by_id ORDER BY id";

const VERSIONS: &str = "SELECT version FROM versions WHERE item = ?1 AND version IS NOT NULL ORDER BY version";

const BLOCKS: &str = "SELECT data FROM search_blocks WHERE segment = ?1 ORDER BY first";

/// Checks everything that is stored. The connection is in a transaction. What cannot be read is a problem of its own, and the
/// check goes on with what can.
pub(crate) fn check(connection: &Connection) -> Result<CheckReport, Failure> {
    let mut report = CheckReport::default();
    pages::check(connection, &mut report)?;
    let items = items(connection, &mut report)?;
    let index = or_add(Index::read(connection, &mut report), &mut report)?;
    let mut index = index.unwrap_or_default();
    for (&number, &id) in &items {
        report.items += 1;
        let is_readable = check_content(connection, id, &mut report)?;
        check_versions(connection, number, id, &mut report)?;
        if index.is_stale(number) {
            report.stale += 1;
        } else if is_readable {
            index.check(connection, (number, id), &mut report)?;
        }
    }
    published::check(connection, &mut report)?;
    index.check_gone(&items, &mut report);
    Ok(report)
}

/// The items, by their numbers: those in the table, and those that only an index still names.
fn items(connection: &Connection, report: &mut CheckReport) -> Result<BTreeMap<i64, ItemId>, Failure> {
    let mut items = BTreeMap::new();
    for sql in [ITEMS, ITEMS_BY_ID] {
        let listed = list(connection, sql, &mut items);
        or_add(listed, report)?;
    }
    Ok(items)
}

fn list(connection: &Connection, sql: &str, items: &mut BTreeMap<i64, ItemId>) -> Result<(), Failure> {
    let mut statement = connection.prepare(sql)?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let mut columns = Columns::from_row(row);
        items.entry(columns.next()?).or_insert(ItemId::from_uuid(columns.uuid()?));
    }
    Ok(())
}

/// What was read; damage is added to the report instead.
fn or_add<T>(read: Result<T, Failure>, report: &mut CheckReport) -> Result<Option<T>, Failure> {
    match read.map_err(Failure::into_corruption) {
        Ok(read) => Ok(Some(read)),
        Err(Ok(corruption)) => {
            report.add(CheckProblem::Table(corruption.detail));
            Ok(None)
        }
        Err(Err(failure)) => Err(failure),
    }
}

/// What the search index says: the fingerprint of each item, and which items it does not know as they are.
#[derive(Default)]
struct Index {
    sums: BTreeMap<i64, u128>,
    stale: ItemSet,
    /// Whether all of it could be read.
    is_read: bool,
}

impl Index {
    fn read(connection: &Connection, report: &mut CheckReport) -> Result<Index, Failure> {
        Ok(Index { sums: sums(connection, report)?, stale: stale_items(connection)?, is_read: true })
    }

    fn is_stale(&self, number: i64) -> bool {
        self.stale.contains(number)
    }

    fn check(
        &mut self,
        connection: &Connection,
        (number, id): (i64, ItemId),
        report: &mut CheckReport,
    ) -> Result<(), Failure> {
        let in_index = self.sums.remove(&number).unwrap_or_default();
        let mut texts = Texts::new(connection)?;
        let keys = or_add(keys(&mut texts, number), report)?.flatten();
        if self.is_read && keys.is_none_or(|(keys, _)| fingerprint(keys) != in_index) {
            report.add(CheckProblem::Index(id));
        }
        Ok(())
    }

    /// Adds a problem for each item that is not there.
    fn check_gone(self, items: &BTreeMap<i64, ItemId>, report: &mut CheckReport) {
        let Index { sums, stale, .. } = self;
        for number in sums.into_keys().filter(|number| !stale.contains(*number) && !items.contains_key(number)) {
            report.add(CheckProblem::Damage(format!("the index has item {number}, which is not there")));
        }
    }
}

/// The fingerprint of each item, by the index.
fn sums(connection: &Connection, report: &mut CheckReport) -> Result<BTreeMap<i64, u128>, Failure> {
    let mut sums = Fingerprints::default();
    let mut statement = connection.prepare(BLOCKS)?;
    for segment in live_segments(connection)? {
        let mut blocks = statement.query([segment.number])?;
        while let Some(row) = blocks.next()? {
            let Ok(block) = row.get_ref(0)?.as_blob() else {
                report.add(damage(&segment, &CodecError::Index("a block is no blob")));
                continue;
            };
            if let Err(error) = sums.add_block(block, &segment.tombstones) {
                report.add(damage(&segment, &error));
            }
        }
        if let Err(error) = sums.end_segment() {
            report.add(damage(&segment, &error));
        }
    }
    Ok(sums.into_sums())
}

fn damage(segment: &LiveSegment, error: &CodecError) -> CheckProblem {
    CheckProblem::Damage(format!("segment {}: {error}", segment.number))
}

/// Whether the item and its content can be read, to be compared with the index.
fn check_content(connection: &Connection, id: ItemId, report: &mut CheckReport) -> Result<bool, Failure> {
    let snapshot = match lookup::numbered_item(connection, id).map_err(Failure::into_corruption) {
        Ok(Some((number, item))) => match lookup::content(connection, number).map_err(Failure::into_corruption) {
            Ok(content) => Snapshot { item, content },
            Err(Ok(_)) => {
                report.add(CheckProblem::Content(id));
                return Ok(false);
            }
            Err(Err(failure)) => return Err(failure),
        },
        Ok(None) | Err(Ok(_)) => {
            report.add(CheckProblem::Item(id));
            return Ok(false);
        }
        Err(Err(failure)) => return Err(failure),
    };
    if snapshot.content.as_deref().map(ContentInfo::from_text) != snapshot.item.content {
        report.add(CheckProblem::Content(id));
    }
    Ok(true)
}

fn check_versions(connection: &Connection, number: i64, id: ItemId, report: &mut CheckReport) -> Result<(), Failure> {
    let mut statement = connection.prepare_cached(VERSIONS)?;
    let mut numbers: Vec<i64> = Vec::new();
    for version in statement.query_map([number], |row| row.get(0))? {
        match or_add(version.map_err(Failure::from), report)? {
            Some(version) => numbers.push(version),
            None => break,
        }
    }
    for version in numbers.into_iter().map(i64::cast_unsigned) {
        report.versions += 1;
        match versions::version(connection, id, version).map_err(Failure::into_corruption) {
            Ok(Some(_)) => {}
            Ok(None) | Err(Ok(_)) => report.add(CheckProblem::Version { id, version }),
            Err(Err(failure)) => return Err(failure),
        }
    }
    Ok(())
}
