//! What is remembered of the last writes, so that the health of a store costs no write where writes tell it already.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use interline_items::Outage;

/// For how long a commit shows that writes work.
const COMMIT_COUNTS: Duration = Duration::from_secs(1);
/// For how long a failure shows that they do not: a small write may succeed where larger ones fail.
const FAILURE_COUNTS: Duration = Duration::from_secs(5);

/// The last commit, and the last failure since.
#[derive(Default)]
pub(crate) struct WriteState(Mutex<LastWrites>);

#[derive(Default)]
struct LastWrites {
    committed: Option<Instant>,
    failed: Option<(Instant, Outage)>,
}

impl WriteState {
    fn last(&self) -> MutexGuard<'_, LastWrites> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A write was committed.
    pub(crate) fn committed(&self) {
        *self.last() = LastWrites { committed: Some(Instant::now()), failed: None };
    }

    /// A write failed, for a reason that other writes have too.
    pub(crate) fn failed(&self, outage: Outage) {
        self.last().failed = Some((Instant::now(), outage));
    }

    /// What the last writes show; `None` where they were too long ago.
    pub(crate) fn recent(&self) -> Option<Result<(), Outage>> {
        let last = self.last();
        match (last.failed, last.committed) {
            (Some((at, outage)), _) if at.elapsed() < FAILURE_COUNTS => Some(Err(outage)),
            (None, Some(at)) if at.elapsed() < COMMIT_COUNTS => Some(Ok(())),
            _ => None,
        }
    }
}
