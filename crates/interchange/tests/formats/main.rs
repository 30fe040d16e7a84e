//! Files as browsers and other tools write them, what is read from them, and that what is written is read back.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed test is a panic, in its functions too")]

mod any_source;
mod archives;
mod bookmarks;
mod entries;
mod guessing;
mod hostile;
mod json_lines;
mod laws;
mod prompts;
#[path = "../../../../tests/vault/mod.rs"]
mod vault;
mod vaults;
