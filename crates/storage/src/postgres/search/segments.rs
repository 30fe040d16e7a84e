//! The tables of the search index: live segments, their blocks, stale items, and the lease of the indexer.

use deadpool_postgres::Transaction;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::postgres::failure::Failure;
use crate::search::block;
use crate::search::item_keys::member_key;
use crate::search::item_set::ItemSet;
use crate::search::lease::Lease;
use crate::search::live_segment::LiveSegment;
use crate::search::vocabulary::VOCABULARY;

const LIVE: &str = "SELECT number, items, bytes, dead FROM search_segments WHERE state = 1 ORDER BY number";

const STALE: &str = "SELECT items.number FROM stale_items JOIN items ON items.id = stale_items.item";

/// The blocks that would have the terms, each once, with the positions of those terms (from 1). The join has only the keys
/// of the blocks, so that no block is read twice.
const BLOCKS: &str = "
    WITH wanted AS MATERIALIZED (
        SELECT one.segment, block.first, array_agg(term.place) AS places
        FROM unnest($1::bigint[]) AS one (segment)
        CROSS JOIN unnest($2::bytea[]) WITH ORDINALITY AS term (key, place)
        CROSS JOIN LATERAL (
            SELECT first FROM search_blocks
            WHERE search_blocks.segment = one.segment AND first <= term.key
            ORDER BY first DESC LIMIT 1
        ) AS block
        GROUP BY one.segment, block.first
    )
    SELECT wanted.segment, wanted.places, found.data
    FROM wanted
    CROSS JOIN LATERAL (
        SELECT data FROM search_blocks WHERE segment = wanted.segment AND first = wanted.first OFFSET 0
    ) AS found";

/// How many blocks of the usual size are read at a time.
const BLOCKS_AT_ONCE: usize = 1024;

/// The live segments.
pub(super) async fn live_segments(transaction: &Transaction<'_>) -> Result<Vec<LiveSegment>, Failure> {
    let statement = transaction.prepare_cached(LIVE).await?;
    let segment = |row: &Row| {
        Ok(LiveSegment {
            number: row.try_get("number")?,
            items: row.try_get("items")?,
            bytes: row.try_get("bytes")?,
            tombstones: ItemSet::decode(row.try_get("dead")?)?,
        })
    };
    transaction.query(&statement, &[]).await?.iter().map(segment).collect()
}

/// The stale items that exist: the index does not have their current state.
pub(super) async fn stale_items(transaction: &Transaction<'_>) -> Result<ItemSet, Failure> {
    let statement = transaction.prepare_cached(STALE).await?;
    let numbers = transaction.query(&statement, &[]).await?;
    Ok(numbers.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
}

const VOCABULARY_BLOCKS: &str = "
    SELECT first, data FROM search_blocks WHERE segment = $1 AND first >= $2 AND first > $3 ORDER BY first LIMIT 256";

/// Reads the vocabularies of segments, some blocks at a time.
pub(super) struct Vocabularies<'a> {
    segments: std::slice::Iter<'a, LiveSegment>,
    /// The segment that is being read, and the first key of its last block that was read.
    at: Option<(i64, Vec<u8>)>,
}

impl<'a> Vocabularies<'a> {
    pub(super) fn new(segments: &'a [LiveSegment]) -> Vocabularies<'a> {
        Vocabularies { segments: segments.iter(), at: None }
    }

    /// The next blocks; `None` after the last.
    pub(super) async fn next(&mut self, transaction: &Transaction<'_>) -> Result<Option<Vec<Row>>, Failure> {
        let statement = transaction.prepare_cached(VOCABULARY_BLOCKS).await?;
        loop {
            let at = self.at.take().or_else(|| self.segments.next().map(|segment| (segment.number, Vec::new())));
            let Some((segment, last)) = at else { return Ok(None) };
            let blocks = transaction.query(&statement, &[&segment, &VOCABULARY, &last]).await?;
            if let Some(row) = blocks.last() {
                self.at = Some((segment, row.try_get("first")?));
                return Ok(Some(blocks));
            }
        }
    }
}

/// Looks up terms in segments, some terms at a time.
pub(super) struct TermLookups<'a> {
    segments: &'a [LiveSegment],
    keys: std::slice::Chunks<'a, Vec<u8>>,
}

/// A block that would have some of the terms.
pub(super) struct LookedUpBlock {
    row: Row,
}

impl<'a> TermLookups<'a> {
    pub(super) fn new(segments: &'a [LiveSegment], keys: &'a [Vec<u8>]) -> TermLookups<'a> {
        TermLookups { segments, keys: keys.chunks((BLOCKS_AT_ONCE / segments.len().max(1)).max(1)) }
    }

    /// The next terms, and the blocks that would have them, in one round trip; `None` after the last.
    pub(super) async fn next(
        &mut self,
        transaction: &Transaction<'_>,
    ) -> Result<Option<(&'a [Vec<u8>], Vec<LookedUpBlock>)>, Failure> {
        let Some(keys) = self.keys.next() else { return Ok(None) };
        let segments: Vec<i64> = self.segments.iter().map(|segment| segment.number).collect();
        let statement = transaction.prepare_cached(BLOCKS).await?;
        let found = transaction.query(&statement, &[&segments, &keys]).await?;
        Ok(Some((keys, found.into_iter().map(|row| LookedUpBlock { row }).collect())))
    }
}

impl LookedUpBlock {
    /// Calls `look` for each of the terms that the block would have.
    pub(super) fn look(
        &self,
        segments: &[LiveSegment],
        keys: &[Vec<u8>],
        mut look: impl FnMut(&LiveSegment, &[u8], &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let number: i64 = self.row.try_get("segment")?;
        let Some(segment) = segments.iter().find(|segment| segment.number == number) else { return Ok(()) };
        let data: &[u8] = self.row.try_get("data")?;
        for position in self.row.try_get::<_, Vec<i64>>("places")? {
            let position = usize::try_from(position - 1).unwrap_or(usize::MAX);
            if let Some(key) = keys.get(position) {
                look(segment, key, data)?;
            }
        }
        Ok(())
    }
}

/// The numbers of the items that a segment has live postings of, by the number of the segment; also those of purged items.
pub(super) async fn members(
    transaction: &Transaction<'_>,
    segments: &[LiveSegment],
    items: &[Uuid],
) -> Result<Vec<(i64, Vec<i64>)>, Failure> {
    let keys: Vec<Vec<u8>> = items.iter().map(|id| member_key(id.as_bytes())).collect();
    let mut members: Vec<(i64, Vec<i64>)> = segments.iter().map(|segment| (segment.number, Vec::new())).collect();
    let mut lookups = TermLookups::new(segments, &keys);
    while let Some((keys, blocks)) = lookups.next(transaction).await? {
        for block in blocks {
            block.look(segments, keys, |segment, key, data| {
                for posting in block::find(data, key)?.into_iter().flatten() {
                    let (item, _) = posting?;
                    let of_segment = members.iter_mut().find(|(number, _)| *number == segment.number);
                    if let Some((_, items)) = of_segment.filter(|_| !segment.tombstones.contains(item)) {
                        items.push(item);
                    }
                }
                Ok(())
            })?;
        }
    }
    members.retain(|(_, items)| !items.is_empty());
    Ok(members)
}

/// Transactions that change segments exclude each other by this lock. It is taken before every other lock, and no change
/// of an item takes it.
const LOCK_SEGMENTS: &str = "SELECT pg_advisory_xact_lock(7449362053)";

const LEASE: &str = "SELECT value FROM meta WHERE key = 'indexer'";

const TAKE_LEASE: &str = "
    INSERT INTO meta (key, value) VALUES ('indexer', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value";

/// Locks the segments until the end of the transaction. The statements after it see the commit that it waited for.
pub(super) async fn lock_segments(transaction: &Transaction<'_>) -> Result<(), Failure> {
    Ok(transaction.batch_execute(LOCK_SEGMENTS).await?)
}

/// Whether another process holds the lease of the indexer.
pub(super) async fn is_leased_elsewhere(transaction: &Transaction<'_>, lease: &Lease) -> Result<bool, Failure> {
    let statement = transaction.prepare_cached(LEASE).await?;
    let Some(stored) = transaction.query_opt(&statement, &[]).await? else { return Ok(false) };
    Ok(lease.is_held_elsewhere(stored.try_get(0)?))
}

/// Takes or renews the lease, which keeps other processes from the index for a while.
pub(super) async fn take_lease(transaction: &Transaction<'_>, lease: &Lease) -> Result<(), Failure> {
    let statement = transaction.prepare_cached(TAKE_LEASE).await?;
    transaction.execute(&statement, &[&lease.to_text()]).await?;
    Ok(())
}
