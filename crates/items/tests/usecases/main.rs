//! The use cases over a real storage (SQLite): what each returns, and what it stores.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test is a panic")]

mod samples;
mod world;

mod access;
mod changes;
mod code;
mod edit;
mod events;
mod fairness;
mod idempotency;
mod items;
mod proposals;
mod search_index;
mod upkeep;
