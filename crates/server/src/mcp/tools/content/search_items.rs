//! Tool `search_items`: searches or lists notes and bookmarks.

use interline_items::{Error, FindBy, Kind, SortBy, SortOrder};
use schemars::JsonSchema;
use serde::Deserialize;

use super::item::ItemResult;
use crate::mcp::protocol::arguments::{BoundedInt, ContentKind};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::search::{SearchArgs, SearchPageResult, TagMatchArg, ViewArg};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "search_items",
        title: "Search items",
        description: "Find notes and bookmarks, or list the last changed ones (no query). Shows metadata, size, a \
            preview and where the query matches; never whole contents. To search inside one item use \
            search_in_content.",
        effect: Effect::Reads,
    };
    Tool::new(info, search_items)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchItemsArgs {
    /// All words must occur, as forms or parts of words; "a phrase", OR, -without. E.g. deploy -staging
    query: Option<String>,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    tags: Option<Vec<String>>,
    /// Default all
    tag_match: Option<TagMatchArg>,
    /// Default active
    view: Option<ViewArg>,
    /// Default relevance with a query, else updated_at
    sort_by: Option<SortByArg>,
    sort_order: Option<SortOrderArg>,
    /// Default 20
    limit: Option<BoundedInt<1, 100>>,
    offset: Option<BoundedInt<0, 1_000_000>>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SortByArg {
    Relevance,
    CreatedAt,
    UpdatedAt,
    LastUsedAt,
    Title,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortOrderArg {
    Asc,
    Desc,
}

async fn search_items(call: CallContext, args: SearchItemsArgs) -> Result<SearchPageResult<ItemResult>, Error> {
    let SearchItemsArgs { query, kind, tags, tag_match, view, sort_by, sort_order, limit, offset } = args;
    let (by, order) = (sort_by.map(FindBy::from), sort_order.map(SortOrder::from));
    let kinds = kind.map_or_else(|| [Kind::Note, Kind::Bookmark].into(), |kind| [kind.into()].into());
    let result = match by {
        Some(FindBy::Field(SortBy::CreatedAt)) => ItemResult::brief_with_creation,
        _ => ItemResult::brief,
    };
    SearchArgs { query, tags, tag_match, view, by, order, limit, offset }.run(&call, kinds, result).await
}

impl From<SortByArg> for FindBy {
    fn from(word: SortByArg) -> FindBy {
        match word {
            SortByArg::Relevance => FindBy::Relevance,
            SortByArg::CreatedAt => FindBy::Field(SortBy::CreatedAt),
            SortByArg::UpdatedAt => FindBy::Field(SortBy::UpdatedAt),
            SortByArg::LastUsedAt => FindBy::Field(SortBy::LastUsedAt),
            SortByArg::Title => FindBy::Field(SortBy::Title),
        }
    }
}

impl From<SortOrderArg> for SortOrder {
    fn from(word: SortOrderArg) -> SortOrder {
        match word {
            SortOrderArg::Asc => SortOrder::Ascending,
            SortOrderArg::Desc => SortOrder::Descending,
        }
    }
}
