//! Making, reading, listing, searching, changing, archiving, deleting and rendering items; histories and tags.

mod blame;
mod create;
pub(crate) mod find_items;
mod flipped_bytes;
mod history;
mod lifecycle;
mod merge;
mod read;
mod render;
mod search_inside;
mod tags;
mod update;
