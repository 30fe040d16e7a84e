//! Pages of `prompts/list` and `resources/list`.

use std::collections::BTreeSet;

use interline_items::search::{SearchHit, SearchOrder};
use interline_items::{
    Contents, Error, Filter, FindItems, Item, Kind, PageStart, Sort, SortBy, SortOrder, TagMatch, TextFilter, View,
};

use super::page_cursor::{cursor_text, parse_cursor};
use super::tool::CallContext;
use crate::wire::invalid_field;

/// How many items a page has.
const PAGE_LIMIT: usize = 100;

/// A page of active items, and where the next one starts.
pub(super) struct ListedPage {
    hits: Vec<SearchHit>,
    pub(super) next_cursor: Option<String>,
}

impl ListedPage {
    /// The page that starts at a cursor, or the first one. Items are sorted by the time of their creation, which no
    /// change moves: a client that follows the pages meets each item once.
    pub(super) async fn read(
        call: &CallContext,
        kinds: BTreeSet<Kind>,
        order: SortOrder,
        cursor: Option<&str>,
    ) -> Result<ListedPage, Error> {
        let start = match cursor {
            None => PageStart::Offset(0),
            Some(text) => {
                let cursor =
                    parse_cursor(text).ok_or_else(|| invalid_field("cursor", "is not the nextCursor of a page"))?;
                PageStart::After(cursor)
            }
        };
        let request = FindItems {
            text: TextFilter::Everything,
            filter: active_items(kinds),
            order: SearchOrder::Sorted(Sort { by: SortBy::CreatedAt, order }),
            start,
            limit: PAGE_LIMIT,
            contents: Contents::Omit,
        };
        let page = call.interline.find_items(&call.caller, request).await?;
        Ok(ListedPage { next_cursor: page.next.as_ref().and_then(cursor_text), hits: page.items })
    }

    pub(super) fn items(&self) -> impl Iterator<Item = &Item> {
        self.hits.iter().map(|hit| &hit.snapshot.item)
    }
}

/// The caller's items of these kinds that are neither archived nor deleted.
pub(in crate::mcp) fn active_items(kinds: BTreeSet<Kind>) -> Filter {
    Filter {
        // None means all spaces of the caller.
        spaces: BTreeSet::new(),
        kinds,
        tags: Vec::new(),
        tag_match: TagMatch::default(),
        views: [View::Active].into(),
    }
}
