//! Admission of long work: places for reads, searches and threads, fair between users, and bounded in time.

use std::time::{Duration, Instant};

use crate::fair::{Checkpoint, FairPermit, FairSemaphore, QueueFull, WorkFor, WorkGuard};
use crate::{Error, OverloadCause, Overloaded};

use super::{Caller, Interline};

/// How long a read or a write waits for a place.
const WAIT: Duration = Duration::from_secs(30);

impl Caller {
    /// For whom the work of this caller is done.
    pub(super) fn work_for(&self) -> WorkFor {
        WorkFor::User(self.user())
    }
}

impl Interline {
    /// A place for a read of many rows or of a long text, for as long as the permit is held.
    pub(super) async fn read_permit(&self, caller: &Caller) -> Result<FairPermit<WorkFor>, Error> {
        acquire(&self.reads, "queue of reads", caller.work_for(), WAIT).await
    }

    /// A place for a search that takes so much time at the most, waiting included. The search is wanted as long as the guard
    /// is held.
    pub(super) async fn search_checkpoint(
        &self,
        caller: &Caller,
        time: Duration,
    ) -> Result<(Checkpoint, WorkGuard), Error> {
        let until = Instant::now() + time;
        let permit = acquire(&self.searches, "queue of searches", caller.work_for(), time).await?;
        Ok(Checkpoint::new(Some(permit), Some(until)))
    }

    /// The place of a long write in the queue of the storage's writer.
    pub(super) async fn long_write_permit(&self, caller: &Caller) -> Result<FairPermit<WorkFor>, Error> {
        acquire(&self.long_writes, "queue of long writes", caller.work_for(), WAIT).await
    }
}

/// A permit for whom the work is done, if there is one in time.
async fn acquire(
    places: &FairSemaphore<WorkFor>,
    resource: &'static str,
    work_for: WorkFor,
    wait: Duration,
) -> Result<FairPermit<WorkFor>, Error> {
    let acquired = tokio::time::timeout(wait, places.acquire(work_for)).await;
    let overloaded = |cause| Error::Overloaded(Overloaded { resource, cause });
    // Who waits that long waits for its own work: others are served in turn.
    acquired.map_err(|_| overloaded(OverloadCause::Caller))?.map_err(|QueueFull(cause)| overloaded(cause))
}
