//! Folder.

pub(super) mod commit;
pub(super) mod commit_on_newest;
pub(super) mod transaction_retry;
