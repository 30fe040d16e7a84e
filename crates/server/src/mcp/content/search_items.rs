//! `search_items`

use std::collections::BTreeSet;

use interline_items::search::FoundItem;
use interline_items::{
    Contents, Error, Filter, FindBy, FindItems, Kind, PageStart, SortBy, SortOrder, TagMatch, View, Wanted,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::{ItemTold, preview};
use crate::mcp::arguments::{ContentKind, Whole, renamed};
use crate::mcp::finding::{LIMIT, SnippetTold, TagMatchWord, tags};
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "search_items",
        title: "Search items",
        description: "Find notes and bookmarks, or list the last changed ones (no query). Shows metadata, size, a \
            preview and where the query matches; never whole contents. To search inside one item use \
            search_in_content.",
        effect: Effect::Reads,
    };
    Tool::new(about, search_items)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// All words must occur, as forms or parts of words; "a phrase", OR, -without. E.g. deploy -staging
    query: Option<String>,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    tags: Option<Vec<String>>,
    /// Default all
    tag_match: Option<TagMatchWord>,
    /// Default relevance with a query, else updated_at
    sort_by: Option<SortWord>,
    sort_order: Option<OrderWord>,
    /// Default 20
    limit: Option<Whole<1, 100>>,
    offset: Option<Whole<0, 1_000_000>>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SortWord {
    Relevance,
    CreatedAt,
    UpdatedAt,
    LastUsedAt,
    Title,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OrderWord {
    Asc,
    Desc,
}

#[derive(Serialize, JsonSchema)]
struct FoundTold {
    items: Vec<FoundItemTold>,
    total: u64,
    offset: u64,
    has_more: bool,
}

#[derive(Serialize, JsonSchema)]
struct FoundItemTold {
    #[serde(flatten)]
    item: ItemTold,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_preview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<SnippetTold>,
}

async fn search_items(call: Call, arguments: Arguments) -> Result<FoundTold, Error> {
    let wanted = Wanted::of(arguments.query.as_deref(), None).map_err(|error| renamed(error, "q", "query"))?;
    let order = wanted.order(arguments.sort_by.map(FindBy::from), arguments.sort_order.map(SortOrder::from));
    // The one reason, with the argument's name here.
    let order = order.map_err(|_| Error::InvalidParameters("sort_by=relevance needs a `query`"))?;
    let kinds = arguments.kind.map_or_else(|| [Kind::Note, Kind::Bookmark].into(), |kind| [kind.into()].into());
    let filter = Filter {
        // The caller's.
        spaces: BTreeSet::new(),
        kinds,
        tags: tags(&call, arguments.tags.unwrap_or_default())?,
        tag_match: arguments.tag_match.map(TagMatch::from).unwrap_or_default(),
        views: [View::Active].into(),
    };
    let offset = arguments.offset.map_or(0, |offset| offset.0);
    let request = FindItems {
        wanted,
        filter,
        order,
        start: PageStart::Offset(offset),
        limit: arguments.limit.unwrap_or(Whole(LIMIT)).count(),
        contents: Contents::Omit,
    };
    let page = call.interline.find_items(&call.caller, request).await?;
    Ok(FoundTold {
        items: page.items.iter().map(FoundItemTold::of).collect(),
        total: page.total,
        offset,
        has_more: page.next.is_some(),
    })
}

impl FoundItemTold {
    fn of(found: &FoundItem) -> FoundItemTold {
        let item = &found.snapshot.item;
        FoundItemTold {
            item: ItemTold::of(item),
            content_preview: preview(item),
            snippet: found.snippet.as_ref().map(SnippetTold::of),
        }
    }
}

impl From<SortWord> for FindBy {
    fn from(word: SortWord) -> FindBy {
        match word {
            SortWord::Relevance => FindBy::Relevance,
            SortWord::CreatedAt => FindBy::Field(SortBy::CreatedAt),
            SortWord::UpdatedAt => FindBy::Field(SortBy::UpdatedAt),
            SortWord::LastUsedAt => FindBy::Field(SortBy::LastUsedAt),
            SortWord::Title => FindBy::Field(SortBy::Title),
        }
    }
}

impl From<OrderWord> for SortOrder {
    fn from(word: OrderWord) -> SortOrder {
        match word {
            OrderWord::Asc => SortOrder::Ascending,
            OrderWord::Desc => SortOrder::Descending,
        }
    }
}
