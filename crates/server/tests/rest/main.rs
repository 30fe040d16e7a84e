//! The REST contract, end to end: real requests over TCP, on a real SQLite file and a real PostgreSQL each.
//!
//! The folders mirror those of `src/http`. A test stands at the URL that it is about: `POST /notes` in
//! `routes/items/notes/create.rs`. Every response that any test gets must keep the promises of all responses, see
//! `support/client.rs`.
//!
//! `sqlite::…` runs on a file in a temporary directory, `postgres::…` in a database of its own on the server that
//! INTERLINE_TEST_POSTGRES names. `./test` starts one; without it the PostgreSQL half fails.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test is a panic")]

#[macro_use]
mod support;

mod extract;
mod middleware;
mod routes;
mod serve;
