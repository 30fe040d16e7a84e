//! `/tags`

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::Error;
use interline_items::fields::Tag;
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::{self, Answer};
use super::app::App;
use super::body::Json;
use super::identify::Caller;
use super::path::Tagged;
use crate::wire::{RenameTagRequest, TagCount, TagList};

/// How many items a change of a tag reached.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TagChange {
    /// How many items were changed.
    #[schema(value_type = i64, minimum = 0)]
    changed: usize,
}

/// List tags
///
/// Those of items that are not deleted, with the number of items that have each.
#[utoipa::path(get, path = "/tags", tag = "tags", operation_id = "list_tags", responses((status = 200, body = TagList)))]
pub(super) async fn list(State(app): State<App>, caller: Caller) -> Answer {
    let tags = app.interline.tags(&caller.0).await?;
    let count = |(tag, count): (Tag, u64)| TagCount { name: tag.as_str().to_owned(), count };
    answer::json(StatusCode::OK, &TagList { tags: tags.into_iter().map(count).collect() })
}

/// Rename a tag
///
/// On every item that has it, all at once. An item that has the new one already keeps it once.
#[utoipa::path(patch, path = "/tags/{name}", tag = "tags", operation_id = "rename_tag", request_body = RenameTagRequest,
    params(("name" = String, Path)), responses((status = 200, body = TagChange)))]
pub(super) async fn rename(
    State(app): State<App>,
    caller: Caller,
    from: Tagged,
    Json(patch): Json<RenameTagRequest>,
) -> Answer {
    let to = Tag::parse(&patch.new_name, app.interline.limits()).map_err(|mut error| {
        "new_name".clone_into(&mut error.field);
        Error::ValidationFailed(vec![error])
    })?;
    let changed = app.interline.rename_tag(&caller.0, &from.0, &to).await?;
    answer::json(StatusCode::OK, &TagChange { changed })
}

/// Remove a tag
///
/// From every item that has it, all at once. The items stay.
#[utoipa::path(delete, path = "/tags/{name}", tag = "tags", operation_id = "delete_tag",
    params(("name" = String, Path)), responses((status = 204, description = "Removed")))]
pub(super) async fn delete(State(app): State<App>, caller: Caller, tag: Tagged) -> Answer {
    app.interline.delete_tag(&caller.0, &tag.0).await?;
    Ok(answer::empty(StatusCode::NO_CONTENT))
}
