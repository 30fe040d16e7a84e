//! `/notes`: what holds for all kinds is shown here, on notes.

mod archive;
mod create;
mod delete;
mod list;
mod list_order;
mod list_pages;
mod read;
mod read_lines;
mod restore;
mod track_usage;
mod update;
mod update_tags;
