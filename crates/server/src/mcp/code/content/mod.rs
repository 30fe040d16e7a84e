//! Tools over files, by path.

pub(super) mod delete;
pub(super) mod get;
pub(super) mod list;
pub(super) mod patch;
pub(super) mod read_lines;
pub(super) mod replace;
pub(super) mod search;
