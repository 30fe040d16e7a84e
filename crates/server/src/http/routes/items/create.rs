//! `POST /notes`: creating an item.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::Error;
use interline_items::fields::FieldError;

use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::collection::Collection;
use crate::http::extract::item_target::{Echo, parse_kind};
use crate::http::extract::query::QueryParams;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{CreateItemRequest, ItemResponse};

/// Create an item
///
/// It goes into the caller's own space. The answer has the content in it unless `include_content=false`.
#[utoipa::path(post, path = "/", operation_id = "create", request_body = CreateItemRequest,
    responses((status = 201, body = ItemResponse)))]
pub(super) async fn create(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    collection: Collection,
    mut query: QueryParams,
    JsonBody(new): JsonBody<CreateItemRequest>,
) -> HandlerResult {
    let echo = Echo::from_query(&mut query, Echo::Content);
    query.finish()?;
    let named = parse_kind(new.kind.as_deref())?;
    let kind = match (collection.kind(), named) {
        (Some(own), None) => own,
        (Some(own), Some(named)) if own == named => own,
        _ => {
            let message = format!("must be that of the address; POST to /{} has it left out", collection.name());
            return Err(Error::ValidationFailed(vec![FieldError::new("type", message)]).into());
        }
    };
    let created = state.interline.create(&caller.0, kind, new.into_draft()).await?;
    let mut response = response::item(StatusCode::CREATED, &echo.item_body(&created), created.item.stamp)?;
    response::set_location(&mut response, &format!("/{}/{}", collection.name(), created.item.id));
    Ok(response)
}
