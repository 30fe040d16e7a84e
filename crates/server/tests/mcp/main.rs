//! The MCP servers, end to end: JSON-RPC over real connections, on a real SQLite file and a real PostgreSQL each.
//!
//! Every answer that any test gets is held to the promises of all answers, see `agent.rs`.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test is a panic")]

#[path = "../rest/support/mod.rs"]
#[macro_use]
#[expect(dead_code, reason = "the tests of the REST API use more of it")]
mod support;

mod agent;
mod listener;
mod schema;

mod protocol;
mod tools;
