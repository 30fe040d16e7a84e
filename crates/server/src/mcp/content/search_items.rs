//! `search_items`

use interline_items::{Error, FindBy, Kind, SortBy, SortOrder};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::ItemTold;
use crate::mcp::arguments::{ContentKind, Whole};
use crate::mcp::finding::{Asked, PageTold, TagMatchWord};
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

async fn search_items(call: Call, arguments: Arguments) -> Result<PageTold<ItemTold>, Error> {
    let Arguments { query, kind, tags, tag_match, sort_by, sort_order, limit, offset } = arguments;
    let (by, order) = (sort_by.map(FindBy::from), sort_order.map(SortOrder::from));
    let kinds = kind.map_or_else(|| [Kind::Note, Kind::Bookmark].into(), |kind| [kind.into()].into());
    Asked { query, tags, tag_match, by, order, limit, offset }.find(&call, kinds, ItemTold::of).await
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
