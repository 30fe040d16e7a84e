//! The integrity check: contents, versions and the search index of every item.

use std::collections::BTreeMap;

use interline_items::{CheckProblem, CheckReport, ContentInfo, ItemId};
use rusqlite::Connection;
use uuid::Uuid;

use super::index::keys;
use super::segments::{live_segments, stale_items};
use super::texts::Texts;
use crate::codec::CodecError;
use crate::search::fingerprint::{Fingerprints, fingerprint};
use crate::search::live_segment::LiveSegment;
use crate::sqlite::failure::Failure;
use crate::sqlite::history::versions;
use crate::sqlite::items::lookup;

const ITEMS: &str = "SELECT number, id FROM items ORDER BY number";

const VERSIONS: &str = "SELECT version FROM versions WHERE item = ?1 AND version IS NOT NULL ORDER BY version";

const BLOCKS: &str = "SELECT data FROM search_blocks WHERE segment = ?1 ORDER BY first";

/// Checks everything that is stored. The connection is in a transaction.
pub(crate) fn check(connection: &Connection) -> Result<CheckReport, Failure> {
    let mut report = CheckReport::default();
    let mut sums = sums(connection, &mut report)?;
    let stale = stale_items(connection)?;
    let mut texts = Texts::new(connection)?;
    let mut statement = connection.prepare(ITEMS)?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let (number, id) = (row.get(0)?, ItemId::from_uuid(Uuid::from_bytes(row.get(1)?)));
        report.items += 1;
        check_content(connection, id, &mut report)?;
        check_versions(connection, number, id, &mut report)?;
        let in_index = sums.remove(&number).unwrap_or_default();
        if stale.contains(number) {
            report.stale += 1;
        } else if keys(&mut texts, number)?.is_none_or(|(keys, _)| fingerprint(keys) != in_index) {
            report.add(CheckProblem::Index(id));
        }
    }
    for number in sums.into_keys().filter(|number| !stale.contains(*number)) {
        report.add(CheckProblem::Damage(format!("the index has item {number}, which is not there")));
    }
    Ok(report)
}

/// The fingerprint of each item, by the index.
fn sums(connection: &Connection, report: &mut CheckReport) -> Result<BTreeMap<i64, u128>, Failure> {
    let mut sums = Fingerprints::default();
    let mut statement = connection.prepare(BLOCKS)?;
    for segment in live_segments(connection)? {
        let mut blocks = statement.query([segment.number])?;
        while let Some(row) = blocks.next()? {
            let block = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
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

fn check_content(connection: &Connection, id: ItemId, report: &mut CheckReport) -> Result<(), Failure> {
    let Some(snapshot) = lookup::snapshot(connection, id)? else { return Ok(()) };
    if snapshot.content.as_deref().map(ContentInfo::from_text) != snapshot.item.content {
        report.add(CheckProblem::Content(id));
    }
    Ok(())
}

fn check_versions(connection: &Connection, number: i64, id: ItemId, report: &mut CheckReport) -> Result<(), Failure> {
    let mut statement = connection.prepare_cached(VERSIONS)?;
    let numbers: Vec<i64> = statement.query_map([number], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for version in numbers.into_iter().map(i64::cast_unsigned) {
        report.versions += 1;
        let found = versions::version(connection, id, version);
        let is_whole = found.is_ok_and(|found| found.is_some_and(|version| version.fits_its_record()));
        if !is_whole {
            report.add(CheckProblem::Version { id, version });
        }
    }
    Ok(())
}
