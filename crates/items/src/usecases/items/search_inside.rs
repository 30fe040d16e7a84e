//! Searching for text inside one item.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use interline_edit::{Case, Pattern, PatternError, SearchInterrupted, SearchOptions, excerpt, find_first, search};

use crate::fair::Checkpoint;
use crate::fields::{Description, FieldError, Title, refuse_nul};
use crate::threads::TimeLimits;
use crate::{Error, HashCheck, Item, Scope, Snapshot};

use crate::usecases::{Caller, Interline, ItemRef};

use super::content_check::BIG_BYTES;

/// How long a search waits for a thread.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// How long a search may take, from when it begins.
const MAX_TIME: Duration = Duration::from_secs(2);
/// How many bytes the contexts of one answer may have together: matches of many lines may overlap.
const MAX_CONTEXT_BYTES: usize = 8 * 1024 * 1024;

/// A search inside an item, as the caller gives it.
#[derive(Clone, Debug)]
pub struct SearchInside {
    /// The text or expression.
    pub query: String,
    /// Which of both it is.
    pub syntax: QuerySyntax,
    /// Whether letters match their other case.
    pub case: Case,
    /// Where to look.
    pub fields: BTreeSet<SearchField>,
    /// Lines of context before and after a match; at most 10.
    pub context_lines: usize,
    /// How many matches are returned, from 1 to 1,000; all are counted.
    pub limit: usize,
}

/// How a query is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuerySyntax {
    /// As it stands.
    #[default]
    Literal,
    /// As a regular expression.
    Regex,
}

/// A field that can be searched, in the order in which matches are returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SearchField {
    /// The content.
    Content,
    /// The title.
    Title,
    /// The description.
    Description,
}

impl SearchField {
    /// Every field.
    pub const ALL: [SearchField; 3] = [SearchField::Content, SearchField::Title, SearchField::Description];

    /// The field's name.
    pub const fn name(self) -> &'static str {
        match self {
            SearchField::Content => "content",
            SearchField::Title => "title",
            SearchField::Description => "description",
        }
    }

    /// The field of that name.
    pub fn from_name(name: &str) -> Option<SearchField> {
        SearchField::ALL.into_iter().find(|field| field.name() == name)
    }
}

/// The matches inside an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundInside {
    /// The first matches.
    pub matches: Vec<FieldMatch>,
    /// How many there are.
    pub total_matches: usize,
}

/// One match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMatch {
    /// Where.
    pub field: SearchField,
    /// 1-based first and last line in the content; `None` in other fields.
    pub lines: Option<(usize, usize)>,
    /// The lines of the match and those around it, long ones cut; of other fields the whole value.
    pub context: String,
}

impl Interline {
    /// Searches for text inside an item, in whatever state it is. No match is a success, also where there is no content.
    pub async fn search_inside(
        &self,
        caller: &Caller,
        item_ref: &ItemRef,
        request: SearchInside,
    ) -> Result<FoundInside, Error> {
        caller.require(Scope::Read)?;
        let snapshot = self.visible_snapshot(caller, item_ref, HashCheck::Remembered).await?;
        check(&request)?;
        let is_long = snapshot.content.as_ref().is_some_and(|content| content.len() > BIG_BYTES);
        if is_long || request.query.len() > BIG_BYTES || request.syntax == QuerySyntax::Regex {
            let limits = TimeLimits { wait: MAX_WAIT, work: MAX_TIME };
            let search = move |_: &_, checkpoint: &_| search_snapshot(&snapshot, &request, checkpoint);
            self.threads.run_for(caller.work_for(), limits, search).await?
        } else {
            search_snapshot(&snapshot, &request, &Checkpoint::until(Instant::now() + MAX_TIME))
        }
    }
}

fn check(request: &SearchInside) -> Result<(), Error> {
    let mut problems: Vec<FieldError> = refuse_nul("q", &request.query).err().into_iter().collect();
    if request.query.is_empty() {
        problems.push(FieldError::new("q", "must not be empty"));
    }
    if request.fields.is_empty() {
        problems.push(FieldError::new("fields", "must name at least one of `content`, `title` and `description`"));
    }
    if request.context_lines > 10 {
        problems.push(FieldError::new("context_lines", "must be from 0 to 10"));
    }
    if !(1..=1_000).contains(&request.limit) {
        problems.push(FieldError::new("limit", "must be from 1 to 1000"));
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::ValidationFailed(problems)) }
}

fn search_snapshot(snapshot: &Snapshot, request: &SearchInside, checkpoint: &Checkpoint) -> Result<FoundInside, Error> {
    let pattern = match request.syntax {
        QuerySyntax::Literal => Pattern::literal(&request.query, request.case),
        QuerySyntax::Regex => Pattern::regex(&request.query, request.case),
    };
    let pattern = pattern.map_err(|error| invalid_pattern("q", error))?;
    let mut search = InsideSearch { request, pattern, checkpoint, found: FoundInside::default() };
    for field in &request.fields {
        let searched = match field {
            SearchField::Content => search.search_content(snapshot.content.as_ref()),
            SearchField::Title | SearchField::Description => search.search_value(*field, &snapshot.item),
        };
        searched.map_err(|SearchInterrupted| Error::InvalidPattern {
            detail: format!("it takes more than {} seconds on this content", MAX_TIME.as_secs()),
            position: None,
        })?;
    }
    Ok(search.found)
}

/// A search inside an item in progress.
struct InsideSearch<'a> {
    request: &'a SearchInside,
    pattern: Pattern,
    checkpoint: &'a Checkpoint,
    found: FoundInside,
}

impl InsideSearch<'_> {
    fn search_content(&mut self, content: Option<&Arc<str>>) -> Result<(), SearchInterrupted> {
        let Some(content) = content else { return Ok(()) };
        let options = SearchOptions { context_lines: 0, limit: self.request.limit };
        let in_content = search(content, &self.pattern, &options, &mut || self.checkpoint.check().is_ok())?;
        let mut context_bytes = 0;
        for hit in in_content.hits {
            if context_bytes > MAX_CONTEXT_BYTES {
                break;
            }
            let context = excerpt(content, &hit.range, self.request.context_lines);
            context_bytes += context.len();
            let lines = Some((hit.first_line, hit.last_line));
            self.found.matches.push(FieldMatch { field: SearchField::Content, lines, context });
        }
        self.found.total_matches += in_content.total;
        Ok(())
    }

    /// A value that matches is one match, however often it does.
    fn search_value(&mut self, field: SearchField, item: &Item) -> Result<(), SearchInterrupted> {
        let value = match field {
            SearchField::Content => None,
            SearchField::Title => item.fields.title.as_ref().map(Title::as_str),
            SearchField::Description => item.fields.description.as_ref().map(Description::as_str),
        };
        let Some(value) = value else { return Ok(()) };
        if find_first(value, &self.pattern, &mut || self.checkpoint.check().is_ok())?.is_none() {
            return Ok(());
        }
        self.found.total_matches += 1;
        if self.found.matches.len() < self.request.limit {
            self.found.matches.push(FieldMatch { field, lines: None, context: value.to_owned() });
        }
        Ok(())
    }
}

/// The error for a pattern in `field` that cannot be used.
pub(in crate::usecases) fn invalid_pattern(field: &'static str, error: PatternError) -> Error {
    match error {
        PatternError::Empty => Error::field(field, "must not be empty"),
        PatternError::Invalid { detail, position } => Error::InvalidPattern { detail, position },
        PatternError::TooLarge => Error::InvalidPattern { detail: error.to_string(), position: None },
    }
}
