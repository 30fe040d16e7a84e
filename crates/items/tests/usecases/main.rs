//! The use cases over a real store: what each answers, and what it leaves behind.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test is a panic")]

mod samples;
mod world;

mod access;
mod code;
mod create;
mod edit;
mod history;
mod housekeeping;
mod lifecycle;
mod list;
mod once;
mod read;
mod render;
mod search_inside;
mod tags;
mod update;
mod users;
