//! `search_content`

use interline_items::{Case, Error, LineMatch, QuerySyntax, SearchFiles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::file::{EntityType, scope, whose};
use crate::mcp::arguments::{OrganizationArgument, Whole};
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::wire::MAX_CHARS;

pub(in super::super) fn tool() -> Tool {
    let about = About {
        name: "search_content",
        title: "Search files",
        description: "Find lines by a regular expression (literal: true for a text as it stands), e.g. pattern \
            \"def send\\\\w*\\\\(\". total_matches is the true total. Then read_content_lines around line_number.",
        effect: Effect::Reads,
    };
    Tool::new(about, search_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    entity_type: EntityType,
    app_id: Option<String>,
    organization_id: Option<OrganizationArgument>,
    path: Option<String>,
    path_prefix: Option<String>,
    /// Default 3
    context_lines: Option<Whole<0, 10>>,
    /// Default 20
    max_results: Option<Whole<1, 1_000>>,
    /// Default true
    case_sensitive: Option<bool>,
    literal: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct FoundTold {
    matches: Vec<MatchTold>,
    total_matches: u64,
    files_searched: u64,
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct MatchTold {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    app_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization_id: Option<String>,
    line_number: usize,
    #[serde(rename = "match")]
    text: String,
    context_before: Vec<String>,
    context_after: Vec<String>,
}

async fn search_content(call: Call, arguments: Arguments) -> Result<FoundTold, Error> {
    let Arguments { pattern, entity_type, app_id, organization_id, path, path_prefix, .. } = arguments;
    let wanted = SearchFiles {
        scope: scope(entity_type, app_id.as_deref(), organization_id),
        pattern,
        syntax: if arguments.literal.unwrap_or(false) { QuerySyntax::Literal } else { QuerySyntax::Regex },
        case: if arguments.case_sensitive.unwrap_or(true) { Case::Sensitive } else { Case::Insensitive },
        path,
        path_prefix,
        context_lines: arguments.context_lines.map_or(SearchFiles::CONTEXT_LINES, Whole::count),
        limit: arguments.max_results.map_or(SearchFiles::LIMIT, Whole::count),
    };
    let found = call.interline.search_code(&call.caller, wanted).await?;
    let mut told = 0;
    let matches = found.matches.into_iter().take_while(|one| {
        told += characters(one);
        told <= MAX_CHARS
    });
    let matches: Vec<MatchTold> = matches.map(|one| MatchTold::of(&call, one)).collect();
    Ok(FoundTold {
        truncated: found.total_matches > matches.len() as u64,
        matches,
        total_matches: found.total_matches,
        files_searched: found.files_searched,
    })
}

fn characters(found: &LineMatch) -> usize {
    [&found.text].into_iter().chain(&found.before).chain(&found.after).map(|line| line.chars().count()).sum()
}

impl MatchTold {
    fn of(call: &Call, found: LineMatch) -> MatchTold {
        let (app_id, organization_id) = whose(call, found.space);
        MatchTold {
            path: found.path.as_str().to_owned(),
            app_id,
            organization_id,
            line_number: found.line,
            text: found.text,
            context_before: found.before,
            context_after: found.after,
        }
    }
}
