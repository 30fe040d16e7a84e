//! Searching the lines of files of code.

use std::time::Duration;

use interline_edit::{Case, Pattern};
use interline_search::Search;

use crate::fields::{CodePath, FieldError, refuse_nul};
use crate::search::{FileSearch, Paths};
use crate::{Error, Scope, SpaceId};

use super::super::items::invalid_pattern;
use super::super::{Caller, Interline, QuerySyntax};
use super::file_matcher::{FileMatcher, HelperThreads, MatchLimits};
use super::scope::CodeScope;

/// How long a search may take.
const MAX_TIME: Duration = Duration::from_secs(10);

/// A search through files, as the caller gives it.
#[derive(Clone, Debug)]
pub struct SearchFiles {
    /// The kind of code, and the app or organization that it belongs to.
    pub scope: CodeScope,
    /// The text or expression.
    pub pattern: String,
    /// Which of both it is.
    pub syntax: QuerySyntax,
    /// Whether letters match their other case.
    pub case: Case,
    /// The only file to search.
    pub path: Option<String>,
    /// What the paths of files begin with; one `/` before it is dropped.
    pub path_prefix: Option<String>,
    /// Lines of context before and after a match; at most 10.
    pub context_lines: usize,
    /// How many matches are returned, from 1 to 1,000; all are counted.
    pub limit: usize,
}

impl SearchFiles {
    /// The default number of lines around a match.
    pub const CONTEXT_LINES: usize = 3;
    /// The default number of matches that are returned.
    pub const LIMIT: usize = 20;
}

/// The matches in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundInFiles {
    /// The first matches, in the order of paths and lines.
    pub matches: Vec<LineMatch>,
    /// How many there are.
    pub total_matches: u64,
    /// How many files were searched, whether they match or not.
    pub files_searched: u64,
}

impl FoundInFiles {
    /// Whether there are more matches than were returned.
    pub fn is_truncated(&self) -> bool {
        self.total_matches > self.matches.len() as u64
    }
}

/// A line on which a match starts; no line has more than 400 characters, cut around the match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMatch {
    /// The file.
    pub path: CodePath,
    /// Where it lives.
    pub space: SpaceId,
    /// 1-based.
    pub line: usize,
    /// The line.
    pub text: String,
    /// The lines before it.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

impl Interline {
    /// The lines of files that match, however many files there are; of workflows, those of the organization and the global
    /// ones. Everything that was committed before is searched.
    pub async fn search_code(&self, caller: &Caller, request: SearchFiles) -> Result<FoundInFiles, Error> {
        caller.require(Scope::Read)?;
        check(&request)?;
        let paths = self.paths(&request)?;
        let spaces = self.readable_spaces(caller, &request.scope).await?.into_iter().collect();
        let kind = request.scope.kind;
        let limits = MatchLimits { context_lines: request.context_lines, limit: request.limit };
        let pattern = self.threads.run(caller.work_for(), move |_| pattern(&request)).await??;
        // Not before the pattern is compiled: that takes no place of a search.
        let (checkpoint, _guard) = self.search_checkpoint(caller, MAX_TIME).await?;
        let search = Search::from_pattern(pattern.clone()).into();
        let helpers = HelperThreads { threads: self.threads.clone(), work_for: caller.work_for() };
        let (matcher, reader) = FileMatcher::begin(helpers, pattern, limits, checkpoint.clone());
        let query = FileSearch { search, spaces, kind, paths, checkpoint };
        let files_searched = self.store.search_files(&query, reader).await?;
        let (matches, total_matches) = matcher.end().await?;
        Ok(FoundInFiles { matches, total_matches, files_searched })
    }

    fn paths(&self, request: &SearchFiles) -> Result<Paths, Error> {
        match (&request.path, &request.path_prefix) {
            (Some(_), Some(_)) => {
                Err(Error::InvalidParameters("`path` and `path_prefix` exclude each other; give one of them"))
            }
            (Some(path), None) => {
                let path = CodePath::parse_stored(request.scope.kind, path, &self.limits);
                path.map(Paths::Is).map_err(|error| Error::ValidationFailed(vec![error]))
            }
            (None, prefix) => {
                let prefix = prefix.as_deref().unwrap_or_default();
                Ok(Paths::BeginWith(prefix.strip_prefix('/').unwrap_or(prefix).to_owned()))
            }
        }
    }
}

fn check(request: &SearchFiles) -> Result<(), Error> {
    let prefix = request.path_prefix.as_deref().unwrap_or_default();
    let nul = [("pattern", request.pattern.as_str()), ("path_prefix", prefix)];
    let mut problems: Vec<FieldError> = nul.iter().filter_map(|(field, text)| refuse_nul(field, text).err()).collect();
    if request.context_lines > 10 {
        problems.push(FieldError::new("context_lines", "must be from 0 to 10"));
    }
    if !(1..=1_000).contains(&request.limit) {
        problems.push(FieldError::new("max_results", "must be from 1 to 1000"));
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::ValidationFailed(problems)) }
}

fn pattern(request: &SearchFiles) -> Result<Pattern, Error> {
    let pattern = match request.syntax {
        QuerySyntax::Literal => Pattern::literal(&request.pattern, request.case),
        QuerySyntax::Regex => Pattern::regex(&request.pattern, request.case),
    };
    pattern.map_err(|error| invalid_pattern("pattern", error))
}
