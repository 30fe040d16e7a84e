//! `/bookmarks`: what only bookmarks have.

mod create;
mod update;
