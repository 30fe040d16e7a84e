//! Folder.

pub(super) mod files;
pub(super) mod index_scan;
pub(super) mod item_rows;
pub(super) mod list;
pub(super) mod lookup;
pub(super) mod tag_filter;
pub(super) mod unique;
