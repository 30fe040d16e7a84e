//! Folder.

pub(super) mod commit;
pub(super) mod commit_queue;
pub(super) mod encoded_write;
pub(super) mod group_commit;
pub(super) mod process_lock;
pub(super) mod write_connection;
pub(super) mod writer;
