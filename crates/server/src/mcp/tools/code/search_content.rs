//! Tool `search_content`: finds lines in files of code by a regular expression or a text.

use interline_items::{Case, Error, LineMatch, QuerySyntax, SearchFiles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::{EntityType, code_scope, owner_ids};
use crate::mcp::protocol::arguments::{BoundedInt, Flag, OrganizationIdArg};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::wire::MAX_CHARS;
use crate::wire::code::numbered_context;

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "search_content",
        title: "Search files",
        description: "Find lines by a regular expression (literal: true for a text as it stands), e.g. pattern \
            \"def send\\\\w*\\\\(\". total_matches is the true total. Then read_content_lines around line_number.",
        effect: Effect::Reads,
    };
    Tool::new(info, search_content)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchContentArgs {
    pattern: String,
    entity_type: EntityType,
    app_id: Option<String>,
    organization_id: Option<OrganizationIdArg>,
    path: Option<String>,
    path_prefix: Option<String>,
    /// Default 3
    context_lines: Option<BoundedInt<0, 10>>,
    /// Default 20
    max_results: Option<BoundedInt<1, 1_000>>,
    /// Default true
    case_sensitive: Option<Flag>,
    literal: Option<Flag>,
}

#[derive(Serialize, JsonSchema)]
struct SearchContentResult {
    matches: Vec<CodeMatchResult>,
    total_matches: u64,
    files_searched: u64,
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct CodeMatchResult {
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

async fn search_content(call: CallContext, args: SearchContentArgs) -> Result<SearchContentResult, Error> {
    let SearchContentArgs { pattern, entity_type, app_id, organization_id, path, path_prefix, .. } = args;
    let request = SearchFiles {
        scope: code_scope(entity_type, app_id.as_deref(), organization_id),
        pattern,
        syntax: if args.literal == Some(Flag(true)) { QuerySyntax::Literal } else { QuerySyntax::Regex },
        case: if args.case_sensitive != Some(Flag(false)) { Case::Sensitive } else { Case::Insensitive },
        path,
        path_prefix,
        context_lines: args.context_lines.map_or(SearchFiles::CONTEXT_LINES, BoundedInt::count),
        limit: args.max_results.map_or(SearchFiles::LIMIT, BoundedInt::count),
    };
    let found = call.interline.search_code(&call.caller, request).await?;
    let mut listed = 0;
    let matches = found.matches.into_iter().take_while(|one| {
        listed += characters(one);
        listed <= MAX_CHARS
    });
    let matches: Vec<CodeMatchResult> = matches.map(|one| CodeMatchResult::from_match(&call, one)).collect();
    Ok(SearchContentResult {
        truncated: found.total_matches > matches.len() as u64,
        matches,
        total_matches: found.total_matches,
        files_searched: found.files_searched,
    })
}

fn characters(found: &LineMatch) -> usize {
    [&found.text].into_iter().chain(&found.before).chain(&found.after).map(|line| line.chars().count()).sum()
}

impl CodeMatchResult {
    fn from_match(call: &CallContext, found: LineMatch) -> CodeMatchResult {
        let (app_id, organization_id) = owner_ids(call, found.space);
        let (context_before, context_after) = numbered_context(&found);
        CodeMatchResult {
            path: found.path.as_str().to_owned(),
            app_id,
            organization_id,
            line_number: found.line,
            text: found.text,
            context_before,
            context_after,
        }
    }
}
