//! The tables of the search index: live segments, their blocks, stale items, and the lease of the indexer.

use rusqlite::{Connection, OptionalExtension, params};

use crate::search::item_set::ItemSet;
use crate::search::lease::Lease;
use crate::search::live_segment::LiveSegment;
use crate::search::vocabulary::VOCABULARY;
use crate::sqlite::failure::Failure;

const LIVE: &str = "SELECT number, items, bytes, dead FROM search_segments WHERE state = 1 ORDER BY number";

const STALE: &str = "SELECT item FROM stale_items ORDER BY item";

/// The only block that can have a term.
const BLOCK: &str = "
    SELECT data FROM search_blocks WHERE segment = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1";

const VOCABULARY_BLOCKS: &str = "SELECT data FROM search_blocks WHERE segment = ?1 AND first >= ?2 ORDER BY first";

/// Calls `look` with the block of a segment that would have a term.
pub(super) fn with_block(
    connection: &Connection,
    segment: &LiveSegment,
    key: &[u8],
    look: impl FnOnce(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut statement = connection.prepare_cached(BLOCK)?;
    let mut found = statement.query(params![segment.number, key])?;
    match found.next()? {
        Some(row) => look(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?),
        None => Ok(()),
    }
}

/// Calls `look` with each block of the vocabulary of a segment.
pub(super) fn with_vocabulary(
    connection: &Connection,
    segment: &LiveSegment,
    mut look: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut statement = connection.prepare_cached(VOCABULARY_BLOCKS)?;
    let mut found = statement.query(params![segment.number, VOCABULARY])?;
    while let Some(row) = found.next()? {
        look(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?;
    }
    Ok(())
}

/// The live segments.
pub(super) fn live_segments(connection: &Connection) -> Result<Vec<LiveSegment>, Failure> {
    let mut statement = connection.prepare_cached(LIVE)?;
    let segments = statement.query_and_then([], |row| {
        let tombstones = ItemSet::decode(row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?)?;
        Ok(LiveSegment { number: row.get(0)?, items: row.get(1)?, bytes: row.get(2)?, tombstones })
    })?;
    segments.collect()
}

/// The stale items: the index does not have their current state.
pub(super) fn stale_items(connection: &Connection) -> Result<ItemSet, Failure> {
    let mut statement = connection.prepare_cached(STALE)?;
    let items = statement.query_map([], |row| row.get(0))?;
    Ok(items.collect::<Result<ItemSet, _>>()?)
}

const LEASE: &str = "SELECT value FROM meta WHERE key = 'indexer'";

const TAKE_LEASE: &str = "
    INSERT INTO meta (key, value) VALUES ('indexer', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value";

/// Whether another process holds the lease of the indexer.
pub(super) fn is_leased_elsewhere(connection: &Connection, lease: &Lease) -> Result<bool, Failure> {
    let stored: Option<String> = connection.prepare_cached(LEASE)?.query_row([], |row| row.get(0)).optional()?;
    Ok(stored.is_some_and(|stored| lease.is_held_elsewhere(&stored)))
}

/// Takes or renews the lease, which keeps other processes from the index for a while.
pub(super) fn take_lease(connection: &Connection, lease: &Lease) -> Result<(), Failure> {
    connection.prepare_cached(TAKE_LEASE)?.execute([lease.to_text()])?;
    Ok(())
}
