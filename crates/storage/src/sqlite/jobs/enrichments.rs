//! What a model said about items.

use interline_items::fields::Tag;
use interline_items::{Enrichment, EnrichmentState, ItemId, JobKind};
use rusqlite::{Connection, params};

use super::super::failure::Failure;
use super::super::rows::Columns;
use crate::codec::json;

const PUT: &str = "
    INSERT INTO enrichments (item, version, summary, tags, model, at)
    SELECT number, ?2, ?3, ?4, ?5, ?6 FROM items WHERE id = ?1
    ON CONFLICT (item) DO UPDATE SET
        version = excluded.version, summary = excluded.summary, tags = excluded.tags, model = excluded.model,
        at = excluded.at
    WHERE excluded.version >= enrichments.version";

const REMOVE: &str = "DELETE FROM enrichments WHERE item = (SELECT number FROM items WHERE id = ?1)";

const KEPT: &str = "
    SELECT enrichments.version, summary, enrichments.tags, model, at
    FROM items JOIN enrichments ON enrichments.item = items.number WHERE items.id = ?1";

const JOB: &str = "SELECT failed_at IS NULL, failure FROM jobs WHERE task = ?1 AND subject = ?2";

/// Keeps what a model said, unless something is kept about a newer version.
pub(super) fn put(connection: &Connection, item: ItemId, enrichment: &Enrichment) -> Result<(), Failure> {
    connection.prepare_cached(PUT)?.execute(params![
        item.uuid().into_bytes(),
        enrichment.version.cast_signed(),
        enrichment.summary,
        json::of_words(enrichment.tags.iter().map(Tag::as_str)),
        enrichment.model,
        enrichment.at.as_microsecond(),
    ])?;
    Ok(())
}

/// Keeps nothing any more.
pub(super) fn remove(connection: &Connection, item: ItemId) -> Result<(), Failure> {
    connection.prepare_cached(REMOVE)?.execute([item.uuid().into_bytes()])?;
    Ok(())
}

/// What is kept, and what is being done about it.
pub(super) fn of_item(connection: &Connection, item: ItemId) -> Result<EnrichmentState, Failure> {
    let id = item.uuid().into_bytes();
    let kept = connection
        .prepare_cached(KEPT)?
        .query_and_then([id], |row| {
            let mut columns = Columns::of(row);
            Ok::<_, Failure>(Enrichment {
                version: columns.count()?,
                summary: columns.next()?,
                tags: json::words(columns.text()?, "suggested tags")?.into_iter().map(Tag::from_stored).collect(),
                model: columns.next()?,
                at: columns.time()?,
            })
        })?
        .next()
        .transpose()?;
    let mut job = connection.prepare_cached(JOB)?;
    let job = job.query_and_then(params![JobKind::Enrich.name(), id], |row| {
        let mut columns = Columns::of(row);
        Ok::<(bool, Option<String>), Failure>((columns.next()?, columns.next()?))
    });
    let (is_pending, failure) = job?.next().transpose()?.unwrap_or_default();
    Ok(EnrichmentState { enrichment: kept, is_pending, failure })
}
