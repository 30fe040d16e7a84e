//! Whether everybody who listens hears what happened: all of it, once, in order, soon, and at nobody's expense.

mod audience;
mod bars;
pub(super) mod cluster;
pub(super) mod hanging;
mod heard;
pub(super) mod kills;
mod ledger;
mod listener;
pub(super) mod listeners;
mod receiver;
mod times;
mod writers;
