//! The process lock: two lock files through which the processes that write to one database file take turns.
//!
//! SQLite's own lock is enough for safety and not for fairness: a process that finds it taken sleeps and tries again,
//! while the process that has just released it takes it anew. So before a transaction the writer thread of each process
//! goes through two lock files beside the database: lock `next`, lock `write`, unlock `next`, write, unlock `write`. One
//! process waits at `write`, the others queue at `next`, and a process that has just written queues behind them.
//!
//! A commit of another process is seen by the next read, because nothing is kept in memory between two reads; so
//! nothing here has to be woken by such a commit.

use std::ffi::OsString;
use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the lock is waited for: another process may hang while it holds the lock.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// The mode of a lock file: only its owner may open it.
const PRIVATE: u32 = 0o600;

/// The lock of one process on the right to write to the database file.
pub(crate) struct ProcessLock {
    /// `None` where no lock files can be opened: then SQLite's lock decides alone.
    files: Option<Arc<LockFiles>>,
    /// A wait that timed out, and whose thread may still be in the queue.
    given_up: Option<Arc<QueuedWait>>,
}

/// The lock was not acquired in time.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LockTimeout;

impl ProcessLock {
    /// The process lock of the database in a file.
    pub(crate) fn for_database(database: &Path) -> ProcessLock {
        ProcessLock { files: LockFiles::open(database).ok().map(Arc::new), given_up: None }
    }

    /// A lock that is always free: no other process can write.
    #[cfg(test)]
    pub(crate) fn none() -> ProcessLock {
        ProcessLock { files: None, given_up: None }
    }

    /// Waits for the lock, and holds it until [`ProcessLock::release`].
    pub(crate) fn acquire(&mut self) -> Result<(), LockTimeout> {
        self.acquire_within(ACQUIRE_TIMEOUT)
    }

    fn acquire_within(&mut self, timeout: Duration) -> Result<(), LockTimeout> {
        let Some(files) = &self.files else { return Ok(()) };
        // A wait in the queue uses the same lock files: as long as there is one, nothing else may use them.
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

    /// Releases the lock, if it is held.
    pub(crate) fn release(&self) {
        if let Some(files) = &self.files
            && self.given_up.is_none()
        {
            files.release();
        }
    }
}

/// A wait on a thread of its own: the system waits for a lock file without a time limit, and the writer thread has
/// clients to answer.
struct QueuedWait {
    stage: Mutex<WaitStage>,
    changed: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitStage {
    /// In the queue, and the writer thread waits for the lock.
    Waiting,
    /// In the queue, which cannot be left before the lock is acquired; then it is released at once.
    Abandoned,
    /// The lock is held, and belongs to the writer thread that waited.
    Acquired,
    /// The lock was acquired after the writer thread had given up, and was released.
    Released,
}

impl QueuedWait {
    fn start(files: Arc<LockFiles>) -> Arc<QueuedWait> {
        let wait = Arc::new(QueuedWait { stage: Mutex::new(WaitStage::Waiting), changed: Condvar::new() });
        let queued = Arc::clone(&wait);
        let queue = move || {
            // Lock files that fail are no reason not to write.
            let _ = files.acquire();
            queued.lock_acquired(&files);
        };
        // Nor is a thread that cannot be started.
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
                // Before the stage can be read as released: then the writer thread may use the same lock files.
                files.release();
                WaitStage::Released
            }
        };
        self.changed.notify_all();
    }

    /// Waits for the lock, and abandons the wait when the time is over.
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

    /// Waits on in the same place of the queue. `false` if the lock was acquired and released meanwhile.
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

/// The two lock files beside the database.
struct LockFiles {
    next: File,
    write: File,
}

impl LockFiles {
    fn open(database: &Path) -> io::Result<LockFiles> {
        let open = |ending| open_private(&with_ending(database, ending));
        Ok(LockFiles { next: open("-next")?, write: open("-write")? })
    }

    /// Acquires the lock if no process holds it or waits for it.
    fn try_acquire(&self) -> bool {
        if !try_lock(&self.next) {
            return false;
        }
        let acquired = try_lock(&self.write);
        let _ = self.next.unlock();
        acquired
    }

    fn acquire(&self) -> io::Result<()> {
        self.next.lock()?;
        let acquired = self.write.lock();
        let _ = self.next.unlock();
        acquired
    }

    fn release(&self) {
        let _ = self.write.unlock();
    }
}

/// Opens a file for its owner alone: a user who can open it can hold the lock.
fn open_private(path: &Path) -> io::Result<File> {
    let file = File::options().create(true).truncate(false).write(true).mode(PRIVATE).open(path)?;
    // The file may have been there before. Where its mode cannot be changed it still works as a lock.
    let _ = file.set_permissions(Permissions::from_mode(PRIVATE));
    Ok(file)
}

/// Locks a file if that can be done at once. A lock that fails with an error counts as taken.
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

    /// `next` is locked as soon as a process waits.
    fn wait_until_next_is_locked(inside: &LockFiles) {
        while try_lock(&inside.next) {
            inside.next.unlock().unwrap();
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_lock_is_held_until_it_is_released() {
        let directory = tempfile::tempdir().unwrap();
        let files = [(); 2].map(|()| LockFiles::open(&directory.path().join("x.db")).unwrap());
        assert!(files[0].try_acquire());
        assert!(!files[1].try_acquire());
        files[0].release();
        assert!(files[1].try_acquire());
    }

    #[test]
    fn only_their_owner_can_open_the_lock_files() {
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
    fn a_process_that_has_written_queues_behind_one_that_waits() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let (inside, mut outside) = (LockFiles::open(&path).unwrap(), ProcessLock::for_database(&path));
        assert!(inside.try_acquire());
        let waiting = std::thread::spawn(move || {
            outside.acquire().unwrap();
            outside
        });
        wait_until_next_is_locked(&inside);
        inside.release();
        let outside = waiting.join().unwrap();
        assert!(!inside.try_acquire());
        outside.release();
        assert!(inside.try_acquire());
    }

    /// A process lock that has waited in vain behind `inside`, and is in the queue still.
    fn given_up_behind(inside: &LockFiles, path: &Path) -> ProcessLock {
        let mut late = ProcessLock::for_database(path);
        assert_eq!(late.acquire_within(Duration::ZERO), Err(LockTimeout));
        wait_until_next_is_locked(inside);
        // There is no lock to release.
        late.release();
        late
    }

    #[test]
    fn a_lock_that_comes_too_late_goes_to_the_next_process() {
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
        // Whether it was acquired and released meanwhile or not.
        assert_eq!(late.acquire(), Ok(()));
        assert!(!inside.try_acquire());
        late.release();
        assert!(inside.try_acquire());
    }
}
