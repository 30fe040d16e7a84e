//! What a model said about an item.

use jiff::Timestamp;

use crate::fields::Tag;

/// What a model said about an item: kept beside it, never in its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enrichment {
    /// The version of the item that the model read.
    pub version: u64,
    /// What it is about.
    pub summary: String,
    /// Tags that would fit.
    pub tags: Vec<Tag>,
    /// What the model is called.
    pub model: String,
    /// When.
    pub at: Timestamp,
}

/// What is kept of an item's enrichment, and what is being done about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnrichmentState {
    /// What a model said last.
    pub kept: Option<Enrichment>,
    /// Whether the model is to be asked, or asked again.
    pub is_pending: bool,
    /// Why the last attempt failed, if it did.
    pub failure: Option<String>,
}
