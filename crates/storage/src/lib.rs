//! Where the store lives: [`SqliteStore`] in one file beside the program, [`PostgresStore`] for many machines.
//!
//! Both implement `interline_items::Store` and pass the same conformance suite. What they share: the encoding of
//! rows and of old versions is in `codec`, the search index, of which they only keep the blocks, in `search`.

mod codec;
mod open;
mod postgres;
#[cfg_attr(not(test), expect(dead_code, reason = "the storages begin to use it with their search tables"))]
mod search;
mod sqlite;

pub use open::OpenError;
pub use postgres::PostgresStore;
pub use sqlite::{Counters, SqliteStore};
