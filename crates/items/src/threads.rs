//! Threads with a large stack for work that must not run where requests are answered: work that takes long, or that
//! recurses deep.

use std::io;
use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::time::timeout_at;

use crate::fair::{Checkpoint, FairPermit, FairSemaphore, QueueFull, WorkFor, pool_places};
use crate::{Error, OverloadCause, Overloaded};

/// The stack of every thread here: what checks of templates and of Python need, whichever is larger.
const STACK_BYTES: usize = if interline_template::STACK_BYTES > interline_python::STACK_BYTES {
    interline_template::STACK_BYTES
} else {
    interline_python::STACK_BYTES
};

/// Proof that the code that holds it runs on a thread with [`STACK_BYTES`] of stack: only such a thread is given one.
pub(crate) struct LargeStack(());

impl LargeStack {
    /// Runs `work` on a thread of its own and waits for it. It blocks: [`Threads::run`] is for asynchronous callers.
    pub(crate) fn blocking<T: Send>(work: impl FnOnce(&LargeStack) -> T + Send) -> Result<T, ThreadError> {
        thread::scope(|scope| {
            let thread = builder().spawn_scoped(scope, || work(&LargeStack(()))).map_err(ThreadError::NoThread)?;
            thread.join().map_err(|_| ThreadError::Panicked)
        })
    }
}

impl interline_template::LargeStack for LargeStack {}

impl interline_python::LargeStack for LargeStack {
    fn on_two_threads<T: Send>(&self, work: impl Fn() -> T + Sync) -> (T, Option<T>) {
        thread::scope(|scope| {
            // Where there is no thread to be had, this one does it alone.
            let other = builder().spawn_scoped(scope, &work).ok();
            let here = work();
            (here, other.map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic))))
        })
    }
}

fn builder() -> thread::Builder {
    thread::Builder::new().name("items-work".to_owned()).stack_size(STACK_BYTES)
}

/// How much nicer a thread that computes is than those that answer requests: it has a tenth of their share where both want a
/// core, and all of a core that nobody else wants.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Lets threads that answer requests go first.
fn lower_priority() {
    // For Linux a thread has a priority of its own. Where that is refused, the work is done all the same.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(NICENESS);
}

/// Why work on a thread has no result.
#[derive(Debug)]
pub(crate) enum ThreadError {
    /// The system gave no thread.
    NoThread(io::Error),
    /// The work panicked.
    Panicked,
    /// Too much work waits for a thread.
    QueueFull(QueueFull),
    /// Its time was over before it had a place.
    WaitedTooLong,
}

impl From<ThreadError> for Error {
    fn from(error: ThreadError) -> Error {
        match error {
            ThreadError::NoThread(error) => Error::Unavailable(format!("no thread to work on: {error}")),
            ThreadError::Panicked => Error::Internal("a thread panicked at its work".to_owned()),
            ThreadError::QueueFull(QueueFull(cause)) => Overloaded { resource: "queue of work", cause }.into(),
            // Who waits that long waits for its own work: others are served in turn.
            ThreadError::WaitedTooLong => Overloaded { resource: "queue of work", cause: OverloadCause::Caller }.into(),
        }
    }
}

/// How long work may wait for its place, and how long it may take from then on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimits {
    pub(crate) wait: Duration,
    pub(crate) work: Duration,
}

/// A bounded number of threads, each of which lives for one piece of work, shared fairly by users.
#[derive(Clone)]
pub(crate) struct Threads {
    places: FairSemaphore<WorkFor>,
}

impl Threads {
    /// As many at once as a pool has places.
    pub(crate) fn new() -> Threads {
        Threads::with_places(pool_places())
    }

    fn with_places(places: usize) -> Threads {
        Threads { places: FairSemaphore::halved(places) }
    }

    /// Threads of which none is free as long as the permit is held.
    #[cfg(test)]
    pub(crate) fn busy() -> (Threads, Option<FairPermit<WorkFor>>) {
        let threads = Threads::with_places(1);
        let permit = threads.places.try_acquire(WorkFor::Server);
        (threads, permit)
    }

    /// Runs `work` on a thread of its own, when it is its turn. Work that began is done to its end, also when nobody
    /// waits for it any more, and keeps its place until then.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work_for: WorkFor,
        work: impl FnOnce(&LargeStack) -> T + Send + 'static,
    ) -> Result<T, ThreadError> {
        self.run_until(work_for, None, move |stack, _| work(stack)).await
    }

    /// The same for work that asks its checkpoint whether it may go on: it may until the given time, while its caller waits
    /// for it. Work that has no place by then is not begun.
    pub(crate) async fn run_until<T: Send + 'static>(
        &self,
        work_for: WorkFor,
        until: Option<Instant>,
        work: impl FnOnce(&LargeStack, &Checkpoint) -> T + Send + 'static,
    ) -> Result<T, ThreadError> {
        let permit = self.place(work_for, until).await?;
        begin(permit, until, work).await
    }

    /// The same for work whose time begins when it has its place.
    pub(crate) async fn run_for<T: Send + 'static>(
        &self,
        work_for: WorkFor,
        limits: TimeLimits,
        work: impl FnOnce(&LargeStack, &Checkpoint) -> T + Send + 'static,
    ) -> Result<T, ThreadError> {
        let permit = self.place(work_for, Some(Instant::now() + limits.wait)).await?;
        begin(permit, Some(Instant::now() + limits.work), work).await
    }

    async fn place(&self, work_for: WorkFor, until: Option<Instant>) -> Result<FairPermit<WorkFor>, ThreadError> {
        let acquiring = self.places.acquire(work_for);
        let permit = match until {
            Some(until) => timeout_at(until.into(), acquiring).await.map_err(|_| ThreadError::WaitedTooLong)?,
            None => acquiring.await,
        };
        permit.map_err(ThreadError::QueueFull)
    }

    /// Runs `work` on a thread of its own if a place is free right now; what comes when it is done. `None` if none is, or
    /// if the system gives no thread: then nothing is done.
    pub(crate) fn run_if_free(
        &self,
        work_for: WorkFor,
        work: impl FnOnce() + Send + 'static,
    ) -> Option<oneshot::Receiver<()>> {
        let permit = self.places.try_acquire(work_for)?;
        let (sender, receiver) = oneshot::channel();
        let spawned = builder().spawn(move || {
            lower_priority();
            work();
            drop(permit);
            let _ = sender.send(());
        });
        spawned.ok().map(|_| receiver)
    }
}

/// Runs `work` on a thread of its own, which has the permit.
async fn begin<T: Send + 'static>(
    permit: FairPermit<WorkFor>,
    until: Option<Instant>,
    work: impl FnOnce(&LargeStack, &Checkpoint) -> T + Send + 'static,
) -> Result<T, ThreadError> {
    let (checkpoint, _guard) = Checkpoint::new(Some(permit), until);
    let (sender, receiver) = oneshot::channel();
    let spawned = builder().spawn(move || {
        lower_priority();
        let done = work(&LargeStack(()), &checkpoint);
        drop(checkpoint);
        // Nobody may be waiting any more.
        let _ = sender.send(done);
    });
    spawned.map_err(ThreadError::NoThread)?;
    receiver.await.map_err(|_| ThreadError::Panicked)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use interline_python::LargeStack as _;

    use super::*;

    #[test]
    fn results_come_back_and_panics_do_not() {
        let borrowed = [1, 2, 3];
        assert_eq!(LargeStack::blocking(|_| borrowed.iter().sum::<i32>()).unwrap(), 6);
        assert!(matches!(LargeStack::blocking(|_| panic!("lost")), Err::<(), _>(ThreadError::Panicked)));
    }

    #[test]
    fn a_thread_lends_another_to_a_check_of_python() {
        let count = AtomicUsize::new(0);
        let work = |stack: &LargeStack| stack.on_two_threads(|| count.fetch_add(1, Ordering::SeqCst));
        let (here, other) = LargeStack::blocking(work).unwrap();
        assert_eq!((here + other.unwrap(), count.into_inner()), (1, 2));
    }

    #[tokio::test]
    async fn one_user_runs_no_more_work_at_once_than_half_of_the_places() {
        static RUNNING: AtomicUsize = AtomicUsize::new(0);
        let threads = Threads::with_places(4);
        let work = |_: &LargeStack| {
            let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
            thread::yield_now();
            RUNNING.fetch_sub(1, Ordering::SeqCst);
            running
        };
        let tasks: Vec<_> = (0..200)
            .map(|_| {
                let threads = threads.clone();
                tokio::spawn(async move { threads.run(WorkFor::Server, work).await })
            })
            .collect();
        for task in tasks {
            assert!(task.await.unwrap().unwrap() <= 2);
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn work_has_a_lower_priority_than_who_waits_for_it() {
        let here = || rustix::process::getpriority_process(None).unwrap();
        let threads = Threads::with_places(1);
        let before = here();
        let there = threads.run(WorkFor::Server, move |_| here()).await.unwrap();
        assert_eq!((there, here()), ((before + NICENESS).min(19), before));
    }

    #[tokio::test]
    async fn a_panic_gives_its_place_back() {
        let threads = Threads::with_places(1);
        assert!(matches!(threads.run(WorkFor::Server, |_| panic!("lost")).await, Err::<(), _>(ThreadError::Panicked)));
        assert_eq!(threads.run(WorkFor::Server, |_| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn work_that_gets_no_place_in_time_is_not_begun() {
        let (threads, _permit) = Threads::busy();
        let ran = threads.run_until(WorkFor::Server, Some(Instant::now()), |_, _| ()).await;
        assert!(matches!(ran, Err(ThreadError::WaitedTooLong)));
    }

    #[tokio::test]
    async fn the_time_of_work_begins_when_it_has_its_place() {
        let (threads, permit) = Threads::busy();
        let limits = TimeLimits { wait: Duration::from_secs(60), work: Duration::from_secs(60) };
        let running = tokio::spawn({
            let threads = threads.clone();
            async move { threads.run_for(WorkFor::Server, limits, |_, checkpoint| checkpoint.deadline()).await }
        });
        // The task has come to its place in the queue.
        tokio::task::yield_now().await;
        let freed = Instant::now();
        drop(permit);
        assert!(running.await.unwrap().unwrap() >= Some(freed + limits.work));
        let (threads, _permit) = Threads::busy();
        let ran = threads.run_for(WorkFor::Server, TimeLimits { wait: Duration::ZERO, ..limits }, |_, _| ()).await;
        assert!(matches!(ran, Err(ThreadError::WaitedTooLong)));
    }

    #[tokio::test]
    async fn work_whose_caller_has_gone_stops_at_its_checkpoint() {
        let threads = Threads::with_places(1);
        let (started, has_started) = oneshot::channel();
        let endless = |_: &LargeStack, checkpoint: &Checkpoint| {
            started.send(()).unwrap();
            while checkpoint.check().is_ok() {
                thread::yield_now();
            }
        };
        let asking = tokio::spawn({
            let threads = threads.clone();
            async move { threads.run_until(WorkFor::Server, None, endless).await }
        });
        has_started.await.unwrap();
        asking.abort();
        // The only place comes back.
        assert_eq!(threads.run(WorkFor::Server, |_| 7).await.unwrap(), 7);
    }
}
