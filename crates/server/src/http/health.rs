//! `/health` and `/metrics`: for those who run the server. They need no token and tell nothing about items or users.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::{self, Answer};
use super::app::App;

/// That the server works.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// `ok`.
    status: &'static str,
    /// `ok`: the database answers.
    database: &'static str,
    /// The version of the server.
    version: &'static str,
}

/// Whether the server and its database work.
#[utoipa::path(get, path = "/health", tag = "operations", operation_id = "get_health", security(()),
    responses((status = 200, body = Health)))]
pub(super) async fn health(State(app): State<App>) -> Answer {
    app.interline.health().await?;
    answer::json(StatusCode::OK, &Health { status: "ok", database: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "operations", operation_id = "get_metrics", security(()),
    responses((status = 200, body = String, content_type = "text/plain")))]
pub(super) async fn metrics(State(app): State<App>) -> Answer {
    Ok(app.metrics.render().into_response())
}
