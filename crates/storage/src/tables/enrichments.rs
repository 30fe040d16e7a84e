//! The table `enrichments`: the summaries and tags that a model suggested for items.

use interline_items::fields::Tag;
use interline_items::{Enrichment, EnrichmentState, ItemId, JobKind, StoreError};

use crate::codec::json;
use crate::sql::{RowReader, Sql, Statement, query_first, statement, values};

// `$key` is the column of `items` that `enrichments.item` refers to.
macro_rules! put {
    ($key:literal, $lock:literal) => {
        concat!(
            "INSERT INTO enrichments (item, version, summary, tags, model, at)
             SELECT ",
            $key,
            ", ?2, ?3, ?4, ?5, ?6 FROM items WHERE id = ?1 ",
            $lock,
            " ON CONFLICT (item) DO UPDATE SET
                 version = excluded.version, summary = excluded.summary, tags = excluded.tags, model = excluded.model,
                 at = excluded.at
             WHERE excluded.version >= enrichments.version"
        )
    };
}

macro_rules! get {
    ($key:literal) => {
        concat!(
            "SELECT enrichments.version, summary, enrichments.tags, model, at
             FROM items JOIN enrichments ON enrichments.item = items.",
            $key,
            " WHERE items.id = ?1"
        )
    };
}

const PUT: Statement = statement!(sqlite: put!("number", ""), postgres: put!("id", "FOR KEY SHARE"));

const REMOVE: Statement = statement!(
    sqlite: "DELETE FROM enrichments WHERE item = (SELECT number FROM items WHERE id = ?1)",
    postgres: "DELETE FROM enrichments WHERE item = ?1",
);

const GET: Statement = statement!(sqlite: get!("number"), postgres: get!("id"));

const JOB: Statement = statement!("SELECT failed_at, failure FROM jobs WHERE task = ?1 AND subject = ?2");

/// Keeps the enrichment of an item, unless that of a newer version is kept.
pub(crate) async fn put<S: Sql>(sql: &S, item: ItemId, enrichment: &Enrichment) -> Result<(), S::Failure> {
    let Enrichment { version, summary, tags, model, at } = enrichment;
    let tags = json::encode_strings(tags.iter().map(Tag::as_str));
    sql.execute(PUT, values![item, *version, summary, tags, model, *at]).await?;
    Ok(())
}

/// Removes the enrichment of an item.
pub(crate) async fn remove<S: Sql>(sql: &S, item: ItemId) -> Result<(), S::Failure> {
    sql.execute(REMOVE, values![item]).await?;
    Ok(())
}

/// The enrichment of an item, and whether a job is about to make another one.
pub(crate) async fn for_item<S: Sql>(sql: &S, item: ItemId) -> Result<EnrichmentState, S::Failure> {
    let enrichment = query_first(sql, GET, values![item], from_row).await?;
    let job = |row: &mut RowReader<'_>| Ok((row.optional::<i64>()?.is_none(), row.optional()?));
    let job = query_first(sql, JOB, values![JobKind::Enrich.name(), item], job).await?;
    let (is_pending, failure) = job.unwrap_or_default();
    Ok(EnrichmentState { enrichment, is_pending, failure })
}

fn from_row(row: &mut RowReader<'_>) -> Result<Enrichment, StoreError> {
    Ok(Enrichment {
        version: row.get()?,
        summary: row.get()?,
        tags: json::decode_strings(row.get()?, "suggested tags")?.into_iter().map(Tag::from_stored).collect(),
        model: row.get()?,
        at: row.get()?,
    })
}
