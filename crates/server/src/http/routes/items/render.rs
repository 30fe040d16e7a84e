//! `POST /prompts/{id}/render`: rendering a prompt with values for its arguments.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::extract::body::JsonBody;
use crate::http::extract::item_target::ItemTarget;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::RenderRequest;

/// A prompt with values for its arguments.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Rendered {
    /// The text.
    rendered: String,
}

/// Render a prompt
///
/// Every required argument needs a value, and no others are taken. Time and output are bounded.
#[utoipa::path(post, path = "/{id}/render", operation_id = "render", request_body = RenderRequest,
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = Rendered)))]
pub(super) async fn render(
    State(state): State<AppState>,
    target: ItemTarget,
    JsonBody(request): JsonBody<RenderRequest>,
) -> HandlerResult {
    target.query.finish()?;
    let rendered = state.interline.render(&target.caller.0, &target.item, request.arguments).await?;
    response::json(StatusCode::OK, &Rendered { rendered })
}
