//! The history of items: records, versions, and events.

pub(crate) mod change_set_names;
pub(crate) mod change_sets;
pub(crate) mod event_reads;
pub(crate) mod events;
pub(crate) mod rebuild;
pub(crate) mod undo_steps;
pub(crate) mod versions;
