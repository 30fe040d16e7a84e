//! The REST API: middleware, extractors, routes and the OpenAPI description.
//!
//! A request passes, from the outside in: [`middleware::request_log`] (request id, log line, metrics), which asks
//! [`middleware::host_check`] (`Host` and `Origin`), then CORS, and on routes that need a token
//! [`middleware::authentication`] (token and rate limit), which asks [`middleware::idempotency`] (`Idempotency-Key`). Each
//! layer costs every request allocations and copies, so there are few.
//!
//! A handler in [`routes`] turns wire types into those of the use case, calls it, and turns its result into a response.
//! What a route requires of a request is declared beside the route, see [`routes::rules`].

mod error;
mod extract;
mod middleware;
mod openapi;
mod response;
mod router;
mod routes;
mod state;

pub(crate) use middleware::authentication::LocalDoor;
pub(crate) use middleware::metrics::run_metrics_upkeep;
pub use openapi::openapi;
pub(crate) use router::{local_router, router, without_final_slash};
