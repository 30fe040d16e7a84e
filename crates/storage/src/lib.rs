//! The storages of Interline: [`SqliteStore`] in one file beside the program, [`PostgresStore`] for many machines.
//!
//! Both implement `interline_items::Store` and pass the same conformance suite (`tests/conformance`). Their modules have
//! the same layout: `write` (commits), `items` (look-ups and lists), `history` (versions and events), `search`. They share
//! the tables that are read and written plainly (`tables`, one SQL text over the small interface in `sql`), the encoding of
//! columns and of old versions (`codec`), pagination (`paging`), and the search index (`search`), of which each storage
//! only keeps the blocks.

mod codec;
mod integrity;
mod item_columns;
mod new_event;
mod open;
mod paging;
mod postgres;
mod search;
mod sql;
mod sqlite;
mod tables;
mod write_state;

pub use open::OpenError;
pub use postgres::{PostgresConnections, PostgresStore};
pub use sqlite::{Counters, SqliteStore};
