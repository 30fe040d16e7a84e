//! Listing items and searching over them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use interline_edit::Case;
use interline_search::Search;

use crate::fields::refuse_nul;
use crate::search::{SearchHit, SearchOrder, SearchQuery, SearchResults};
use crate::{Contents, CursorKey, Error, Filter, ListQuery, PageStart, Scope, Sort, SortBy, SortOrder};

use super::search_inside::invalid_pattern;
use super::{Caller, Interline};

/// What the contents of one page may have together: a hundred of the longest would be most of a gigabyte.
const MAX_LISTED_BYTES: u64 = 32 * 1024 * 1024;
/// How long a search may take.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Which items are asked for.
#[derive(Clone, Debug)]
pub struct FindItems {
    /// What they match.
    pub wanted: TextFilter,
    /// Where; those that do not exist for the caller are left out.
    pub filter: Filter,
    /// The order, of [`TextFilter::order`].
    pub order: SearchOrder,
    /// Where the page starts.
    pub start: PageStart,
    /// How many items at the most, from 1 to 100.
    pub limit: usize,
    /// Whether contents are read too.
    pub contents: Contents,
}

/// What items are to match.
#[derive(Clone, Debug)]
pub enum TextFilter {
    /// Nothing: all of them.
    Everything,
    /// A query, which some match better than others.
    Ranked(Arc<Search>),
    /// An expression, which they match or do not.
    Matching(Arc<Search>),
}

/// What an order compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindBy {
    /// How well they match a query.
    Relevance,
    /// What lists are sorted by.
    Field(SortBy),
}

impl TextFilter {
    /// What is asked for by a query of words (`q`) or a regular expression (`regex`), of which there may be one. An empty
    /// query asks for nothing.
    pub fn parse(query: Option<&str>, expression: Option<&str>) -> Result<TextFilter, Error> {
        let query = query.filter(|query| !query.trim().is_empty());
        let (field, text) = match (query, expression) {
            (None, None) => return Ok(TextFilter::Everything),
            (Some(query), None) => ("q", query),
            (None, Some(expression)) => ("regex", expression),
            (Some(_), Some(_)) => {
                return Err(Error::InvalidParameters("`q` and `regex` exclude each other; give one of them"));
            }
        };
        refuse_nul(field, text).map_err(|problem| Error::ValidationFailed(vec![problem]))?;
        if expression.is_some() {
            let search = Search::regex(text, Case::Sensitive).map_err(|error| invalid_pattern(field, error))?;
            return Ok(TextFilter::Matching(Arc::new(search)));
        }
        let search = Search::parse(text).map_err(|error| Error::field(field, error.to_string()))?;
        Ok(search.map_or(TextFilter::Everything, |search| TextFilter::Ranked(Arc::new(search))))
    }

    /// The order that is asked for. Unless it is given: how well they match, where that differs, and otherwise what was
    /// changed last; titles from the first to the last, all else from the greatest to the least.
    pub fn order(&self, by: Option<FindBy>, order: Option<SortOrder>) -> Result<SearchOrder, Error> {
        let by = by.unwrap_or(match self {
            TextFilter::Ranked(_) => FindBy::Relevance,
            TextFilter::Everything | TextFilter::Matching(_) => FindBy::Field(SortBy::UpdatedAt),
        });
        match (by, self) {
            (FindBy::Relevance, TextFilter::Ranked(_)) => {
                Ok(SearchOrder::Relevance(order.unwrap_or(SortOrder::Descending)))
            }
            (FindBy::Relevance, TextFilter::Everything | TextFilter::Matching(_)) => Err(no_relevance()),
            (FindBy::Field(by), _) => {
                let natural = match by {
                    SortBy::Title => SortOrder::Ascending,
                    SortBy::CreatedAt | SortBy::UpdatedAt | SortBy::LastUsedAt => SortOrder::Descending,
                };
                Ok(SearchOrder::Sorted(Sort { by, order: order.unwrap_or(natural) }))
            }
        }
    }

    fn search(&self) -> Option<&Arc<Search>> {
        match self {
            TextFilter::Everything => None,
            TextFilter::Ranked(search) | TextFilter::Matching(search) => Some(search),
        }
    }
}

impl Interline {
    /// A page of the items that exist for the caller and match, with where they do.
    pub async fn find_items(&self, caller: &Caller, mut request: FindItems) -> Result<SearchResults, Error> {
        caller.needs(Scope::Read)?;
        request.filter.kinds.retain(|kind| caller.kinds().contains(kind));
        request.filter.spaces = caller.spaces_of(&request.filter.kinds).into_iter().collect();
        check_page(&request)?;
        if request.contents == Contents::Read {
            check_length(&self.page(FindItems { contents: Contents::Omit, ..request.clone() }).await?)?;
        }
        self.page(request).await
    }

    async fn page(&self, request: FindItems) -> Result<SearchResults, Error> {
        let FindItems { wanted, filter, order, start, limit, contents } = request;
        match (wanted.search(), order) {
            (Some(search), order) => {
                let (search, until) = (Arc::clone(search), Instant::now() + MAX_TIME);
                Ok(self.store.search(&SearchQuery { search, filter, order, start, limit, contents, until }).await?)
            }
            (None, SearchOrder::Sorted(sort)) => {
                let page = self.store.list(&ListQuery { filter, sort, start, limit, contents }).await?;
                let items = page.items.into_iter().map(|snapshot| SearchHit { snapshot, snippet: None });
                Ok(SearchResults { items: items.collect(), total: page.total, next: page.next })
            }
            (None, SearchOrder::Relevance(_)) => Err(no_relevance()),
        }
    }
}

fn no_relevance() -> Error {
    Error::InvalidParameters("sort_by=relevance needs a query in `q`")
}

/// Refused if the contents of a page are together more than one answer should hold.
fn check_length(page: &SearchResults) -> Result<(), Error> {
    let contents = page.items.iter().filter_map(|found| found.snapshot.item.content.as_ref());
    match contents.map(|content| content.bytes).sum() {
        actual if actual > MAX_LISTED_BYTES => Err(Error::PageTooLarge { limit: MAX_LISTED_BYTES, actual }),
        _ => Ok(()),
    }
}

/// Whether a page can be asked for: what comes from a caller must mean the same to every storage.
fn check_page(request: &FindItems) -> Result<(), Error> {
    /// Beyond it a cursor is the way.
    const MAX_OFFSET: u64 = 1_000_000;
    if !(1..=100).contains(&request.limit) {
        return Err(Error::InvalidParameters("limit must be from 1 to 100"));
    }
    let cursor = match &request.start {
        PageStart::Offset(offset) if *offset > MAX_OFFSET => {
            return Err(Error::InvalidParameters(
                "offset must be at most 1,000,000; use the cursor of the page before",
            ));
        }
        PageStart::Offset(_) => return Ok(()),
        PageStart::After(cursor) => cursor,
    };
    match (&cursor.key, request.order) {
        (Some(CursorKey::Score(_)), SearchOrder::Relevance(_)) => Ok(()),
        (Some(CursorKey::Text(text)), SearchOrder::Sorted(Sort { by: SortBy::Title, .. })) if !text.contains('\0') => {
            Ok(())
        }
        (
            Some(CursorKey::Micros(_)),
            SearchOrder::Sorted(Sort { by: SortBy::CreatedAt | SortBy::UpdatedAt | SortBy::LastUsedAt, .. }),
        )
        | (None, SearchOrder::Sorted(Sort { by: SortBy::LastUsedAt | SortBy::Title, .. })) => Ok(()),
        _ => Err(Error::InvalidParameters("the cursor is not one of this order")),
    }
}
