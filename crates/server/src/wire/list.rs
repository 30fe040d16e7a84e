//! Pages of items, and lists of tags.

use interline_items::search::{SearchHit, SearchOrder, SearchResults};
use interline_items::{Caller, FoundByName, PageStart};
use interline_search::Snippet;
use schemars::JsonSchema;
use serde::Serialize;
use utoipa::ToSchema;

use super::enumerations::SnippetField;
use super::{CursorText, ItemResponse};

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
    /// The field that `text` is from.
    #[schema(value_type = SnippetField)]
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

/// The items that a text may mean.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LookedUpItems<'a> {
    /// Sorted by id; without their contents.
    items: Vec<ItemResponse<'a>>,
    /// Whether there are more.
    has_more: bool,
}

impl<'a> LookedUpItems<'a> {
    pub(crate) fn new(found: &'a FoundByName, caller: &Caller) -> LookedUpItems<'a> {
        let item = |item| ItemResponse::without_content(item).with_owner(item, caller);
        LookedUpItems { items: found.items.iter().map(item).collect(), has_more: found.has_more }
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
