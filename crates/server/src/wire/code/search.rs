//! The request and response of a search in files of code.

use interline_items::fields::CodePath;
use interline_items::{Caller, Case, Error, FoundInFiles, LineMatch, QuerySyntax, SearchFiles};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::requests::code_scope;
use super::{CodeOwner, numbered_context};
use crate::wire::enumerations::EntityType;

/// What is looked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SearchCode)]
pub(crate) struct SearchCodeRequest {
    /// A regular expression, or with `literal` a text.
    #[schema(min_length = 1)]
    pattern: String,
    /// What the files are.
    #[schema(value_type = EntityType)]
    entity_type: String,
    /// The app by its id or slug: of app files, and only of them.
    #[serde(default)]
    app_id: Option<String>,
    /// The organization, of workflows; unless given, the caller's, and for admins none. Global ones are searched too.
    #[serde(default)]
    organization_id: Option<Uuid>,
    /// Only this file.
    #[serde(default)]
    path: Option<String>,
    /// Only files whose paths begin with this.
    #[serde(default)]
    path_prefix: Option<String>,
    /// Lines before and after each match, from 0 to 10; 3 unless given.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 10)]
    context_lines: Option<usize>,
    /// How many matches are told, from 1 to 1,000; 20 unless given. All are counted.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 1000)]
    max_results: Option<usize>,
    /// Whether letters match only their own case; true unless given.
    #[serde(default)]
    case_sensitive: Option<bool>,
    /// Whether the pattern is a text as it stands; false unless given.
    #[serde(default)]
    literal: bool,
}

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FoundCode)]
pub(crate) struct SearchCodeResponse {
    /// The first matches, in the order of paths and lines.
    matches: Vec<CodeMatchResponse>,
    /// How many there are in all.
    #[schema(value_type = i64, minimum = 0)]
    total_matches: u64,
    /// How many files were looked through.
    #[schema(value_type = i64, minimum = 0)]
    files_searched: u64,
    /// Whether there are more matches than are told.
    truncated: bool,
}

/// A line on which a match starts.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CodeMatch)]
pub(crate) struct CodeMatchResponse {
    path: String,
    #[serde(flatten)]
    owner: CodeOwner,
    #[schema(value_type = i64, minimum = 1)]
    line_number: usize,
    /// The line.
    #[serde(rename = "match")]
    text: String,
    /// The lines before it, each with its number: `43: import os`.
    context_before: Vec<String>,
    /// The lines after it, each with its number.
    context_after: Vec<String>,
}

impl SearchCodeRequest {
    pub(crate) fn into_search(self) -> Result<SearchFiles, Error> {
        Ok(SearchFiles {
            scope: code_scope(&self.entity_type, self.app_id.as_deref(), self.organization_id)?,
            pattern: self.pattern,
            syntax: if self.literal { QuerySyntax::Literal } else { QuerySyntax::Regex },
            case: if self.case_sensitive.unwrap_or(true) { Case::Sensitive } else { Case::Insensitive },
            path: self.path,
            path_prefix: self.path_prefix,
            context_lines: self.context_lines.unwrap_or(SearchFiles::CONTEXT_LINES),
            limit: self.max_results.unwrap_or(SearchFiles::LIMIT),
        })
    }
}

impl SearchCodeResponse {
    pub(crate) fn new(found: FoundInFiles, caller: &Caller) -> SearchCodeResponse {
        let truncated = found.is_truncated();
        let FoundInFiles { matches, total_matches, files_searched } = found;
        let line = |found: LineMatch| {
            let (context_before, context_after) = numbered_context(&found);
            CodeMatchResponse {
                owner: CodeOwner::from_space(found.space, caller),
                path: CodePath::as_str(&found.path).to_owned(),
                line_number: found.line,
                text: found.text,
                context_before,
                context_after,
            }
        };
        SearchCodeResponse {
            matches: matches.into_iter().map(line).collect(),
            total_matches,
            files_searched,
            truncated,
        }
    }
}
