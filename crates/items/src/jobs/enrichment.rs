//! Enrichments: the summary and tags that a model made of an item.

use jiff::Timestamp;

use crate::fields::Tag;

/// The summary and tags that a model made of an item: stored beside the item, never in its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enrichment {
    /// The version of the item that the model read.
    pub version: u64,
    /// The summary.
    pub summary: String,
    /// Tags that would fit.
    pub tags: Vec<Tag>,
    /// The name of the model.
    pub model: String,
    /// When.
    pub at: Timestamp,
}

/// The stored enrichment of an item, and the state of the job that renews it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnrichmentState {
    /// The last enrichment.
    pub enrichment: Option<Enrichment>,
    /// Whether the model is to be asked, or asked again.
    pub is_pending: bool,
    /// Why the last attempt failed, if it did.
    pub failure: Option<String>,
}
