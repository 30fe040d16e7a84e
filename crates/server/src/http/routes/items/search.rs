//! `GET /notes/{id}/search`: searching inside one item.

#![expect(unused_qualifications, reason = "in what the macro of the description writes")]

use std::collections::BTreeSet;

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::fields::FieldError;
use interline_items::{Case, Error, QuerySyntax, SearchField, SearchInside};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::http::extract::item_target::ItemTarget;
use crate::http::extract::query::{QueryParams, boolean, number};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire;

/// The query parameters of a search inside an item, for the description. [`request`] reads them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it says what the parameters are called, and of which types they are")]
pub(super) struct SearchParameters {
    /// The text, or the expression with `regex=true`. It may span lines.
    #[param(min_length = 1)]
    q: String,
    /// Where to look; may be repeated, or a comma list; `content` unless given.
    fields: Option<Vec<wire::SearchField>>,
    /// Whether letters match in their own case only; `false` unless given.
    case_sensitive: Option<bool>,
    /// Lines before and after a match; 2 unless given.
    #[param(minimum = 0, maximum = 10)]
    context_lines: Option<i64>,
    /// Whether `q` is a regular expression; `false` unless given.
    regex: Option<bool>,
    /// How many matches are told; 100 unless given. All are counted.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
}

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SearchResult {
    /// The first matches.
    matches: Vec<SearchMatch>,
    /// How many there are.
    #[schema(value_type = i64, minimum = 0)]
    total_matches: usize,
}

/// A match.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SearchMatch {
    /// The field that it is in.
    #[schema(value_type = wire::SearchField)]
    field: &'static str,
    /// The first line of the match; null outside of the content.
    #[schema(value_type = Option<i64>, minimum = 1)]
    line: Option<usize>,
    /// The last line of the match; null outside of the content.
    #[schema(value_type = Option<i64>, minimum = 1)]
    end_line: Option<usize>,
    /// The lines around it, or the whole value of another field.
    context: String,
}

/// Find text inside an item
///
/// Tells lines and contexts without sending the content: check how often a text is there before an edit, or find where
/// to read. No match is a success with an empty list.
#[utoipa::path(get, path = "/{id}/search", operation_id = "search", params(("id" = uuid::Uuid, Path), SearchParameters),
    responses((status = 200, body = SearchResult)))]
pub(super) async fn search(State(state): State<AppState>, mut target: ItemTarget) -> HandlerResult {
    let request = request(&mut target.query)?;
    let found = state.interline.search_inside(&target.caller.0, &target.item, request).await?;
    let matches = found.matches.into_iter().map(|found| SearchMatch {
        field: found.field.name(),
        line: found.lines.map(|(first, _)| first),
        end_line: found.lines.map(|(_, last)| last),
        context: found.context,
    });
    response::json(StatusCode::OK, &SearchResult { matches: matches.collect(), total_matches: found.total_matches })
}

fn request(query: &mut QueryParams) -> Result<SearchInside, Error> {
    let text = query.one("q", |text| Ok(text.to_owned()));
    let fields: BTreeSet<SearchField> = query.many("fields", fields).into_iter().flatten().collect();
    let fields = if fields.is_empty() { [SearchField::Content].into() } else { fields };
    let case = match query.one("case_sensitive", boolean) {
        Some(true) => Case::Sensitive,
        Some(false) | None => Case::Insensitive,
    };
    let syntax = match query.one("regex", boolean) {
        Some(true) => QuerySyntax::Regex,
        Some(false) | None => QuerySyntax::Literal,
    };
    let context_lines = query.one("context_lines", number(0, 10)).unwrap_or(2);
    let limit = query.one("limit", number(1, 1_000)).unwrap_or(100);
    query.finish()?;
    let text = text.ok_or_else(|| Error::ValidationFailed(vec![FieldError::new("q", "is required")]))?;
    let small = |number: u64| usize::try_from(number).unwrap_or_default();
    Ok(SearchInside { query: text, syntax, case, fields, context_lines: small(context_lines), limit: small(limit) })
}

fn fields(list: &str) -> Result<BTreeSet<SearchField>, String> {
    let field = |name: &str| SearchField::from_name(name.trim());
    let fields: Option<BTreeSet<SearchField>> = list.split(',').map(field).collect();
    fields.ok_or_else(|| "must be a comma list of content, title and description".to_owned())
}
