//! Tool `search_prompts`: searches or lists prompts.

use interline_items::{Error, Kind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::PromptResult;
use crate::mcp::protocol::arguments::BoundedInt;
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::search::{SearchArgs, SearchPageResult, TagMatchArg, ViewArg};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "search_prompts",
        title: "Search prompts",
        description: "Find prompts, or list the last changed ones (no query). Shows metadata, arguments, size, a \
            preview and where the query matches; never whole templates: get_prompt_template.",
        effect: Effect::Reads,
    };
    Tool::new(info, search_prompts)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchPromptsArgs {
    /// All words must occur, as forms or parts of words; "a phrase", OR, -without. E.g. review -python
    query: Option<String>,
    tags: Option<Vec<String>>,
    /// Default all
    tag_match: Option<TagMatchArg>,
    /// Default active
    view: Option<ViewArg>,
    /// Default 20
    limit: Option<BoundedInt<1, 100>>,
    offset: Option<BoundedInt<0, 1_000_000>>,
}

async fn search_prompts(call: CallContext, args: SearchPromptsArgs) -> Result<SearchPageResult<PromptResult>, Error> {
    let SearchPromptsArgs { query, tags, tag_match, view, limit, offset } = args;
    let search = SearchArgs { query, tags, tag_match, view, by: None, order: None, limit, offset };
    search.run(&call, [Kind::Prompt].into(), PromptResult::brief).await
}
