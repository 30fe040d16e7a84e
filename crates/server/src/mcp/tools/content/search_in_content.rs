//! Tool `search_in_content`: finds a text or regular expression inside one item.

use std::collections::BTreeSet;

use interline_items::{Case, Error, FieldMatch, QuerySyntax, SearchField, SearchInside};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::resolve_item;
use crate::mcp::protocol::arguments::{BoundedInt, ContentKind, Flag, ItemIdArg, rename_field};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};

/// How many matches a result lists.
const MAX_MATCHES: usize = 50;
/// No further match is listed after so many bytes.
const MAX_BYTES: usize = 64 * 1024;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "search_in_content",
        title: "Search inside an item",
        description: "Find a text inside one item, with line numbers and context, without reading it whole: to count \
            how often an old_str occurs before editing, or to know which lines to read. No match is an empty list.",
        effect: Effect::Reads,
    };
    Tool::new(info, search_in_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchInContentArgs {
    id: ItemIdArg,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    /// Literal, may span lines
    query: String,
    /// Default content
    fields: Option<Vec<SearchFieldArg>>,
    case_sensitive: Option<Flag>,
    /// Default 2
    context_lines: Option<BoundedInt<0, 10>>,
    /// query is a regular expression
    regex: Option<Flag>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SearchFieldArg {
    Content,
    Title,
    Description,
}

#[derive(Serialize, JsonSchema)]
struct SearchInContentResult {
    matches: Vec<ContentMatchResult>,
    total_matches: usize,
    /// There are more than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct ContentMatchResult {
    field: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    context: String,
}

async fn search_in_content(call: CallContext, args: SearchInContentArgs) -> Result<SearchInContentResult, Error> {
    let fields: BTreeSet<SearchField> = match args.fields {
        Some(fields) => fields.into_iter().map(SearchField::from).collect(),
        None => [SearchField::Content].into(),
    };
    let request = SearchInside {
        query: args.query,
        syntax: if args.regex == Some(Flag(true)) { QuerySyntax::Regex } else { QuerySyntax::Literal },
        case: if args.case_sensitive == Some(Flag(true)) { Case::Sensitive } else { Case::Insensitive },
        fields,
        context_lines: args.context_lines.unwrap_or(BoundedInt(2)).count(),
        limit: MAX_MATCHES,
    };
    let (item_ref, _) = resolve_item(&call, args.id, args.kind).await?;
    let found = call.interline.search_inside(&call.caller, &item_ref, request).await;
    let found = found.map_err(|error| rename_field(error, "q", "query"))?;
    let mut bytes = 0;
    let listed = found.matches.into_iter().take_while(|found| {
        let fits = bytes <= MAX_BYTES;
        bytes += found.context.len();
        fits
    });
    let matches: Vec<ContentMatchResult> = listed.map(ContentMatchResult::from).collect();
    let truncated = (matches.len() < found.total_matches).then_some(true);
    Ok(SearchInContentResult { matches, total_matches: found.total_matches, truncated })
}

impl From<FieldMatch> for ContentMatchResult {
    fn from(found: FieldMatch) -> ContentMatchResult {
        ContentMatchResult {
            field: found.field.name(),
            line: found.lines.map(|(first, _)| first),
            end_line: found.lines.map(|(_, last)| last),
            context: found.context,
        }
    }
}

impl From<SearchFieldArg> for SearchField {
    fn from(word: SearchFieldArg) -> SearchField {
        match word {
            SearchFieldArg::Content => SearchField::Content,
            SearchFieldArg::Title => SearchField::Title,
            SearchFieldArg::Description => SearchField::Description,
        }
    }
}
