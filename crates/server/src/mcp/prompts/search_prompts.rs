//! `search_prompts`

use std::collections::BTreeSet;

use interline_items::search::FoundItem;
use interline_items::{Contents, Error, Filter, FindItems, Kind, PageStart, TagMatch, View, Wanted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::prompt::PromptTold;
use crate::mcp::arguments::{Whole, renamed};
use crate::mcp::finding::{LIMIT, SnippetTold, TagMatchWord, tags};
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

#[derive(Serialize, JsonSchema)]
struct FoundTold {
    items: Vec<FoundPromptTold>,
    total: u64,
    offset: u64,
    has_more: bool,
}

#[derive(Serialize, JsonSchema)]
struct FoundPromptTold {
    #[serde(flatten)]
    prompt: PromptTold,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_preview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<SnippetTold>,
}

async fn search_prompts(call: Call, arguments: Arguments) -> Result<FoundTold, Error> {
    let wanted = Wanted::of(arguments.query.as_deref(), None).map_err(|error| renamed(error, "q", "query"))?;
    let order = wanted.order(None, None)?;
    let filter = Filter {
        // The caller's.
        spaces: BTreeSet::new(),
        kinds: [Kind::Prompt].into(),
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
        items: page.items.iter().map(FoundPromptTold::of).collect(),
        total: page.total,
        offset,
        has_more: page.next.is_some(),
    })
}

impl FoundPromptTold {
    fn of(found: &FoundItem) -> FoundPromptTold {
        let item = &found.snapshot.item;
        FoundPromptTold {
            prompt: PromptTold::brief(item),
            content_preview: item.content.as_ref().map(|content| content.preview.clone()),
            snippet: found.snippet.as_ref().map(SnippetTold::of),
        }
    }
}
