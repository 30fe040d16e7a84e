//! `GET /notes`: listing items and searching over them.

#![expect(unused_qualifications, reason = "in what the macro of the description writes")]

use std::collections::BTreeSet;

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::fields::{Limits, Tag};
use interline_items::search::SearchOrder;
use interline_items::{
    Contents, Error, Filter, FindBy, FindItems, Kind, PageStart, SortBy, SortOrder, TagMatch, TextFilter, View,
};
use utoipa::IntoParams;

use super::list_values;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::collection::{Collection, KINDS};
use crate::http::extract::item_target::Echo;
use crate::http::extract::query::{QueryParams, number, one_of};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{CursorText, ItemList, ItemType};

/// The query parameters of a list, for the description. [`request`] reads them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it says what the parameters are called, and of which types they are")]
pub(super) struct ListParameters {
    /// What to look for in title, name, description, url, path and content; case, accents and typographic quotes do not matter:
    ///
    /// * `deploy server`: both, as forms of the words (`deploying servers`) or inside of others (`redeploy`)
    /// * `useState`, `auth`: parts of words are found (`authentication`)
    /// * `node.js`, `user_id`, `C++`: what has other characters in it is found as it stands
    /// * `"to be or not"`: a phrase as it stands; `\"` is a quote in it
    /// * `deploy -staging`: not those with `staging`; `-"dry run"`: nor with that phrase
    /// * `deploy OR release notes`: `deploy`, or both `release` and `notes`
    /// * `"OR"`, `"-x"`: in quotes they are text; so are `%`, `_`, `*` and lower-case `or`
    /// * title and name count more than description, that more than url and content
    ///
    /// At most 1,000 characters and 50 words. Empty: all items.
    #[param(max_length = 1000)]
    q: Option<String>,
    /// Instead of `q`: a regular expression that the content matches, such as `fn \w+_id\(`. Upper and lower case differ
    /// unless it begins with `(?i)`; `^` and `$` are the ends of lines, and `.` is no line's end. It takes linear time; what
    /// it cannot have (look-around, back-references) is `invalid_pattern`.
    #[param(min_length = 1)]
    regex: Option<String>,
    /// Only items with these tags; may be repeated.
    tags: Option<Vec<String>>,
    /// Whether an item has `all` of the tags or `any`; `all` unless given.
    tag_match: Option<list_values::TagMatch>,
    /// `active`, `archived` or `deleted` items; may be repeated; `active` unless given.
    view: Option<Vec<list_values::ItemView>>,
    /// By what they are sorted. Unless given: `relevance` (how well items match `q`) with `q`, and `updated_at` without.
    ///
    /// * `title` is that of the item, or else its name, url or path; case does not matter
    /// * items that were never used, are not archived or not deleted come last in the order of that time, `asc` and `desc`
    /// * of items that match `q` as well as each other, active ones come before archived ones, and those before deleted ones
    sort_by: Option<list_values::SortBy>,
    /// `desc` unless given, or `asc`; `asc` unless given for titles.
    sort_order: Option<list_values::SortOrder>,
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
    /// Only items of these kinds; may be repeated.
    #[param(rename = "type")]
    kind: Option<Vec<ItemType>>,
}

/// The views by their names.
pub(in crate::http::routes) const VIEWS: &[(&str, View)] =
    &[("active", View::Active), ("archived", View::Archived), ("deleted", View::Deleted)];
pub(super) const TAG_MATCHES: &[(&str, TagMatch)] = &[("all", TagMatch::All), ("any", TagMatch::Any)];
pub(super) const ORDERS: &[(&str, SortOrder)] = &[("asc", SortOrder::Ascending), ("desc", SortOrder::Descending)];
pub(super) const SORTS: &[(&str, FindBy)] = &[
    ("relevance", FindBy::Relevance),
    ("created_at", FindBy::Field(SortBy::CreatedAt)),
    ("updated_at", FindBy::Field(SortBy::UpdatedAt)),
    ("last_used_at", FindBy::Field(SortBy::LastUsedAt)),
    ("title", FindBy::Field(SortBy::Title)),
    ("archived_at", FindBy::Field(SortBy::ArchivedAt)),
    ("deleted_at", FindBy::Field(SortBy::DeletedAt)),
];

/// List items, or search over them
///
/// Active items, the last changed first, unless the parameters say otherwise. `total` counts all of them. Follow
/// `next_cursor` for pages that stay stable while items change.
///
/// With `q` or `regex`: those that match, with `q` the best first. What was written before is found. `snippet` says where
/// each matches, so that the lines around can be read next: `GET /content/{id}?start_line=…&end_line=…`.
#[utoipa::path(get, path = "/", operation_id = "list", params(ListParameters), responses((status = 200, body = ItemList)))]
pub(super) async fn list(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    collection: Collection,
    mut query: QueryParams,
) -> HandlerResult {
    let text = |text: &str| Ok(text.to_owned());
    let (words, expression) = (query.one("q", text), query.one("regex", text));
    let text = state.interline.text_filter(&caller.0, words, expression).await?;
    let request = request(query, text, collection, state.interline.limits())?;
    let (start, limit, order) = (request.start.clone(), request.limit, request.order);
    let page = state.interline.find_items(&caller.0, request).await?;
    response::json(StatusCode::OK, &ItemList::new(&page, &start, limit, order, &caller.0))
}

fn request(
    mut query: QueryParams,
    text: TextFilter,
    collection: Collection,
    limits: &Limits,
) -> Result<FindItems, Error> {
    let order = order(&mut query, &text)?;
    let filter = filter(&mut query, collection, limits);
    let limit = query.one("limit", number(1, 100)).unwrap_or(50);
    let offset = query.one("offset", number(0, 1_000_000));
    let cursor = query.one("cursor", |text| {
        CursorText::read(text, order).ok_or_else(|| "is not the `next_cursor` of a page in this order".to_owned())
    });
    let contents = match Echo::from_query(&mut query, Echo::Preview) {
        Echo::Content => Contents::Read,
        Echo::Preview => Contents::Omit,
    };
    query.finish()?;
    let start = match (cursor, offset) {
        (None, offset) => PageStart::Offset(offset.unwrap_or(0)),
        (Some(cursor), None) => PageStart::After(cursor),
        (Some(_), Some(_)) => return Err(Error::InvalidParameters("cursor and offset exclude each other")),
    };
    Ok(FindItems { text, filter, order, start, limit: usize::try_from(limit).unwrap_or(50), contents })
}

fn order(query: &mut QueryParams, text: &TextFilter) -> Result<SearchOrder, Error> {
    let (by, order) = (query.one("sort_by", one_of(SORTS)), query.one("sort_order", one_of(ORDERS)));
    text.order(by, order)
}

fn filter(query: &mut QueryParams, collection: Collection, limits: &Limits) -> Filter {
    let views: BTreeSet<View> = query.many("view", one_of(VIEWS)).into_iter().collect();
    Filter {
        // The use case fills in those of the caller.
        spaces: BTreeSet::new(),
        kinds: kinds(query, collection),
        tags: query.many("tags", |text| Tag::parse_stored(text, limits).map_err(|error| error.message)),
        tag_match: query.one("tag_match", one_of(TAG_MATCHES)).unwrap_or_default(),
        views: if views.is_empty() { [View::Active].into() } else { views },
    }
}

fn kinds(query: &mut QueryParams, collection: Collection) -> BTreeSet<Kind> {
    let requested: BTreeSet<Kind> = query.many("type", one_of(KINDS)).into_iter().collect();
    let own: BTreeSet<Kind> = collection.kind().map_or_else(|| Kind::ALL.into(), |kind| [kind].into());
    if requested.is_empty() { own } else { own.intersection(&requested).copied().collect() }
}
