//! `/tags`: listing, renaming and removing tags.

#![expect(unused_qualifications, reason = "in what the macro of the description writes")]

use std::collections::BTreeSet;

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::fields::Tag;
use interline_items::{Error, Kind, TagCountFilter, View};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;

use super::items::VIEWS;
use super::items::list_values::ItemView;
use super::rules::{RouteRules, Routes};
use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::collection::KINDS;
use crate::http::extract::path::TagPath;
use crate::http::extract::query::{QueryParams, one_of};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{ItemType, RenameTagRequest, TagCount, TagList};

/// The routes of `/tags`.
pub(super) fn routes() -> Routes {
    Routes::new()
        .route(routes!(list), RouteRules::read())
        .route(routes!(rename), RouteRules::write())
        .route(routes!(delete), RouteRules::write().with_empty_responses())
}

/// How many items a change of a tag reached.
#[derive(Debug, Serialize, ToSchema)]
struct TagChange {
    /// How many items were changed.
    #[schema(value_type = i64, minimum = 0)]
    changed: usize,
}

/// The query parameters of a list of tags, for the description. [`count_filter`] reads them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it says what the parameters are called, and of which types they are")]
struct TagListParameters {
    /// Only items of these kinds count; may be repeated; all unless given.
    #[param(rename = "type")]
    kind: Option<Vec<ItemType>>,
    /// `active`, `archived` or `deleted` items count; may be repeated; `active` and `archived` unless given.
    view: Option<Vec<ItemView>>,
}

/// List tags
///
/// With the number of items that have each. Items in the trash do not count, unless `view` says so.
#[utoipa::path(get, path = "/tags", tag = "tags", operation_id = "list_tags", params(TagListParameters),
    responses((status = 200, body = TagList)))]
async fn list(State(state): State<AppState>, caller: AuthenticatedCaller, query: QueryParams) -> HandlerResult {
    let tags = state.interline.tags(&caller.0, &count_filter(query)?).await?;
    let count = |(tag, count): (Tag, u64)| TagCount { name: tag.as_str().to_owned(), count };
    response::json(StatusCode::OK, &TagList { tags: tags.into_iter().map(count).collect() })
}

fn count_filter(mut query: QueryParams) -> Result<TagCountFilter, Error> {
    let kinds: BTreeSet<Kind> = query.many("type", one_of(KINDS)).into_iter().collect();
    let views: BTreeSet<View> = query.many("view", one_of(VIEWS)).into_iter().collect();
    query.finish()?;
    let all = TagCountFilter::default();
    Ok(TagCountFilter {
        kinds: if kinds.is_empty() { all.kinds } else { kinds },
        views: if views.is_empty() { all.views } else { views },
    })
}

/// Rename a tag
///
/// On every item that has it, those in the trash too, all at once. An item that has the new one already keeps it once.
#[utoipa::path(patch, path = "/tags/{name}", tag = "tags", operation_id = "rename_tag", request_body = RenameTagRequest,
    params(("name" = String, Path)), responses((status = 200, body = TagChange)))]
async fn rename(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    from: TagPath,
    JsonBody(patch): JsonBody<RenameTagRequest>,
) -> HandlerResult {
    let to = Tag::parse(&patch.new_name, state.interline.limits()).map_err(|mut error| {
        "new_name".clone_into(&mut error.field);
        Error::ValidationFailed(vec![error])
    })?;
    let changed = state.interline.rename_tag(&caller.0, &from.0, &to).await?;
    response::json(StatusCode::OK, &TagChange { changed })
}

/// Remove a tag
///
/// From every item that has it, those in the trash too, all at once. The items stay.
#[utoipa::path(delete, path = "/tags/{name}", tag = "tags", operation_id = "delete_tag",
    params(("name" = String, Path)), responses((status = 204, description = "Removed")))]
async fn delete(State(state): State<AppState>, caller: AuthenticatedCaller, tag: TagPath) -> HandlerResult {
    state.interline.delete_tag(&caller.0, &tag.0).await?;
    Ok(response::empty(StatusCode::NO_CONTENT))
}
