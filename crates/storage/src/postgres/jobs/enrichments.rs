//! What a model said about items.

use deadpool_postgres::Client;
use interline_items::fields::Tag;
use interline_items::{Enrichment, EnrichmentState, ItemId, JobKind};

use super::super::failure::Failure;
use super::super::rows::{count, stored, time};
use crate::codec::json;

const PUT: &str = "
    INSERT INTO enrichments (item, version, summary, tags, model, at)
    SELECT id, $2, $3, $4, $5, $6 FROM items WHERE id = $1 FOR KEY SHARE
    ON CONFLICT (item) DO UPDATE SET
        version = excluded.version, summary = excluded.summary, tags = excluded.tags, model = excluded.model,
        at = excluded.at
    WHERE excluded.version >= enrichments.version";

const REMOVE: &str = "DELETE FROM enrichments WHERE item = $1";

const KEPT: &str = "SELECT * FROM enrichments WHERE item = $1";

const JOB: &str = "SELECT failed_at IS NULL, failure FROM jobs WHERE task = $1 AND subject = $2";

/// Keeps what a model said, unless something is kept about a newer version.
pub(super) async fn put(client: &Client, item: ItemId, enrichment: &Enrichment) -> Result<(), Failure> {
    client
        .execute(
            PUT,
            &[
                &item.uuid(),
                &stored(enrichment.version)?,
                &enrichment.summary,
                &json::of_words(enrichment.tags.iter().map(Tag::as_str)),
                &enrichment.model,
                &enrichment.at.as_microsecond(),
            ],
        )
        .await?;
    Ok(())
}

/// Keeps nothing any more.
pub(super) async fn remove(client: &Client, item: ItemId) -> Result<(), Failure> {
    client.execute(REMOVE, &[&item.uuid()]).await?;
    Ok(())
}

/// What is kept, and what is being done about it.
pub(super) async fn of_item(client: &Client, item: ItemId) -> Result<EnrichmentState, Failure> {
    let kept = match client.query_opt(KEPT, &[&item.uuid()]).await? {
        Some(row) => Some(Enrichment {
            version: count(&row, "version")?,
            summary: row.try_get("summary")?,
            tags: json::words(row.try_get("tags")?, "suggested tags")?.into_iter().map(Tag::from_stored).collect(),
            model: row.try_get("model")?,
            at: time(&row, "at")?,
        }),
        None => None,
    };
    let (is_pending, failure) = match client.query_opt(JOB, &[&JobKind::Enrich.name(), &item.uuid()]).await? {
        Some(row) => (row.try_get(0)?, row.try_get(1)?),
        None => (false, None),
    };
    Ok(EnrichmentState { enrichment: kept, is_pending, failure })
}
