//! What a model said about an item, as it is sent.

use interline_items::fields::Tag;
use interline_items::{EnrichmentState, Item};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;

/// What a model said about an item, and what is being done about it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EnrichmentBody {
    /// The item.
    id: Uuid,
    /// What a model said; null if none has.
    enrichment: Option<SaidBody>,
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
pub(crate) struct SaidBody {
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

impl EnrichmentBody {
    pub(crate) fn of(item: &Item, state: EnrichmentState) -> EnrichmentBody {
        EnrichmentBody {
            id: item.id.uuid(),
            current: state.enrichment.as_ref().is_some_and(|kept| kept.version == item.stamp.version),
            pending: state.is_pending,
            failure: state.failure,
            enrichment: state.enrichment.map(|kept| SaidBody {
                summary: kept.summary,
                suggested_tags: kept.tags.iter().map(Tag::as_str).map(str::to_owned).collect(),
                model: kept.model,
                version: kept.version,
                at: Time(kept.at),
            }),
        }
    }
}
