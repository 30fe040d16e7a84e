//! Folder.

pub(super) mod events;
pub(super) mod records;
pub(super) mod versions;
