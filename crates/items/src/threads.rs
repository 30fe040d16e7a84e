//! Threads with a large stack for work that must not run where requests are answered: work that takes long, or that
//! recurses deep.

use std::io;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use tokio::sync::{Semaphore, oneshot};

use crate::Error;

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

/// Why work on a thread has no result.
#[derive(Debug)]
pub(crate) enum ThreadError {
    /// The system gave no thread.
    NoThread(io::Error),
    /// The work panicked.
    Panicked,
}

impl From<ThreadError> for Error {
    fn from(error: ThreadError) -> Error {
        match error {
            ThreadError::NoThread(error) => Error::Unavailable(format!("no thread to work on: {error}")),
            ThreadError::Panicked => Error::Internal("a thread panicked at its work".to_owned()),
        }
    }
}

/// A bounded number of threads, each of which lives for one piece of work.
#[derive(Clone)]
pub(crate) struct Threads {
    turns: Arc<Semaphore>,
}

impl Threads {
    /// As many at once as there are cores: more would only take turns on them.
    pub(crate) fn one_per_core() -> Threads {
        Threads::new(thread::available_parallelism().map_or(1, NonZeroUsize::get))
    }

    /// So many at once.
    pub(crate) fn new(count: usize) -> Threads {
        Threads { turns: Arc::new(Semaphore::new(count)) }
    }

    /// Runs `work` on a thread of its own, when it is its turn. Work that began is done to its end, also when nobody
    /// waits for it any more, and keeps its turn until then.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&LargeStack) -> T + Send + 'static,
    ) -> Result<T, ThreadError> {
        // It is never closed, so this always is a turn.
        let turn = Arc::clone(&self.turns).acquire_owned().await.ok();
        let (sender, receiver) = oneshot::channel();
        let spawned = builder().spawn(move || {
            let done = work(&LargeStack(()));
            drop(turn);
            // Nobody may be waiting any more.
            let _ = sender.send(done);
        });
        spawned.map_err(ThreadError::NoThread)?;
        receiver.await.map_err(|_| ThreadError::Panicked)
    }
}

impl Threads {
    /// Runs `work` on a thread of its own if a turn is free right now; what comes when it is done. `None` if none is, or
    /// if the system gives no thread: then nothing is done.
    pub(crate) fn run_if_free(&self, work: impl FnOnce() + Send + 'static) -> Option<oneshot::Receiver<()>> {
        let turn = Arc::clone(&self.turns).try_acquire_owned().ok()?;
        let (sender, receiver) = oneshot::channel();
        let spawned = builder().spawn(move || {
            work();
            drop(turn);
            let _ = sender.send(());
        });
        spawned.ok().map(|_| receiver)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_come_back_and_panics_do_not() {
        let borrowed = [1, 2, 3];
        assert_eq!(LargeStack::blocking(|_| borrowed.iter().sum::<i32>()).unwrap(), 6);
        assert!(matches!(LargeStack::blocking(|_| panic!("lost")), Err::<(), _>(ThreadError::Panicked)));
    }

    #[tokio::test]
    async fn no_more_work_runs_at_once_than_there_are_turns() {
        static RUNNING: AtomicUsize = AtomicUsize::new(0);
        let threads = Threads::new(2);
        let work = |_: &LargeStack| {
            let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
            thread::yield_now();
            RUNNING.fetch_sub(1, Ordering::SeqCst);
            running
        };
        let tasks: Vec<_> = (0..200)
            .map(|_| {
                let threads = threads.clone();
                tokio::spawn(async move { threads.run(work).await })
            })
            .collect();
        for task in tasks {
            assert!(task.await.unwrap().unwrap() <= 2);
        }
    }

    #[tokio::test]
    async fn a_panic_gives_its_turn_back() {
        let threads = Threads { turns: Arc::new(Semaphore::new(1)) };
        assert!(matches!(threads.run(|_| panic!("lost")).await, Err::<(), _>(ThreadError::Panicked)));
        assert_eq!(threads.run(|_| 7).await.unwrap(), 7);
    }
}
