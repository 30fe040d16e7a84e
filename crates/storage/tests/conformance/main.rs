//! The conformance suite: what every storage guarantees, tested on both by the same code. One test for each method and
//! rule, races included.
//!
//! `sqlite::…` runs on a file in a temporary directory, `postgres::…` in a database of its own on the server that
//! INTERLINE_TEST_POSTGRES names. `./test` starts one; without it the PostgreSQL half fails.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test is a panic")]

/// Makes two tests of each function: one for each storage.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $name() { crate::fixtures::test_store::on_sqlite(super::$name); })*
        }
        mod postgres {
            $(#[test] fn $name() { crate::fixtures::test_store::on_postgres(super::$name); })*
        }
    };
}

mod fixtures;

mod access;
mod code;
mod health;
mod history;
mod items;
mod jobs;
mod opening;
mod postgres_server;
mod search;
