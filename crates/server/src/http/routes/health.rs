//! `/health` and `/metrics`, for operators. They need no token and show nothing about items or users.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

use super::rules::{RouteRules, Routes};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;

/// The routes of `/health` and `/metrics`.
pub(super) fn routes() -> Routes {
    Routes::new().route(routes!(health), RouteRules::public()).route(routes!(metrics), RouteRules::public())
}

/// That the server works.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
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
async fn health(State(state): State<AppState>) -> HandlerResult {
    state.interline.health().await?;
    response::json(StatusCode::OK, &Health { status: "ok", database: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "operations", operation_id = "get_metrics", security(()),
    responses((status = 200, body = String, content_type = "text/plain")))]
async fn metrics(State(state): State<AppState>) -> HandlerResult {
    let damage = state.interline.damage();
    metrics::counter!("interline_corrupt_reads_total").absolute(damage.reads);
    metrics::gauge!("interline_corrupt_items").set(damage.items as f64);
    Ok(state.prometheus.render().into_response())
}
