//! Turns of several processes on one file.
//!
//! SQLite's own lock is entries_needed for safety and not for fairness: whoever finds it taken sleeps and tries again, while
//! whoever has just released it takes it anew. So before a transaction everybody goes through two lock files beside the
//! database: take `next`, take `write`, release `next`, write, release `write`. One process waits at `write`, the others
//! queue at `next`, and who comes from writing queues behind them.
//!
//! What other processes commit is seen by the next read, because nothing is kept in memory between two of them; there
//! is nothing here that has to be woken by it.

use std::ffi::OsString;
use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a turn is waited for: somebody else's process may hang in the middle of its own.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Who may open a lock file: its owner.
const PRIVATE: u32 = 0o600;

/// The way to a turn.
pub(crate) struct ProcessLock {
    /// `None` where no lock files can be had: then SQLite's lock decides alone.
    files: Option<Arc<LockFiles>>,
    /// A wait that was given up, and that may still be in the queue.
    given_up: Option<Arc<QueuedWait>>,
}

/// The turn did not come in time.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LockTimeout;

impl ProcessLock {
    /// The turnstile of the database in a file.
    pub(crate) fn for_database(database: &Path) -> ProcessLock {
        ProcessLock { files: LockFiles::open(database).ok().map(Arc::new), given_up: None }
    }

    /// No turns: nobody else can write.
    #[cfg(test)]
    pub(crate) fn none() -> ProcessLock {
        ProcessLock { files: None, given_up: None }
    }

    /// Waits for the turn; it lasts until [`ProcessLock::release`].
    pub(crate) fn acquire(&mut self) -> Result<(), LockTimeout> {
        self.acquire_within(ACQUIRE_TIMEOUT)
    }

    fn acquire_within(&mut self, timeout: Duration) -> Result<(), LockTimeout> {
        let Some(files) = &self.files else { return Ok(()) };
        // A wait in the queue uses the same locks: as long as there is one, nothing else may.
        let resumed = self.given_up.take().filter(|wait| wait.resume());
        let wait = match resumed {
            Some(wait) => wait,
            None if files.try_acquire() => return Ok(()),
            None => QueuedWait::start(Arc::clone(files)),
        };
        let outcome = wait.acquired_within(timeout);
        if outcome.is_err() {
            self.given_up = Some(wait);
        }
        outcome
    }

    /// Ends the turn, if there is one.
    pub(crate) fn release(&self) {
        if let Some(files) = &self.files
            && self.given_up.is_none()
        {
            files.release();
        }
    }
}

/// A wait on another thread: a lock file is waited for without an end, and this thread has people to answer.
struct QueuedWait {
    stage: Mutex<WaitStage>,
    changed: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitStage {
    /// In the queue, and somebody waits for the turn.
    Waiting,
    /// In the queue, which cannot be left before the turn comes; then it is ended at once.
    Abandoned,
    /// The turn has come, and belongs to whoever waited.
    Acquired,
    /// The turn came when nobody waited any more, and has ended.
    Released,
}

impl QueuedWait {
    fn start(files: Arc<LockFiles>) -> Arc<QueuedWait> {
        let wait = Arc::new(QueuedWait { stage: Mutex::new(WaitStage::Waiting), changed: Condvar::new() });
        let queued = Arc::clone(&wait);
        let queue = move || {
            // Locks that fail are no reason not to write.
            let _ = files.acquire();
            queued.lock_acquired(&files);
        };
        // Nor is a thread that cannot be had.
        if std::thread::Builder::new().name("sqlite-turn".to_owned()).spawn(queue).is_err() {
            *wait.stage() = WaitStage::Acquired;
        }
        wait
    }

    fn lock_acquired(&self, files: &LockFiles) {
        let mut stage = self.stage();
        *stage = match *stage {
            WaitStage::Waiting | WaitStage::Acquired => WaitStage::Acquired,
            WaitStage::Abandoned | WaitStage::Released => {
                // Before anybody can see that it was left: they may enter by the same locks.
                files.release();
                WaitStage::Released
            }
        };
        self.changed.notify_all();
    }

    /// Waits for the turn, and gives the wait up if it does not come.
    fn acquired_within(&self, timeout: Duration) -> Result<(), LockTimeout> {
        let (mut stage, _) = self
            .changed
            .wait_timeout_while(self.stage(), timeout, |stage| *stage == WaitStage::Waiting)
            .unwrap_or_else(PoisonError::into_inner);
        if *stage == WaitStage::Acquired {
            return Ok(());
        }
        *stage = WaitStage::Abandoned;
        Err(LockTimeout)
    }

    /// Waits on in the same place of the queue. `false` if the turn has come and gone.
    fn resume(&self) -> bool {
        let mut stage = self.stage();
        if *stage == WaitStage::Abandoned {
            *stage = WaitStage::Waiting;
        }
        *stage != WaitStage::Released
    }

    fn stage(&self) -> MutexGuard<'_, WaitStage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct LockFiles {
    next: File,
    write: File,
}

impl LockFiles {
    fn open(database: &Path) -> io::Result<LockFiles> {
        let open = |ending| open_private(&with_ending(database, ending));
        Ok(LockFiles { next: open("-next")?, write: open("-write")? })
    }

    /// Enters if nobody is inside or waits.
    fn try_acquire(&self) -> bool {
        if !try_lock(&self.next) {
            return false;
        }
        let entered = try_lock(&self.write);
        let _ = self.next.unlock();
        entered
    }

    fn acquire(&self) -> io::Result<()> {
        self.next.lock()?;
        let entered = self.write.lock();
        let _ = self.next.unlock();
        entered
    }

    fn release(&self) {
        let _ = self.write.unlock();
    }
}

/// A file for its owner alone: whoever can open it can hold the turn.
fn open_private(path: &Path) -> io::Result<File> {
    let file = File::options().create(true).truncate(false).write(true).mode(PRIVATE).open(path)?;
    // It may have been there before. Where that cannot be changed it is still good for turns.
    let _ = file.set_permissions(Permissions::from_mode(PRIVATE));
    Ok(file)
}

/// Takes a lock if that can be done at once. One that cannot be had at all counts as taken.
fn try_lock(file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

fn with_ending(database: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `next` is taken as soon as somebody waits.
    fn wait_until_somebody_queues(inside: &LockFiles) {
        while try_lock(&inside.next) {
            inside.next.unlock().unwrap();
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_turn_lasts_until_it_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let files = [(); 2].map(|()| LockFiles::open(&directory.path().join("x.db")).unwrap());
        assert!(files[0].try_acquire());
        assert!(!files[1].try_acquire());
        files[0].release();
        assert!(files[1].try_acquire());
    }

    #[test]
    fn nobody_else_can_open_the_lock_files() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let modes = || {
            ["-next", "-write"].map(|ending| {
                let metadata = std::fs::metadata(with_ending(&path, ending)).unwrap();
                metadata.permissions().mode() & 0o777
            })
        };
        LockFiles::open(&path).unwrap();
        assert_eq!(modes(), [0o600; 2]);
        for ending in ["-next", "-write"] {
            std::fs::set_permissions(with_ending(&path, ending), Permissions::from_mode(0o644)).unwrap();
        }
        LockFiles::open(&path).unwrap();
        assert_eq!(modes(), [0o600; 2]);
    }

    #[test]
    fn who_comes_from_writing_queues_behind_who_waits() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let (inside, mut outside) = (LockFiles::open(&path).unwrap(), ProcessLock::for_database(&path));
        assert!(inside.try_acquire());
        let waiting = std::thread::spawn(move || {
            outside.acquire().unwrap();
            outside
        });
        wait_until_somebody_queues(&inside);
        inside.release();
        let outside = waiting.join().unwrap();
        assert!(!inside.try_acquire());
        outside.release();
        assert!(inside.try_acquire());
    }

    /// A turnstile that has waited in vain behind `inside`, and is in the queue still.
    fn given_up_behind(inside: &LockFiles, path: &Path) -> ProcessLock {
        let mut late = ProcessLock::for_database(path);
        assert_eq!(late.acquire_within(Duration::ZERO), Err(LockTimeout));
        wait_until_somebody_queues(inside);
        // There is no turn to leave.
        late.release();
        late
    }

    #[test]
    fn a_turn_that_comes_too_late_goes_to_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let inside = LockFiles::open(&path).unwrap();
        assert!(inside.try_acquire());
        let _late = given_up_behind(&inside, &path);
        inside.release();
        assert_eq!(ProcessLock::for_database(&path).acquire(), Ok(()));
    }

    #[test]
    fn a_wait_that_was_given_up_can_be_resumed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let inside = LockFiles::open(&path).unwrap();
        assert!(inside.try_acquire());
        let mut late = given_up_behind(&inside, &path);
        assert_eq!(late.acquire_within(Duration::ZERO), Err(LockTimeout));
        inside.release();
        // Whether its turn has come and gone meanwhile or not.
        assert_eq!(late.acquire(), Ok(()));
        assert!(!inside.try_acquire());
        late.release();
        assert!(inside.try_acquire());
    }
}
