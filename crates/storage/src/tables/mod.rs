//! Tables that both storages read and write in the same way: one set of functions and one SQL text for both.
//!
//! The functions are written on [`Sql`](crate::sql::Sql). A storage calls them where it has a connection: SQLite on its
//! reading connections and on the writer thread, where each call is one transaction; PostgreSQL on a connection of its
//! pool, where each statement is a transaction, or in a transaction that the storage has begun.
//!
//! Contents, commits, histories, events, search and the enqueueing of jobs are not here: there speed and locking differ,
//! and each storage has statements of its own.

pub(crate) mod app_purge;
pub(crate) mod apps;
pub(crate) mod change_sets;
pub(crate) mod changed_items;
pub(crate) mod deliveries;
pub(crate) mod enrichments;
pub(crate) mod idempotency;
pub(crate) mod import_sources;
pub(crate) mod jobs;
pub(crate) mod organizations;
pub(crate) mod proposals;
pub(crate) mod purged_changes;
pub(crate) mod removal;
pub(crate) mod retention;
pub(crate) mod search_index;
pub(crate) mod tokens;
pub(crate) mod undo_steps;
pub(crate) mod users;
pub(crate) mod webhooks;
