//! `/health` and `/metrics`, for operators. They need no token and show nothing about items or users.

use std::sync::{Mutex, PoisonError};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use interline_items::{Outage, StoreHealth, worker_restarts};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

use super::rules::{RouteRules, Routes};
use crate::http::error::ApiError;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::HealthStatus;

/// The routes of `/health` and `/metrics`.
pub(super) fn routes() -> Routes {
    Routes::new()
        .route(routes!(health), RouteRules::public())
        .route(routes!(live), RouteRules::public())
        .route(routes!(ready), RouteRules::public())
        .route(routes!(metrics), RouteRules::public())
}

/// What works.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    /// `degraded` if reads or writes do not work, or items are damaged.
    #[schema(value_type = HealthStatus)]
    status: &'static str,
    /// `ok`, or the reason why reads do not work: the same as `reads`.
    database: String,
    /// `ok`, or why reads do not work, like `locked`.
    reads: String,
    /// `ok`, or why writes do not work, like `disk full`, `read-only`, `locked`, `a sync failed`.
    writes: String,
    /// How many items are known to be damaged, and not repaired since; `interline check` finds all.
    damaged_items: u64,
    /// The version of the server.
    version: &'static str,
}

impl Health {
    fn new(health: StoreHealth, damaged_items: u64) -> Health {
        let StoreHealth { reads, writes } = health;
        Health {
            status: if reads.and(writes).is_ok() && damaged_items == 0 { "ok" } else { "degraded" },
            database: shown(reads),
            reads: shown(reads),
            writes: shown(writes),
            damaged_items,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// `ok`, or why it does not work.
pub(in crate::http) fn shown(works: Result<(), Outage>) -> String {
    works.map_or_else(|outage| outage.to_string(), |()| "ok".to_owned())
}

/// Whether reads and writes work
///
/// Answered with 200 also where they do not: `status` says so, with the reasons. At most a second old.
#[utoipa::path(get, path = "/health", tag = "operations", operation_id = "get_health", security(()),
    responses((status = 200, body = Health)))]
async fn health(State(state): State<AppState>) -> HandlerResult {
    response::json(StatusCode::OK, &Health::new(state.interline.health().await, state.interline.corrupt_items()))
}

/// That the process answers
///
/// It says nothing about the database: a process whose database is gone need not be started again.
#[utoipa::path(get, path = "/health/live", tag = "operations", operation_id = "get_liveness", security(()),
    responses((status = 200, body = Liveness)))]
async fn live() -> HandlerResult {
    response::json(StatusCode::OK, &Liveness { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// That the process answers.
#[derive(Debug, Serialize, ToSchema)]
struct Liveness {
    /// Always `ok`.
    #[schema(value_type = HealthStatus)]
    status: &'static str,
    /// The version of the server.
    version: &'static str,
}

/// Whether requests can be sent here
///
/// 503 while reads or writes do not work.
#[utoipa::path(get, path = "/health/ready", tag = "operations", operation_id = "get_readiness", security(()),
    responses((status = 200, body = Health)))]
async fn ready(State(state): State<AppState>) -> HandlerResult {
    let health = state.interline.health().await;
    state.readiness.log_change(health);
    match health.reads.and(health.writes) {
        Ok(()) => response::json(StatusCode::OK, &Health::new(health, state.interline.corrupt_items())),
        Err(_) => Err(ApiError::NotReady(health)),
    }
}

/// Whether the last request for readiness was told that reads and writes work. Probes come again and again: the log has a line
/// when the answer changes.
#[derive(Default)]
pub(in crate::http) struct Readiness(Mutex<Option<StoreHealth>>);

impl Readiness {
    fn log_change(&self, health: StoreHealth) {
        if !self.has_changed(health) {
            return;
        }
        let StoreHealth { reads, writes } = health;
        match reads.and(writes) {
            Ok(()) => tracing::info!("ready: reads and writes work again"),
            Err(_) => tracing::error!(reads = shown(reads), writes = shown(writes), "not ready"),
        }
    }

    /// Whether it is other than the last time. The first time counts as a change only if something does not work.
    fn has_changed(&self, health: StoreHealth) -> bool {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(health);
        before.map_or(health.reads.and(health.writes).is_err(), |before| before != health)
    }
}

/// Figures for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "operations", operation_id = "get_metrics", security(()),
    responses((status = 200, body = String, content_type = "text/plain")))]
async fn metrics(State(state): State<AppState>) -> HandlerResult {
    let damage = state.interline.damage();
    metrics::counter!("interline_corrupt_reads_total").absolute(damage.reads);
    metrics::gauge!("interline_corrupt_items").set(damage.items as f64);
    metrics::gauge!("interline_memory_budget_bytes").set(state.memory.limit() as f64);
    metrics::gauge!("interline_memory_budget_used_bytes").set(state.memory.used() as f64);
    for (worker, restarts) in worker_restarts() {
        metrics::counter!("interline_worker_restarts_total", "worker" => worker).absolute(restarts);
    }
    Ok(state.prometheus.render().into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_is_logged_when_it_changes() {
        let works = StoreHealth { reads: Ok(()), writes: Ok(()) };
        let (full, locked) = (Err(Outage::DiskFull), Err(Outage::Locked));
        let readiness = Readiness::default();
        for (health, is_logged) in [
            (works, false),
            (StoreHealth { writes: full, ..works }, true),
            (StoreHealth { writes: full, ..works }, false),
            (StoreHealth { writes: locked, ..works }, true),
            (works, true),
            (works, false),
        ] {
            assert_eq!(readiness.has_changed(health), is_logged, "{health:?}");
        }
        assert!(Readiness::default().has_changed(StoreHealth { writes: full, ..works }), "from the start");
    }
}
