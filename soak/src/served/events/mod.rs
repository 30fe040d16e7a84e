//! Trials of events: every listener receives every event, once, in order, soon, and without slowing writers.

pub(super) mod cluster;
pub(super) mod hanging;
pub(super) mod kills;
mod limits;
pub(super) mod listener;
mod listener_pool;
pub(super) mod listeners;
pub(super) mod received_events;
mod times;
pub(super) mod versioned_notes;
mod webhook_endpoint;
mod writers;
