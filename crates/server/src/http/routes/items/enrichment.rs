//! `GET /notes/{id}/enrichment`: the summary and tags that a model made for an item.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::extract::item_target::ItemTarget;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::EnrichmentResponse;

/// Read what a model said about an item
///
/// A summary and tags that would fit, kept beside the item and made again when it changes, if the server has a model.
#[utoipa::path(get, path = "/{id}/enrichment", operation_id = "read_enrichment", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = EnrichmentResponse)))]
pub(super) async fn read(State(state): State<AppState>, target: ItemTarget) -> HandlerResult {
    target.query.finish()?;
    let (item, state) = state.interline.enrichment(&target.caller.0, &target.item).await?;
    response::json(StatusCode::OK, &EnrichmentResponse::new(&item, state))
}
