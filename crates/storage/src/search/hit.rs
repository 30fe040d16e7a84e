//! A hit on a page of search results: the item, and the snippet that shows what matches.

use interline_items::search::{SearchHit, SearchQuery};
use interline_items::{Contents, Snapshot, StoreError};

/// The hit of an item. [`StoreError::OutOfTime`] if the time of the search is over before the snippet is made.
pub(crate) fn search_hit(mut snapshot: Snapshot, query: &SearchQuery) -> Result<SearchHit, StoreError> {
    let mut in_time = || query.checkpoint.check().is_ok();
    let snippet = query.search.snippet(&snapshot.searched_fields(), &mut in_time);
    let snippet = snippet.map_err(|_| StoreError::OutOfTime)?;
    match query.contents {
        Contents::Read => {}
        Contents::Omit => snapshot.content = None,
    }
    Ok(SearchHit { snapshot, snippet })
}
