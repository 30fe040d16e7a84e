//! Sharing a bounded resource fairly between those who use it: a semaphore with a queue for each holder, and the
//! checkpoints at which long work gives its place back, or stops.

mod checkpoint;
mod semaphore;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

pub use checkpoint::{Checkpoint, Interrupted, WorkGuard};
pub use semaphore::{FairPermit, FairSemaphore, Holder, QueueFull};

use crate::UserId;

/// For whom work is done that shares threads, reads and searches with the work of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkFor {
    /// For this user.
    User(UserId),
    /// For the server itself: upkeep, indexing, jobs.
    Server,
}

/// How many places a pool of work has: enough to keep every core busy while some of the work waits.
pub fn pool_places() -> usize {
    (2 * available_parallelism().map_or(1, NonZeroUsize::get)).max(4)
}
