//! What tools that find items are told and tell alike.

use std::collections::BTreeSet;

use interline_items::fields::Tag;
use interline_items::search::SearchHit;
use interline_items::{
    Contents, Error, Filter, FindBy, FindItems, Item, Kind, PageStart, SortOrder, TagMatch, TextFilter, View,
};
use interline_search::Snippet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arguments::{Whole, invalid, renamed};
use super::tool::Call;

/// How many items are told unless more are asked for: each takes about 200 tokens.
const LIMIT: u64 = 20;

/// The arguments of a tool that say what to find. (Each tool lists them itself: serde can share fields between types, but
/// then neither refuses unknown ones.)
pub(super) struct Asked {
    pub(super) query: Option<String>,
    pub(super) tags: Option<Vec<String>>,
    pub(super) tag_match: Option<TagMatchWord>,
    pub(super) by: Option<FindBy>,
    pub(super) order: Option<SortOrder>,
    pub(super) limit: Option<Whole<1, 100>>,
    pub(super) offset: Option<Whole<0, 1_000_000>>,
}

// Which of several tags an item must have. (A doc comment would be told to models, with every tool.)
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum TagMatchWord {
    All,
    Any,
}

/// A page of what was found, each told as `T`.
#[derive(Serialize, JsonSchema)]
pub(super) struct PageTold<T> {
    items: Vec<FoundTold<T>>,
    total: u64,
    offset: u64,
    has_more: bool,
}

#[derive(Serialize, JsonSchema)]
struct FoundTold<T> {
    #[serde(flatten)]
    item: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_preview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<SnippetTold>,
}

/// Where an item matches.
#[derive(Serialize, JsonSchema)]
struct SnippetTold {
    field: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    text: String,
}

impl Asked {
    /// Finds active items of these kinds, and tells of each what `tell` makes of it.
    pub(super) async fn find<T>(
        self,
        call: &Call,
        kinds: BTreeSet<Kind>,
        tell: fn(&Item) -> T,
    ) -> Result<PageTold<T>, Error> {
        let wanted = TextFilter::parse(self.query.as_deref(), None).map_err(|error| renamed(error, "q", "query"))?;
        // The one reason, with the argument's name here.
        let order = wanted.order(self.by, self.order);
        let order = order.map_err(|_| Error::InvalidParameters("sort_by=relevance needs a `query`"))?;
        let parse = |tag: String| Tag::parse(&tag, call.interline.limits());
        let tags = self.tags.unwrap_or_default().into_iter().map(parse).collect::<Result<_, _>>();
        let filter = Filter {
            tags: tags.map_err(|error| invalid("tags", &error.message))?,
            tag_match: self.tag_match.map(TagMatch::from).unwrap_or_default(),
            ..active(kinds)
        };
        let offset = self.offset.map_or(0, |offset| offset.0);
        let request = FindItems {
            text: wanted,
            filter,
            order,
            start: PageStart::Offset(offset),
            limit: self.limit.unwrap_or(Whole(LIMIT)).count(),
            contents: Contents::Omit,
        };
        let page = call.interline.find_items(&call.caller, request).await?;
        let items = page.items.iter().map(|found| FoundTold::of(found, tell)).collect();
        Ok(PageTold { items, total: page.total, offset, has_more: page.next.is_some() })
    }
}

/// The caller's items of these kinds that are neither archived nor deleted.
pub(super) fn active(kinds: BTreeSet<Kind>) -> Filter {
    Filter {
        // The caller's.
        spaces: BTreeSet::new(),
        kinds,
        tags: Vec::new(),
        tag_match: TagMatch::default(),
        views: [View::Active].into(),
    }
}

impl<T> FoundTold<T> {
    fn of(found: &SearchHit, tell: fn(&Item) -> T) -> FoundTold<T> {
        let item = &found.snapshot.item;
        FoundTold {
            item: tell(item),
            content_preview: preview(item),
            snippet: found.snippet.as_ref().map(SnippetTold::of),
        }
    }
}

/// The first characters of an item's content.
pub(super) fn preview(item: &Item) -> Option<String> {
    item.content.as_ref().map(|content| content.preview.clone())
}

impl SnippetTold {
    fn of(snippet: &Snippet) -> SnippetTold {
        SnippetTold { field: snippet.field.name(), line: snippet.field.line(), text: snippet.text.clone() }
    }
}

impl From<TagMatchWord> for TagMatch {
    fn from(word: TagMatchWord) -> TagMatch {
        match word {
            TagMatchWord::All => TagMatch::All,
            TagMatchWord::Any => TagMatch::Any,
        }
    }
}
