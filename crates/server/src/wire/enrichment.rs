//! The summary and suggested tags that a model made of an item, in responses.

use interline_items::fields::Tag;
use interline_items::{EnrichmentState, Item};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;

/// What a model said about an item, and what is being done about it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EnrichmentBody)]
pub(crate) struct EnrichmentResponse {
    /// The item.
    id: Uuid,
    /// What a model said; null if none has.
    enrichment: Option<ModelSummaryResponse>,
    /// Whether the item has had no other version since.
    current: bool,
    /// Whether a model is going to be asked, or asked again.
    pending: bool,
    /// Why the last attempt failed; null if it did not.
    failure: Option<String>,
}

/// What a model said about an item. The item itself is not changed by it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Enrichment)]
pub(crate) struct ModelSummaryResponse {
    /// What it is about.
    summary: String,
    /// Tags that would fit.
    suggested_tags: Vec<String>,
    /// What the model is called.
    model: String,
    /// The version of the item that it read.
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// When.
    at: Time,
}

impl EnrichmentResponse {
    pub(crate) fn new(item: &Item, state: EnrichmentState) -> EnrichmentResponse {
        EnrichmentResponse {
            id: item.id.uuid(),
            current: state.enrichment.as_ref().is_some_and(|enrichment| enrichment.version == item.stamp.version),
            pending: state.is_pending,
            failure: state.failure,
            enrichment: state.enrichment.map(|enrichment| ModelSummaryResponse {
                summary: enrichment.summary,
                suggested_tags: enrichment.tags.iter().map(Tag::as_str).map(str::to_owned).collect(),
                model: enrichment.model,
                version: enrichment.version,
                at: Time(enrichment.at),
            }),
        }
    }
}
