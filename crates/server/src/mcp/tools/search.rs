//! Arguments and results of the tools that search for items.

use std::collections::BTreeSet;

use interline_items::fields::Tag;
use interline_items::search::SearchHit;
use interline_items::{
    Contents, Error, Filter, FindBy, FindItems, Item, Kind, PageStart, SortOrder, TagMatch, TextFilter, View,
};
use interline_search::Snippet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::protocol::arguments::{BoundedInt, rename_field};
use crate::mcp::protocol::pages::active_items;
use crate::mcp::protocol::tool::CallContext;
use crate::wire::invalid_field;

/// How many items a page has unless the call asks for more: each takes about 100 tokens.
const DEFAULT_LIMIT: u64 = 20;

/// How many characters a preview has beside a snippet.
const PREVIEW_CHARS: usize = 150;

/// The search that a call asks for. (Each tool lists these arguments itself: serde can share fields between types, but
/// then neither type refuses unknown fields.)
pub(super) struct SearchArgs {
    pub(super) query: Option<String>,
    pub(super) tags: Option<Vec<String>>,
    pub(super) tag_match: Option<TagMatchArg>,
    pub(super) view: Option<ViewArg>,
    pub(super) by: Option<FindBy>,
    pub(super) order: Option<SortOrder>,
    pub(super) limit: Option<BoundedInt<1, 100>>,
    pub(super) offset: Option<BoundedInt<0, 1_000_000>>,
}

// Which of several tags an item must have. (A doc comment would be sent to models, with every tool.)
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum TagMatchArg {
    All,
    Any,
}

// Which items are searched. (A doc comment would be sent to models, with every tool.)
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ViewArg {
    Active,
    Archived,
    Deleted,
}

/// A page of search hits, with each item as a `T`.
#[derive(Serialize, JsonSchema)]
pub(super) struct SearchPageResult<T> {
    items: Vec<SearchHitResult<T>>,
    total: u64,
    offset: u64,
    has_more: bool,
}

#[derive(Serialize, JsonSchema)]
struct SearchHitResult<T> {
    #[serde(flatten)]
    item: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_preview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<SnippetResult>,
}

/// Where an item matches: on a line of its content, or in another field.
#[derive(Serialize, JsonSchema)]
struct SnippetResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    text: String,
}

impl SearchArgs {
    /// Finds items of these kinds; `result` makes the `T` of each.
    pub(super) async fn run<T>(
        self,
        call: &CallContext,
        kinds: BTreeSet<Kind>,
        result: fn(&Item) -> T,
    ) -> Result<SearchPageResult<T>, Error> {
        let text_filter =
            TextFilter::parse(self.query.as_deref(), None).map_err(|error| rename_field(error, "q", "query"))?;
        // This fails for one reason only, and the argument has another name here.
        let order = text_filter.order(self.by, self.order);
        let order = order.map_err(|_| Error::InvalidParameters("sort_by=relevance needs a `query`"))?;
        let parse = |tag: String| Tag::parse_stored(&tag, call.interline.limits());
        let tags = self.tags.unwrap_or_default().into_iter().map(parse).collect::<Result<_, _>>();
        let filter = Filter {
            tags: tags.map_err(|error| invalid_field("tags", &error.message))?,
            tag_match: self.tag_match.map(TagMatch::from).unwrap_or_default(),
            views: [self.view.map_or(View::Active, View::from)].into(),
            ..active_items(kinds)
        };
        let offset = self.offset.map_or(0, |offset| offset.0);
        let request = FindItems {
            text: text_filter,
            filter,
            order,
            start: PageStart::Offset(offset),
            limit: self.limit.unwrap_or(BoundedInt(DEFAULT_LIMIT)).count(),
            contents: Contents::Omit,
        };
        let page = call.interline.find_items(&call.caller, request).await?;
        let items = page.items.iter().map(|hit| SearchHitResult::from_hit(hit, result)).collect();
        Ok(SearchPageResult { items, total: page.total, offset, has_more: page.next.is_some() })
    }
}

impl<T> SearchHitResult<T> {
    fn from_hit(hit: &SearchHit, result: fn(&Item) -> T) -> SearchHitResult<T> {
        let item = &hit.snapshot.item;
        SearchHitResult {
            item: result(item),
            content_preview: preview(item).and_then(|preview| beside_snippet(preview, hit.snippet.as_ref())),
            snippet: hit.snippet.as_ref().map(SnippetResult::from),
        }
    }
}

/// A preview beside a snippet: less of it, because the snippet shows what the item was found for, and none where the
/// snippet shows the same.
fn beside_snippet(mut preview: String, snippet: Option<&Snippet>) -> Option<String> {
    let Some(snippet) = snippet else { return Some(preview) };
    if let Some((end, _)) = preview.char_indices().nth(PREVIEW_CHARS) {
        preview.truncate(end);
    }
    let is_first_line = snippet.field.line() == Some(1);
    Some(preview).filter(|preview| !is_first_line || !snippet.text.starts_with(preview.trim_end()))
}

/// The first characters of an item's content.
pub(super) fn preview(item: &Item) -> Option<String> {
    item.content.as_ref().map(|content| content.preview.clone())
}

impl From<&Snippet> for SnippetResult {
    fn from(snippet: &Snippet) -> SnippetResult {
        let line = snippet.field.line();
        // A line is one of the content.
        let field = line.is_none().then(|| snippet.field.name());
        SnippetResult { field, line, text: snippet.text.clone() }
    }
}

impl From<ViewArg> for View {
    fn from(argument: ViewArg) -> View {
        match argument {
            ViewArg::Active => View::Active,
            ViewArg::Archived => View::Archived,
            ViewArg::Deleted => View::Deleted,
        }
    }
}

impl From<TagMatchArg> for TagMatch {
    fn from(argument: TagMatchArg) -> TagMatch {
        match argument {
            TagMatchArg::All => TagMatch::All,
            TagMatchArg::Any => TagMatch::Any,
        }
    }
}
