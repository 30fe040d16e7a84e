//! Where the store lives: [`SqliteStore`] in one file beside the program, [`PostgresStore`] for many machines.
//!
//! Both implement `interline_items::Store` and pass the same conformance suite. What they share: the encoding of
//! rows and of old versions is in `codec`; the search index, of which they only keep the blocks, in `search`; tables that
//! are read and written plainly in `tables`, over the small SQL interface in `sql`.

mod codec;
mod open;
mod order;
mod postgres;
mod search;
mod sql;
mod sqlite;
mod tables;

pub use open::OpenError;
pub use postgres::PostgresStore;
pub use sqlite::{Counters, SqliteStore};
