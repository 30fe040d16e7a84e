//! Searches over items: their pages, the files of code that they read, and the steps of the index.
//!
//! What a search is, and whether an item matches, is in [`interline_search`].

mod fields;
mod files;
mod page;

pub use files::{FileReader, FileSearch, FileText, Paths, file_order};
pub use page::{IndexStep, IndexStepResult, SearchHit, SearchOrder, SearchQuery, SearchResults};
