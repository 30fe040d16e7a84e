//! `POST /notes`

use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderValue, StatusCode};
use interline_items::Error;
use interline_items::fields::FieldError;

use super::collection::Collection;
use super::target::{Echo, kind_of_body};
use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
use crate::http::identify::Caller;
use crate::http::query::Query;
use crate::wire::{CreateItemRequest, ItemResponse};

/// Create an item
///
/// It goes into the caller's own space. The answer has the content in it unless `include_content=false`.
#[utoipa::path(post, path = "/", operation_id = "create", request_body = CreateItemRequest,
    responses((status = 201, body = ItemResponse)))]
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    collection: Collection,
    mut query: Query,
    Json(new): Json<CreateItemRequest>,
) -> Answer {
    let echo = Echo::asked(&mut query, Echo::Content);
    query.finish()?;
    let named = kind_of_body(new.kind.as_deref())?;
    let kind = match (collection.kind(), named) {
        (Some(own), None) => own,
        (Some(own), Some(named)) if own == named => own,
        _ => {
            let message = format!("must be that of the address; POST to /{} has it left out", collection.name());
            return Err(Error::ValidationFailed(vec![FieldError::new("type", message)]).into());
        }
    };
    let created = app.interline.create(&caller.0, kind, new.into_draft()).await?;
    let body = match echo {
        Echo::Content => ItemResponse::with_content(&created.item, created.content.as_deref()),
        Echo::Preview => ItemResponse::without_content(&created.item),
    };
    let mut answer = answer::item(StatusCode::CREATED, &body, created.item.stamp)?;
    if let Ok(address) = HeaderValue::from_str(&format!("/{}/{}", collection.name(), created.item.id)) {
        answer.headers_mut().insert(LOCATION, address);
    }
    Ok(answer)
}
