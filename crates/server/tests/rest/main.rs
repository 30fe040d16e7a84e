//! The REST contract, end to end: real requests over TCP, on a real SQLite file and a real PostgreSQL each.
//!
//! A test is at the address that it is about: `POST /notes` in `notes/create.rs`. What holds for every address has files of
//! its own here. Every answer that any test gets is held to the promises of all answers, see `client.rs`.
//!
//! `sqlite::…` runs on a file in a temporary directory, `postgres::…` in a database of its own on the server that
//! INTERLINE_TEST_POSTGRES names. `./test` starts one; without it the PostgreSQL half fails.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test is a panic")]

#[macro_use]
mod place;

mod client;
mod description;
mod expected;
mod raw;
mod receiver;

mod apps;
mod bookmarks;
mod code;
mod content;
mod docs;
mod editing;
mod enrichment;
mod events;
mod finding;
mod health;
mod history;
mod metrics;
mod notes;
mod organizations;
mod prompts;
mod search;
mod spaces;
mod tags;
mod tokens;
mod users;
mod webhooks;
mod workflows;

mod bodies;
mod conditions;
mod connections;
mod failures;
mod freshness;
mod guard;
mod limits;
mod once;
mod openapi;
mod races;
mod routes;
mod shutdown;
mod strangers;
