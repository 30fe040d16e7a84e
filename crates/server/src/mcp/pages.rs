//! Pages of what the protocol itself lists: prompts and resources.

use std::collections::BTreeSet;

use interline_items::search::{SearchHit, SearchOrder};
use interline_items::{
    Contents, Cursor, CursorKey, Error, FindItems, Item, ItemId, Kind, PageStart, Sort, SortBy, SortOrder, TextFilter,
};
use uuid::Uuid;

use super::arguments::invalid;
use super::finding::active;
use super::tool::Call;

/// How many items a page has.
const PAGE: usize = 100;

/// A page of active items, and where the next one starts.
pub(super) struct ListedPage {
    found: Vec<SearchHit>,
    pub(super) next_cursor: Option<String>,
}

impl ListedPage {
    /// The page that starts at a cursor, or the first. Items come by when they were made, which no change of theirs moves:
    /// whoever follows the pages meets each once.
    pub(super) async fn read(
        call: &Call,
        kinds: BTreeSet<Kind>,
        order: SortOrder,
        cursor: Option<&str>,
    ) -> Result<ListedPage, Error> {
        let start = match cursor {
            None => PageStart::Offset(0),
            Some(text) => {
                let cursor = cursor_of(text).ok_or_else(|| invalid("cursor", "is not the nextCursor of a page"))?;
                PageStart::After(cursor)
            }
        };
        let request = FindItems {
            text: TextFilter::Everything,
            filter: active(kinds),
            order: SearchOrder::Sorted(Sort { by: SortBy::CreatedAt, order }),
            start,
            limit: PAGE,
            contents: Contents::Omit,
        };
        let page = call.interline.find_items(&call.caller, request).await?;
        Ok(ListedPage { next_cursor: page.next.as_ref().and_then(text_of), found: page.items })
    }

    pub(super) fn items(&self) -> impl Iterator<Item = &Item> {
        self.found.iter().map(|found| &found.snapshot.item)
    }
}

/// A cursor as text: when the last item of a page was made, and its id.
fn text_of(cursor: &Cursor) -> Option<String> {
    match &cursor.key {
        Some(CursorKey::Micros(micros)) => Some(format!("{micros}.{}", cursor.id.uuid())),
        Some(CursorKey::Text(_) | CursorKey::Score(_)) | None => None,
    }
}

fn cursor_of(text: &str) -> Option<Cursor> {
    let (micros, id) = text.split_once('.')?;
    let key = CursorKey::Micros(micros.parse().ok()?);
    Some(Cursor { key: Some(key), id: ItemId::from_uuid(Uuid::try_parse(id).ok()?) })
}
