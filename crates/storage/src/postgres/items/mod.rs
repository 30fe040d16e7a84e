//! Folder.

pub(super) mod files;
pub(super) mod item_rows;
pub(super) mod list;
pub(super) mod lookup;
pub(super) mod unique;
