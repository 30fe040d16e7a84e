//! The bound of the writer's queue: how many writes wait, and how many bytes they hold. A write beyond it is refused.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use interline_items::{OverloadCause, Overloaded, StoreError};

/// The most that may wait for the writer thread, or be written by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueLimits {
    pub(super) writes: usize,
    pub(super) bytes: usize,
    /// How many bytes a small write has at the most. Small writes get in however many bytes wait: there are never many.
    pub(super) small: usize,
}

pub(super) const QUEUE_LIMITS: QueueLimits = QueueLimits { writes: 4_096, bytes: 128 * 1024 * 1024, small: 16 * 1024 };

/// The bound of one queue; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct QueueBound {
    limits: QueueLimits,
    queued: Arc<Mutex<Queued>>,
}

#[derive(Debug, Default)]
struct Queued {
    writes: usize,
    bytes: usize,
}

/// The place of one write in the queue, until it is dropped.
#[derive(Debug)]
pub(super) struct QueuePlace {
    bound: QueueBound,
    bytes: usize,
}

impl QueueBound {
    pub(super) fn new(limits: QueueLimits) -> QueueBound {
        QueueBound { limits, queued: Arc::default() }
    }

    /// A place for a write that holds so many bytes. However long a write is, it gets in where no other has bytes.
    pub(super) fn enter(&self, bytes: usize) -> Result<QueuePlace, StoreError> {
        let mut queued = self.lock();
        let is_small = bytes <= self.limits.small;
        let too_long = !is_small && queued.bytes > 0 && queued.bytes.saturating_add(bytes) > self.limits.bytes;
        if queued.writes >= self.limits.writes || too_long {
            let cause = OverloadCause::Everyone;
            return Err(StoreError::Overloaded(Overloaded { resource: "queue of writes", cause }));
        }
        queued.writes += 1;
        queued.bytes = queued.bytes.saturating_add(bytes);
        Ok(QueuePlace { bound: self.clone(), bytes })
    }

    fn lock(&self) -> MutexGuard<'_, Queued> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        let mut queued = self.bound.lock();
        queued.writes = queued.writes.saturating_sub(1);
        queued.bytes = queued.bytes.saturating_sub(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(entered: &Result<QueuePlace, StoreError>) -> bool {
        matches!(entered, Err(StoreError::Overloaded(_)))
    }

    #[test]
    fn writes_are_bounded_by_number_and_by_bytes() {
        let bound = QueueBound::new(QueueLimits { writes: 3, bytes: 100, small: 5 });
        let long = bound.enter(1_000).expect("the queue is empty");
        assert!(is_refused(&bound.enter(6)));
        let short = bound.enter(5).expect("it is small");
        let other = bound.enter(0).expect("there is a third place");
        assert!(is_refused(&bound.enter(0)));
        drop((long, short));
        let half = bound.enter(60).expect("there is room again");
        drop(other);
        assert!(is_refused(&bound.enter(41)));
        drop(bound.enter(40).expect("it fits"));
        drop(half);
    }
}
