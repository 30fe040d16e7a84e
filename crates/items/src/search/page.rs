//! Pages of search results, and the steps by which the index catches up.

use std::sync::Arc;

use interline_search::{Search, Snippet};
use jiff::Timestamp;

use crate::fair::Checkpoint;
use crate::{Contents, Cursor, Filter, PageStart, Snapshot, Sort, SortOrder};

/// A request for a page of search results.
#[derive(Clone, Debug)]
pub struct SearchQuery {
    /// The search.
    pub search: Arc<Search>,
    /// Which items are searched.
    pub filter: Filter,
    /// The order.
    pub order: SearchOrder,
    /// Where the page starts.
    pub start: PageStart,
    /// How many items at the most; at least 1.
    pub limit: usize,
    /// Whether contents are read too.
    pub contents: Contents,
    /// The checkpoint at which the storage asks whether it may go on.
    pub checkpoint: Checkpoint,
}

/// An order of search results; ties are broken by id, in the same direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchOrder {
    /// By how well items match.
    Relevance(SortOrder),
    /// As lists are.
    Sorted(Sort),
}

impl SearchOrder {
    /// Which comes first.
    pub fn direction(self) -> SortOrder {
        match self {
            SearchOrder::Relevance(order) | SearchOrder::Sorted(Sort { order, .. }) => order,
        }
    }
}

/// A page of search results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResults {
    /// The items.
    pub items: Vec<SearchHit>,
    /// How many items match in all.
    pub total: u64,
    /// Where the next page starts; `None` after the last.
    pub next: Option<Cursor>,
}

/// An item that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// The item, with its content if that was asked for.
    pub snapshot: Snapshot,
    /// Where it matches.
    pub snippet: Option<Snippet>,
}

/// A step of the index: which items it indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexStep {
    /// Items that changed later are left for another step: an item that is being edited is indexed when that is over.
    pub unchanged_since: Timestamp,
}

/// The result of a step of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexStepResult {
    /// It indexed items.
    Added {
        /// How many.
        items: u64,
        /// How many items the index does not know as they are, whenever they changed.
        stale: u64,
    },
    /// It put parts of the index together, or removed what is left of them.
    Tidied,
    /// There was nothing to do for it.
    Nothing {
        /// How many items the index does not know as they are, whenever they changed.
        stale: u64,
    },
    /// Another process is indexing.
    Elsewhere,
}
