//! Checkpoints of long work: may it go on, and does it keep its place?

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::WorkFor;
use super::semaphore::FairPermit;

/// How long work keeps its place while others wait for one.
const TIME_SLICE: Duration = Duration::from_millis(50);

/// What long work asks again and again: whether its time is over, and whether anybody still waits for it. When it has had its
/// place for 50 ms and others wait, asking lets them go first. Cheap to clone; the place comes back when the last
/// clone is dropped.
#[derive(Clone, Debug)]
pub struct Checkpoint(Arc<Work>);

/// Keeps work wanted. Dropping it tells the work, at its next checkpoint, that nobody waits for it any more.
#[derive(Debug)]
pub struct WorkGuard(Arc<Work>);

/// Why work must stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// Its time is over.
    OutOfTime,
    /// Nobody waits for it any more.
    Abandoned,
}

#[derive(Debug)]
struct Work {
    until: Option<Instant>,
    is_abandoned: AtomicBool,
    slice: Mutex<Slice>,
}

/// The place of the work, and since when it has it.
#[derive(Debug)]
struct Slice {
    permit: Option<FairPermit<WorkFor>>,
    since: Instant,
}

impl Checkpoint {
    /// The checkpoint of work that ends at `until`, has a permit, and is wanted as long as the guard is there.
    pub fn new(permit: Option<FairPermit<WorkFor>>, until: Option<Instant>) -> (Checkpoint, WorkGuard) {
        let slice = Mutex::new(Slice { permit, since: Instant::now() });
        let work = Arc::new(Work { until, is_abandoned: AtomicBool::new(false), slice });
        (Checkpoint(Arc::clone(&work)), WorkGuard(work))
    }

    /// The checkpoint of work that has no place to give back, and ends at `until` at the latest.
    pub fn until(until: Instant) -> Checkpoint {
        let slice = Mutex::new(Slice { permit: None, since: Instant::now() });
        Checkpoint(Arc::new(Work { until: Some(until), is_abandoned: AtomicBool::new(false), slice }))
    }

    /// Whether the work may go on. It may block the thread until it is the work's turn again, so it is not for threads of an
    /// async runtime. While one of several threads of the work waits, the others go on.
    pub fn check(&self) -> Result<(), Interrupted> {
        self.may_go_on()?;
        if let Some(mut permit) = self.0.take_wanted_permit() {
            permit.yield_blocking(|| self.may_go_on().is_ok());
            self.0.put_back(permit);
        }
        self.may_go_on()
    }

    /// The same for asynchronous work.
    pub async fn check_async(&self) -> Result<(), Interrupted> {
        self.may_go_on()?;
        if let Some(mut permit) = self.0.take_wanted_permit() {
            let yielding = permit.yield_place();
            match self.0.until {
                // Where the time is over before its turn, the permit goes back without a place.
                Some(until) => drop(tokio::time::timeout_at(until.into(), yielding).await),
                None => yielding.await,
            }
            self.0.put_back(permit);
        }
        self.may_go_on()
    }

    /// How much time is left; `None` where it is not limited.
    pub fn time_left(&self) -> Result<Option<Duration>, Interrupted> {
        self.may_go_on()?;
        match self.0.until.map(|until| until.saturating_duration_since(Instant::now())) {
            Some(Duration::ZERO) => Err(Interrupted::OutOfTime),
            left => Ok(left),
        }
    }

    /// When its time is over; `None` where it is not limited.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.until
    }

    fn may_go_on(&self) -> Result<(), Interrupted> {
        if self.0.is_abandoned.load(Ordering::Relaxed) {
            return Err(Interrupted::Abandoned);
        }
        match self.0.until {
            Some(until) if Instant::now() >= until => Err(Interrupted::OutOfTime),
            Some(_) | None => Ok(()),
        }
    }
}

impl Work {
    /// The permit, if its slice is over and others want its place. Nobody else waits for it meanwhile.
    fn take_wanted_permit(&self) -> Option<FairPermit<WorkFor>> {
        let mut slice = self.slice();
        if slice.since.elapsed() < TIME_SLICE {
            return None;
        }
        let wanted = slice.permit.take_if(|permit| permit.is_wanted());
        slice.since = Instant::now();
        wanted
    }

    fn put_back(&self, permit: FairPermit<WorkFor>) {
        *self.slice() = Slice { permit: Some(permit), since: Instant::now() };
    }

    fn slice(&self) -> MutexGuard<'_, Slice> {
        self.slice.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WorkGuard {
    fn drop(&mut self) {
        self.0.is_abandoned.store(true, Ordering::Relaxed);
    }
}
