//! Items: commits, look-ups, lists, unique fields, races, and the idempotency records that are committed beside them.

pub(crate) mod commit;
pub(crate) mod commit_on_newest;
pub(crate) mod contents;
pub(crate) mod idempotency;
pub(crate) mod imports;
pub(crate) mod integrity;
pub(crate) mod lists;
pub(crate) mod lookup;
mod proposals;
pub(crate) mod purge;
pub(crate) mod races;
pub(crate) mod tags;
pub(crate) mod unique;
pub(crate) mod visibility;
