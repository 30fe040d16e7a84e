//! Pages of items with their cursors, and lists of tags.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use interline_items::search::{SearchHit, SearchOrder, SearchResults};
use interline_items::{Caller, Cursor, CursorKey, ItemId, PageStart, Sort, SortBy, SortOrder};
use interline_search::Snippet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::ItemResponse;

/// A page of items.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ItemList<'a> {
    /// The items of this page.
    items: Vec<SearchHitResponse<'a>>,
    /// How many items there are in all.
    #[schema(value_type = i64, minimum = 0)]
    total: u64,
    /// How many items come before this page; null for a page that was asked for by cursor.
    #[schema(value_type = Option<i64>, minimum = 0)]
    offset: Option<u64>,
    /// How many items a page has at the most.
    #[schema(value_type = i64, minimum = 1)]
    limit: usize,
    /// Whether there is another page.
    has_more: bool,
    /// Where the next page starts: give it as `cursor`.
    next_cursor: Option<String>,
}

impl<'a> ItemList<'a> {
    /// A page that was asked for from `start`, in an order.
    pub(crate) fn new(
        page: &'a SearchResults,
        start: &PageStart,
        limit: usize,
        order: SearchOrder,
        caller: &Caller,
    ) -> ItemList<'a> {
        ItemList {
            items: page.items.iter().map(|found| SearchHitResponse::new(found, caller)).collect(),
            total: page.total,
            offset: match start {
                PageStart::Offset(offset) => Some(*offset),
                PageStart::After(_) => None,
            },
            limit,
            has_more: page.next.is_some(),
            next_cursor: page.next.as_ref().and_then(|cursor| CursorText::write(cursor, order)),
        }
    }
}

/// An item of a list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FoundItem)]
struct SearchHitResponse<'a> {
    /// Where the item matches; there in the answers to `q` and `regex` alone. It is the line of the content that shows the
    /// most of what was looked for, or else a line of another field. Read on from there with `start_line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    snippet: Option<SnippetResponse<'a>>,
    #[serde(flatten)]
    item: ItemResponse<'a>,
}

/// Where an item matches.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Snippet)]
struct SnippetResponse<'a> {
    /// `content`, `description`, `title` (which stands for the name of a prompt too), `url` or `path`.
    #[schema(pattern = "^(content|description|title|url|path)$")]
    field: &'static str,
    /// The line of the content, from 1: what `start_line` takes. Null in other fields.
    #[schema(value_type = Option<i64>, minimum = 1)]
    line: Option<u64>,
    /// That line, or up to 200 characters of it, exactly as it stands there: it can be copied into `old_str`.
    text: &'a str,
    /// What matches: pairs of the first character of `text` and the one after the last, counted from 0.
    #[schema(value_type = Vec<Vec<i64>>)]
    marks: Vec<[usize; 2]>,
}

impl<'a> SearchHitResponse<'a> {
    fn new(found: &'a SearchHit, caller: &Caller) -> SearchHitResponse<'a> {
        let snippet = found.snippet.as_ref().map(SnippetResponse::from);
        let item = ItemResponse::from_snapshot(&found.snapshot).with_owner(&found.snapshot.item, caller);
        SearchHitResponse { snippet, item }
    }
}

impl<'a> From<&'a Snippet> for SnippetResponse<'a> {
    fn from(snippet: &'a Snippet) -> SnippetResponse<'a> {
        let marks = snippet.marks.iter().map(|mark| [mark.start, mark.end]).collect();
        SnippetResponse { field: snippet.field.name(), line: snippet.field.line(), text: &snippet.text, marks }
    }
}

/// A cursor as text: opaque to clients, and good for one order only.
#[derive(Serialize, Deserialize)]
pub(crate) struct CursorText {
    by: String,
    order: String,
    id: Uuid,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    micros: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<u32>,
}

impl CursorText {
    fn write(cursor: &Cursor, order: SearchOrder) -> Option<String> {
        let (by, direction) = order_names(order);
        let (by, order, id) = (by.to_owned(), direction.to_owned(), cursor.id.uuid());
        let mut parts = CursorText { by, order, id, text: None, micros: None, score: None };
        match &cursor.key {
            None => {}
            Some(CursorKey::Text(text)) => parts.text = Some(text.clone()),
            Some(CursorKey::Micros(micros)) => parts.micros = Some(*micros),
            Some(CursorKey::Score(score)) => parts.score = Some(*score),
        }
        let json = serde_json::to_vec(&parts).ok()?;
        Some(URL_SAFE_NO_PAD.encode(json))
    }

    /// The cursor of a text; `None` if it is not one of this order.
    pub(crate) fn read(text: &str, order: SearchOrder) -> Option<Cursor> {
        let parts: CursorText = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let key = match (parts.text, parts.micros, parts.score) {
            (Some(text), None, None) => Some(CursorKey::Text(text)),
            (None, Some(micros), None) => Some(CursorKey::Micros(micros)),
            (None, None, Some(score)) => Some(CursorKey::Score(score)),
            (None, None, None) => None,
            _ => return None,
        };
        let of_this_order = (parts.by.as_str(), parts.order.as_str()) == order_names(order);
        of_this_order.then_some(Cursor { key, id: ItemId::from_uuid(parts.id) })
    }
}

/// An order in the words of the API.
fn order_names(order: SearchOrder) -> (&'static str, &'static str) {
    let (by, direction) = match order {
        SearchOrder::Relevance(direction) => ("relevance", direction),
        SearchOrder::Sorted(Sort { by: SortBy::CreatedAt, order }) => ("created_at", order),
        SearchOrder::Sorted(Sort { by: SortBy::UpdatedAt, order }) => ("updated_at", order),
        SearchOrder::Sorted(Sort { by: SortBy::LastUsedAt, order }) => ("last_used_at", order),
        SearchOrder::Sorted(Sort { by: SortBy::Title, order }) => ("title", order),
    };
    match direction {
        SortOrder::Ascending => (by, "asc"),
        SortOrder::Descending => (by, "desc"),
    }
}

/// All tags.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub(crate) struct TagList {
    /// Sorted by name.
    pub(crate) tags: Vec<TagCount>,
}

/// A tag.
#[derive(Debug, Serialize, ToSchema, JsonSchema)]
pub(crate) struct TagCount {
    /// The tag.
    pub(crate) name: String,
    /// How many items that are not deleted have it.
    #[schema(value_type = i64, minimum = 1)]
    pub(crate) count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(by: SortBy, order: SortOrder) -> SearchOrder {
        SearchOrder::Sorted(Sort { by, order })
    }

    #[test]
    fn a_cursor_comes_back_and_is_good_for_its_order_only() {
        let title = sorted(SortBy::Title, SortOrder::Ascending);
        let update = sorted(SortBy::UpdatedAt, SortOrder::Descending);
        let relevance = SearchOrder::Relevance(SortOrder::Descending);
        let id = ItemId::generate();
        for (cursor, order, others) in [
            (Cursor { key: Some(CursorKey::Text("ärger \"x\"".to_owned())), id }, title, [update, relevance]),
            (Cursor { key: None, id }, title, [update, relevance]),
            (Cursor { key: Some(CursorKey::Micros(-5)), id }, update, [title, relevance]),
            (
                Cursor { key: Some(CursorKey::Score(136)), id },
                relevance,
                [update, SearchOrder::Relevance(SortOrder::Ascending)],
            ),
        ] {
            let text = CursorText::write(&cursor, order).unwrap();
            assert_eq!(CursorText::read(&text, order), Some(cursor));
            for other in others {
                assert_eq!(CursorText::read(&text, other), None);
            }
        }
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let order = sorted(SortBy::Title, SortOrder::Ascending);
        for text in ["", "x", "e30", "bnVsbA", "ää", "+1+1", "eyJieSI6"] {
            assert_eq!(CursorText::read(text, order), None, "{text}");
        }
    }
}
