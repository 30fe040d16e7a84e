//! `search_in_content`

use std::collections::BTreeSet;

use interline_items::{Case, Error, FieldMatch, QuerySyntax, SearchField, SearchInside};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::which;
use crate::mcp::arguments::{ContentKind, Id, Whole, renamed};
use crate::mcp::tool::{About, Call, Effect, Tool};

/// How many matches are told.
const MAX_MATCHES: usize = 50;
/// No further match is told after so many bytes.
const MAX_BYTES: usize = 64 * 1024;

pub(super) fn tool() -> Tool {
    let about = About {
        name: "search_in_content",
        title: "Search inside an item",
        description: "Find a text inside one item, with line numbers and context, without reading it whole: to count \
            how often an old_str occurs before editing, or to know which lines to read. No match is an empty list.",
        effect: Effect::Reads,
    };
    Tool::new(about, search_in_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: Id,
    #[serde(rename = "type")]
    kind: Option<ContentKind>,
    /// Literal, may span lines
    query: String,
    /// Default content
    fields: Option<Vec<FieldWord>>,
    case_sensitive: Option<bool>,
    /// Default 2
    context_lines: Option<Whole<0, 10>>,
    /// query is a regular expression
    regex: Option<bool>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FieldWord {
    Content,
    Title,
    Description,
}

#[derive(Serialize, JsonSchema)]
struct MatchesTold {
    matches: Vec<MatchTold>,
    total_matches: usize,
    /// There are more than are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct MatchTold {
    field: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    context: String,
}

async fn search_in_content(call: Call, arguments: Arguments) -> Result<MatchesTold, Error> {
    let fields: BTreeSet<SearchField> = match arguments.fields {
        Some(fields) => fields.into_iter().map(SearchField::from).collect(),
        None => [SearchField::Content].into(),
    };
    let request = SearchInside {
        query: arguments.query,
        syntax: if arguments.regex == Some(true) { QuerySyntax::Regex } else { QuerySyntax::Literal },
        case: if arguments.case_sensitive == Some(true) { Case::Sensitive } else { Case::Insensitive },
        fields,
        context_lines: arguments.context_lines.unwrap_or(Whole(2)).count(),
        limit: MAX_MATCHES,
    };
    let (which, _) = which(&call, arguments.id, arguments.kind).await?;
    let found = call.interline.search_inside(&call.caller, &which, request).await;
    let found = found.map_err(|error| renamed(error, "q", "query"))?;
    let mut bytes = 0;
    let told = found.matches.into_iter().take_while(|found| {
        let fits = bytes <= MAX_BYTES;
        bytes += found.context.len();
        fits
    });
    let matches: Vec<MatchTold> = told.map(MatchTold::of).collect();
    let truncated = (matches.len() < found.total_matches).then_some(true);
    Ok(MatchesTold { matches, total_matches: found.total_matches, truncated })
}

impl MatchTold {
    fn of(found: FieldMatch) -> MatchTold {
        MatchTold {
            field: found.field.name(),
            line: found.lines.map(|(first, _)| first),
            end_line: found.lines.map(|(_, last)| last),
            context: found.context,
        }
    }
}

impl From<FieldWord> for SearchField {
    fn from(word: FieldWord) -> SearchField {
        match word {
            FieldWord::Content => SearchField::Content,
            FieldWord::Title => SearchField::Title,
            FieldWord::Description => SearchField::Description,
        }
    }
}
