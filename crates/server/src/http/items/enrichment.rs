//! `GET /notes/{id}/enrichment`

use axum::extract::State;
use axum::http::StatusCode;

use super::target::Target;
use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::wire::EnrichmentResponse;

/// Read what a model said about an item
///
/// A summary and tags that would fit, kept beside the item and made again when it changes, if the server has a model.
#[utoipa::path(get, path = "/{id}/enrichment", operation_id = "read_enrichment", params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = EnrichmentResponse)))]
pub(super) async fn read(State(app): State<App>, target: Target) -> Answer {
    target.query.finish()?;
    let (item, state) = app.interline.enrichment(&target.caller.0, &target.which).await?;
    answer::json(StatusCode::OK, &EnrichmentResponse::new(&item, state))
}
