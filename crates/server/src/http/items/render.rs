//! `POST /prompts/{id}/render`

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::target::Target;
use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::body::Json;
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
pub(super) async fn render(State(app): State<App>, target: Target, Json(request): Json<RenderRequest>) -> Answer {
    target.query.finish()?;
    let rendered = app.interline.render(&target.caller.0, &target.which, request.arguments).await?;
    answer::json(StatusCode::OK, &Rendered { rendered })
}
