//! `search_prompts`

use interline_items::{Error, Kind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompt::PromptTold;
use crate::mcp::arguments::Whole;
use crate::mcp::finding::{Asked, PageTold, TagMatchWord};
use crate::mcp::tool::{About, Call, Effect, Tool};

pub(super) fn tool() -> Tool {
    let about = About {
        name: "search_prompts",
        title: "Search prompts",
        description: "Find prompts, or list the last changed ones (no query). Shows metadata, arguments, size, a \
            preview and where the query matches; never whole templates: get_prompt_template.",
        effect: Effect::Reads,
    };
    Tool::new(about, search_prompts)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// All words must occur, as forms or parts of words; "a phrase", OR, -without. E.g. review -python
    query: Option<String>,
    tags: Option<Vec<String>>,
    /// Default all
    tag_match: Option<TagMatchWord>,
    /// Default 20
    limit: Option<Whole<1, 100>>,
    offset: Option<Whole<0, 1_000_000>>,
}

async fn search_prompts(call: Call, arguments: Arguments) -> Result<PageTold<PromptTold>, Error> {
    let Arguments { query, tags, tag_match, limit, offset } = arguments;
    let asked = Asked { query, tags, tag_match, by: None, order: None, limit, offset };
    asked.find(&call, [Kind::Prompt].into(), PromptTold::brief).await
}
