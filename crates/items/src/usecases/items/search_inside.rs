//! Searching for text inside one item.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use interline_edit::{Case, Pattern, PatternError, SearchOptions, excerpt, search};

use crate::fields::{Description, FieldError, Title, refuse_nul};
use crate::{Error, HashCheck, Item, Scope, Snapshot};

use crate::usecases::{Caller, Interline, ItemRef};

use super::content_check::BIG_BYTES;

/// How long a search for a regular expression may take.
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
            self.threads.run(move |_| search_snapshot(&snapshot, &request)).await?
        } else {
            search_snapshot(&snapshot, &request)
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

fn search_snapshot(snapshot: &Snapshot, request: &SearchInside) -> Result<FoundInside, Error> {
    let pattern = match request.syntax {
        QuerySyntax::Literal => Pattern::literal(&request.query, request.case),
        QuerySyntax::Regex => Pattern::regex(&request.query, request.case),
    };
    let pattern = pattern.map_err(|error| invalid_pattern("q", error))?;
    let mut found = FoundInside::default();
    for field in &request.fields {
        match field {
            SearchField::Content => search_content(&mut found, snapshot.content.as_ref(), &pattern, request)?,
            SearchField::Title | SearchField::Description => {
                search_value(&mut found, *field, &snapshot.item, &pattern, request.limit);
            }
        }
    }
    Ok(found)
}

fn search_content(
    found: &mut FoundInside,
    content: Option<&Arc<str>>,
    pattern: &Pattern,
    request: &SearchInside,
) -> Result<(), Error> {
    let Some(content) = content else { return Ok(()) };
    let options = SearchOptions { context_lines: 0, limit: request.limit };
    let deadline = match request.syntax {
        // A literal is found in one pass over the text, however long that is.
        QuerySyntax::Literal => None,
        QuerySyntax::Regex => Some(Instant::now() + MAX_TIME),
    };
    let in_time = &mut || deadline.is_none_or(|deadline| Instant::now() < deadline);
    let in_content = search(content, pattern, &options, in_time);
    let in_content = in_content.map_err(|_| Error::InvalidPattern {
        detail: format!("it takes more than {} seconds on this content", MAX_TIME.as_secs()),
        position: None,
    })?;
    let mut context_bytes = 0;
    for hit in in_content.hits {
        if context_bytes > MAX_CONTEXT_BYTES {
            break;
        }
        let context = excerpt(content, &hit.range, request.context_lines);
        context_bytes += context.len();
        let lines = Some((hit.first_line, hit.last_line));
        found.matches.push(FieldMatch { field: SearchField::Content, lines, context });
    }
    found.total_matches += in_content.total;
    Ok(())
}

/// A value that matches is one match, however often it does.
fn search_value(found: &mut FoundInside, field: SearchField, item: &Item, pattern: &Pattern, limit: usize) {
    let value = match field {
        SearchField::Content => None,
        SearchField::Title => item.fields.title.as_ref().map(Title::as_str),
        SearchField::Description => item.fields.description.as_ref().map(Description::as_str),
    };
    let Some(value) = value.filter(|value| pattern.is_match(value)) else { return };
    found.total_matches += 1;
    if found.matches.len() < limit {
        found.matches.push(FieldMatch { field, lines: None, context: value.to_owned() });
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
