//! What a review needs: hunks that are kept or taken back one by one, and where lines came from. Laws over generated texts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests speak by panics")]

mod generate;
mod hunks;
mod laws_of_hunks;
mod laws_of_origins;
#[path = "../oracle/mod.rs"]
mod oracle;
mod origins;
