//! Writing to the SQLite file: how a batch of changes becomes durable.
//!
//! A batch is encoded outside the writer thread ([`encoded_write`], [`commit_queue`]). The writer thread ([`writer`]) takes
//! the writes that wait, acquires the lock that processes share ([`process_lock`]), runs them in one transaction
//! ([`group_commit`], [`commit`]), and commits it through the [`write_connection`], which knows whether the disk can be
//! trusted.

pub(super) mod commit;
pub(super) mod commit_queue;
pub(super) mod encoded_write;
pub(super) mod group_commit;
pub(super) mod process_lock;
mod queue_bound;
pub(super) mod write_connection;
pub(super) mod writer;
