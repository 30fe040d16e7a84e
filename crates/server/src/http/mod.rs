//! The REST API: wire types, their way to the use cases, and what every request goes through.
//!
//! A request meets, from the outside in: [`observe`] (id, log, metrics), which asks [`guard`] (`Host` and `Origin`),
//! CORS, and on routes of the API [`identify`] (token and rate limit), which asks [`once`] (`Idempotency-Key`). Each layer
//! costs every request allocations and copies, so there are few. A handler turns wire types into those of the use case, calls
//! it, and turns its outcome into an answer.

mod answer;
mod app;
mod apps;
mod body;
mod code;
mod condition;
mod docs;
mod error;
mod events;
mod guard;
mod health;
mod identify;
mod items;
mod kept;
mod limiter;
mod mcp;
mod observe;
mod once;
mod openapi;
mod organizations;
mod path;
mod query;
mod routes;
mod spaces;
mod tags;
mod tokens;
mod users;
mod webhooks;
mod workflows;

pub(crate) use app::End;
pub(crate) use observe::fold_figures;
pub use openapi::openapi;
pub(crate) use routes::{router, without_final_slash};
