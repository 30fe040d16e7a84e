//! `GET /notes`

#![expect(unused_qualifications, reason = "in what the macro of the description writes")]

use std::collections::BTreeSet;

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::fields::{Limits, Tag};
use interline_items::{Contents, Error, Kind, ListQuery, PageStart, Sort, SortBy, SortOrder, TagMatch, View};
use utoipa::IntoParams;

use super::collection::{Collection, KINDS};
use super::target::Echo;
use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::identify::Caller;
use crate::http::query::{Query, number, word};
use crate::http::wire::{CursorText, ItemList};

/// How a list is asked for. It is read by [`list_query`]; this is what is told about it.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it says what the parameters are called, and of which types they are")]
pub(super) struct ListParameters {
    /// Only items with these tags; may be repeated.
    tags: Option<Vec<String>>,
    /// Whether an item has `all` of the tags or `any`; `all` unless given.
    #[param(value_type = Option<String>, pattern = "^(all|any)$")]
    tag_match: Option<String>,
    /// `active`, `archived` or `deleted` items; may be repeated; `active` unless given.
    view: Option<Vec<String>>,
    /// `updated_at` unless given; `created_at`, `last_used_at` or `title`.
    #[param(pattern = "^(created_at|updated_at|last_used_at|title)$")]
    sort_by: Option<String>,
    /// `desc` unless given, or `asc`; `asc` unless given for titles.
    #[param(pattern = "^(asc|desc)$")]
    sort_order: Option<String>,
    /// How many items at the most; 50 unless given.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<i64>,
    /// After so many items. Not together with `cursor`.
    #[param(minimum = 0, maximum = 1_000_000)]
    offset: Option<i64>,
    /// The `next_cursor` of the page before: pages stay stable while items change.
    cursor: Option<String>,
    /// Whether the items have their content; `false` unless given.
    include_content: Option<bool>,
    /// Only items of these kinds (`note`, `bookmark`, `prompt`); may be repeated.
    #[param(rename = "type")]
    kind: Option<Vec<String>>,
}

const VIEWS: &[(&str, View)] = &[("active", View::Active), ("archived", View::Archived), ("deleted", View::Deleted)];
const TAG_MATCHES: &[(&str, TagMatch)] = &[("all", TagMatch::All), ("any", TagMatch::Any)];
const ORDERS: &[(&str, SortOrder)] = &[("asc", SortOrder::Ascending), ("desc", SortOrder::Descending)];
const SORTS: &[(&str, SortBy)] = &[
    ("created_at", SortBy::CreatedAt),
    ("updated_at", SortBy::UpdatedAt),
    ("last_used_at", SortBy::LastUsedAt),
    ("title", SortBy::Title),
];

/// List items
///
/// Active items, the last changed first, unless the parameters say otherwise. `total` counts all of them. Follow
/// `next_cursor` for pages that stay stable while items change.
#[utoipa::path(get, path = "/", operation_id = "list", params(ListParameters), responses((status = 200, body = ItemList)))]
pub(super) async fn list(State(app): State<App>, caller: Caller, collection: Collection, query: Query) -> Answer {
    let query = list_query(query, collection, app.interline.limits())?;
    let (start, limit, sort) = (query.start.clone(), query.limit, query.sort);
    let page = app.interline.list(&caller.0, query).await?;
    answer::json(StatusCode::OK, &ItemList::of(&page, &start, limit, sort))
}

fn list_query(mut query: Query, collection: Collection, limits: &Limits) -> Result<ListQuery, Error> {
    refuse_search(&mut query)?;
    let kinds = kinds(&mut query, collection);
    let tags = query.many("tags", |text| Tag::parse(text, limits).map_err(|error| error.message));
    let tag_match = query.one("tag_match", word(TAG_MATCHES)).unwrap_or_default();
    let views: BTreeSet<View> = query.many("view", word(VIEWS)).into_iter().collect();
    let sort = sort(&mut query);
    let limit = query.one("limit", number(1, 100)).unwrap_or(50);
    let offset = query.one("offset", number(0, 1_000_000));
    let cursor = query.one("cursor", |text| {
        CursorText::read(text, sort).ok_or_else(|| "is not the `next_cursor` of a page in this order".to_owned())
    });
    let contents = match Echo::asked(&mut query, Echo::Preview) {
        Echo::Content => Contents::Read,
        Echo::Preview => Contents::Omit,
    };
    query.finish()?;
    let start = match (cursor, offset) {
        (None, offset) => PageStart::Offset(offset.unwrap_or(0)),
        (Some(cursor), None) => PageStart::After(cursor),
        (Some(_), Some(_)) => return Err(Error::InvalidParameters("cursor and offset exclude each other")),
    };
    Ok(ListQuery {
        spaces: BTreeSet::new(),
        kinds,
        tags,
        tag_match,
        views: if views.is_empty() { [View::Active].into() } else { views },
        sort,
        start,
        limit: usize::try_from(limit).unwrap_or(50),
        contents,
    })
}

/// Searching is not there yet, and a list that ignored it would be taken for its result.
fn refuse_search(query: &mut Query) -> Result<(), Error> {
    let searched = |text: &str| Ok(!text.trim().is_empty());
    let by_relevance = |text: &str| Ok(text == "relevance");
    if query.many("q", searched).contains(&true) || query.many("regex", searched).contains(&true) {
        return Err(Error::InvalidParameters("searching with q and regex is not available yet"));
    }
    if query.many("sort_by", by_relevance).contains(&true) {
        return Err(Error::InvalidParameters("sort_by=relevance needs a search with q"));
    }
    Ok(())
}

fn kinds(query: &mut Query, collection: Collection) -> BTreeSet<Kind> {
    let named: BTreeSet<Kind> = query.many("type", word(KINDS)).into_iter().collect();
    let own: BTreeSet<Kind> = collection.kind().map_or_else(|| Kind::ALL.into(), |kind| [kind].into());
    if named.is_empty() { own } else { own.intersection(&named).copied().collect() }
}

fn sort(query: &mut Query) -> Sort {
    let by = query.one("sort_by", word(SORTS)).unwrap_or(SortBy::UpdatedAt);
    let natural = match by {
        SortBy::Title => SortOrder::Ascending,
        SortBy::CreatedAt | SortBy::UpdatedAt | SortBy::LastUsedAt => SortOrder::Descending,
    };
    Sort { by, order: query.one("sort_order", word(ORDERS)).unwrap_or(natural) }
}
