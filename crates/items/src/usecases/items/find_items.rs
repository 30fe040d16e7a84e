//! Listing and searching items: filters, orders and pages.

use std::sync::Arc;
use std::time::Duration;

use interline_edit::Case;
use interline_search::Search;

use crate::fields::refuse_nul;
use crate::memory_budget::take_for_work;
use crate::search::{SearchHit, SearchOrder, SearchQuery, SearchResults};
use crate::{Contents, CursorKey, Error, Filter, ListQuery, PageStart, Scope, Sort, SortBy, SortOrder};

use crate::usecases::{Caller, Interline};

use super::search_inside::invalid_pattern;

/// How many bytes the contents of one page may have together: a hundred of the longest would be most of a gigabyte.
const MAX_LISTED_BYTES: u64 = 32 * 1024 * 1024;
/// How long a search may take.
const MAX_TIME: Duration = Duration::from_secs(10);

/// A request for a page of items.
#[derive(Clone, Debug)]
pub struct FindItems {
    /// The text that they match.
    pub text: TextFilter,
    /// Kinds, tags and states; kinds that do not exist for the caller are left out, and the spaces are the caller's.
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

/// The text that items must match.
#[derive(Clone, Debug)]
pub enum TextFilter {
    /// None: all items match.
    Everything,
    /// A query of words, which some items match better than others.
    Ranked(Arc<Search>),
    /// A regular expression, which an item matches or does not.
    Matching(Arc<Search>),
}

/// What the items of a page are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindBy {
    /// How well they match the query.
    Relevance,
    /// A field of the items.
    Field(SortBy),
}

impl TextFilter {
    /// Parses a query of words (`q`) or a regular expression (`regex`), of which there may be one. All items match an empty
    /// query.
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

    /// The order of a page, with defaults for what is not given: by relevance for a query of words, by the last change
    /// otherwise; titles ascending, all else descending.
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
                    SortBy::CreatedAt
                    | SortBy::UpdatedAt
                    | SortBy::LastUsedAt
                    | SortBy::ArchivedAt
                    | SortBy::DeletedAt => SortOrder::Descending,
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
    /// [`TextFilter::parse`] for a caller: compiling a regular expression can take many milliseconds, so it has its turn on a
    /// thread.
    pub async fn text_filter(
        &self,
        caller: &Caller,
        query: Option<String>,
        expression: Option<String>,
    ) -> Result<TextFilter, Error> {
        match expression {
            None => TextFilter::parse(query.as_deref(), None),
            Some(_) => {
                let parse = move |_: &_| TextFilter::parse(query.as_deref(), expression.as_deref());
                self.threads.run(caller.work_for(), parse).await?
            }
        }
    }

    /// A page of the items that exist for the caller and match, with snippets of where they match.
    pub async fn find_items(&self, caller: &Caller, mut request: FindItems) -> Result<SearchResults, Error> {
        caller.require(Scope::Read)?;
        request.filter.kinds.retain(|kind| caller.kinds().contains(kind));
        request.filter.spaces = caller.spaces_of(&request.filter.kinds).into_iter().collect();
        check_page(&request)?;
        if request.contents == Contents::Read {
            check_length(&self.page(caller, FindItems { contents: Contents::Omit, ..request.clone() }).await?)?;
        }
        self.page(caller, request).await
    }

    async fn page(&self, caller: &Caller, request: FindItems) -> Result<SearchResults, Error> {
        let FindItems { text, filter, order, start, limit, contents } = request;
        match (text.search(), order) {
            (Some(search), order) => {
                let (checkpoint, _guard) = self.search_checkpoint(caller, MAX_TIME).await?;
                let search = Arc::clone(search);
                let query = SearchQuery { search, filter, order, start, limit, contents, checkpoint };
                Ok(self.store.search(&query).await?)
            }
            (None, SearchOrder::Sorted(sort)) => {
                let _permit = self.read_permit(caller).await?;
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

/// Refuses a page whose contents together are more than one answer should hold, or than there is memory for.
fn check_length(page: &SearchResults) -> Result<(), Error> {
    let contents = page.items.iter().filter_map(|hit| hit.snapshot.item.content.as_ref());
    match contents.map(|content| content.bytes).sum() {
        actual if actual > MAX_LISTED_BYTES => Err(Error::PageTooLarge { limit: MAX_LISTED_BYTES, actual }),
        actual => take_for_work(usize::try_from(actual).unwrap_or(usize::MAX)),
    }
}

/// Refuses a limit, offset or cursor that does not mean the same to every storage.
fn check_page(request: &FindItems) -> Result<(), Error> {
    /// Pages beyond it are read by cursor.
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
    let is_of_order = match (&cursor.key, request.order) {
        (Some(CursorKey::Score { .. }), SearchOrder::Relevance(_)) => true,
        (_, SearchOrder::Relevance(_)) => false,
        (key, SearchOrder::Sorted(Sort { by, .. })) => match (by, key) {
            (SortBy::Title, Some(CursorKey::Text(text))) => !text.contains('\0'),
            (SortBy::CreatedAt | SortBy::UpdatedAt, Some(CursorKey::Micros(_))) => true,
            (SortBy::LastUsedAt | SortBy::ArchivedAt | SortBy::DeletedAt, None | Some(CursorKey::Micros(_))) => true,
            (SortBy::Title, None) => true,
            _ => false,
        },
    };
    if is_of_order { Ok(()) } else { Err(Error::InvalidParameters("the cursor is not one of this order")) }
}
