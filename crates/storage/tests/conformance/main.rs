//! What every storage promises, asked of both by the same code: one test for each method and rule, races included.
//!
//! `sqlite::…` runs on a file in a temporary directory, `postgres::…` in a database of its own on the server that
//! INTERLINE_TEST_POSTGRES names. `./test` starts one; without it the PostgreSQL half fails.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test is a panic")]

/// Makes two tests of each function: one for each storage.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $name() { crate::place::on_sqlite(super::$name); })*
        }
        mod postgres {
            $(#[test] fn $name() { crate::place::on_postgres(super::$name); })*
        }
    };
}

mod authors;
mod changes;
mod oracle;
mod place;
mod rebuild;
mod samples;
mod sql;

mod apps;
mod commit;
mod contents;
mod duplicates;
mod events;
mod files;
mod history;
mod index;
mod jobs;
mod lifecycle;
mod listening;
mod lists;
mod newest;
mod opening;
mod organizations;
mod purge;
mod races;
mod remembered;
mod removal;
mod search;
mod server;
mod tags;
mod tokens;
mod users;
mod versions;
mod webhooks;
