//! What is looked for in files, and what is found, as it is sent.

use interline_items::fields::{CodePath, FieldError};
use interline_items::{
    AppRef, Caller, Case, CodeKind, CodeScope, Error, FoundInFiles, LineMatch, OrganizationId, QuerySyntax, SearchFiles,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Place;

/// What is looked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchCode {
    /// A regular expression, or with `literal` a text.
    #[schema(min_length = 1)]
    pattern: String,
    /// What the files are: `app_file`, `workflow` or `module`.
    #[schema(pattern = "^(app_file|workflow|module)$")]
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
pub(crate) struct FoundCode {
    /// The first matches, in the order of paths and lines.
    matches: Vec<FoundLine>,
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
pub(crate) struct FoundLine {
    path: String,
    #[serde(flatten)]
    place: Place,
    #[schema(value_type = i64, minimum = 1)]
    line_number: usize,
    /// The line.
    #[serde(rename = "match")]
    text: String,
    /// The lines before it.
    context_before: Vec<String>,
    /// The lines after it.
    context_after: Vec<String>,
}

impl SearchCode {
    pub(crate) fn into_search(self) -> Result<SearchFiles, Error> {
        let kind = CodeKind::from_name(&self.entity_type).ok_or_else(|| {
            let error = FieldError::new("entity_type", "must be one of app_file, workflow, module");
            Error::ValidationFailed(vec![error])
        })?;
        Ok(SearchFiles {
            scope: CodeScope {
                kind,
                app: self.app_id.as_deref().map(AppRef::parse),
                organization: self.organization_id.map(OrganizationId::from_uuid),
            },
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

impl FoundCode {
    pub(crate) fn of(found: FoundInFiles, caller: &Caller) -> FoundCode {
        let truncated = found.is_truncated();
        let FoundInFiles { matches, total_matches, files_searched } = found;
        let line = |found: LineMatch| FoundLine {
            place: Place::in_space(found.space, caller),
            path: CodePath::as_str(&found.path).to_owned(),
            line_number: found.line,
            text: found.text,
            context_before: found.before,
            context_after: found.after,
        };
        FoundCode { matches: matches.into_iter().map(line).collect(), total_matches, files_searched, truncated }
    }
}
