//! Turns of several processes on one file.
//!
//! SQLite's own lock is enough for safety and not for fairness: whoever finds it taken sleeps and tries again, while
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
const PATIENCE: Duration = Duration::from_secs(5);

/// Who may open a lock file: its owner.
const PRIVATE: u32 = 0o600;

/// The way to a turn.
pub(super) struct Turnstile {
    /// `None` where no lock files can be had: then SQLite's lock decides alone.
    gate: Option<Arc<Gate>>,
    /// A wait that was given up, and that may still be in the queue.
    given_up: Option<Arc<Wait>>,
}

/// The turn did not come in time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoTurn;

impl Turnstile {
    /// The turnstile of the database in a file.
    pub(super) fn beside(database: &Path) -> Turnstile {
        Turnstile { gate: Gate::open(database).ok().map(Arc::new), given_up: None }
    }

    /// No turns: nobody else can write.
    #[cfg(test)]
    pub(super) fn none() -> Turnstile {
        Turnstile { gate: None, given_up: None }
    }

    /// Waits for the turn; it lasts until [`Turnstile::leave`].
    pub(super) fn enter(&mut self) -> Result<(), NoTurn> {
        self.enter_within(PATIENCE)
    }

    fn enter_within(&mut self, patience: Duration) -> Result<(), NoTurn> {
        let Some(gate) = &self.gate else { return Ok(()) };
        // A wait in the queue uses the same locks: as long as there is one, nothing else may.
        let resumed = self.given_up.take().filter(|wait| wait.resume());
        let wait = match resumed {
            Some(wait) => wait,
            None if gate.try_enter() => return Ok(()),
            None => Wait::start(Arc::clone(gate)),
        };
        let outcome = wait.entered_within(patience);
        if outcome.is_err() {
            self.given_up = Some(wait);
        }
        outcome
    }

    /// Ends the turn, if there is one.
    pub(super) fn leave(&self) {
        if let Some(gate) = &self.gate
            && self.given_up.is_none()
        {
            gate.leave();
        }
    }
}

/// A wait on another thread: a lock file is waited for without an end, and this thread has people to answer.
struct Wait {
    stage: Mutex<Stage>,
    changed: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// In the queue, and somebody waits for the turn.
    Waiting,
    /// In the queue, which cannot be left before the turn comes; then it is ended at once.
    Abandoned,
    /// The turn has come, and belongs to whoever waited.
    Entered,
    /// The turn came when nobody waited any more, and has ended.
    Left,
}

impl Wait {
    fn start(gate: Arc<Gate>) -> Arc<Wait> {
        let wait = Arc::new(Wait { stage: Mutex::new(Stage::Waiting), changed: Condvar::new() });
        let queued = Arc::clone(&wait);
        let queue = move || {
            // Locks that fail are no reason not to write.
            let _ = gate.enter();
            queued.turn_has_come(&gate);
        };
        // Nor is a thread that cannot be had.
        if std::thread::Builder::new().name("sqlite-turn".to_owned()).spawn(queue).is_err() {
            *wait.stage() = Stage::Entered;
        }
        wait
    }

    fn turn_has_come(&self, gate: &Gate) {
        let mut stage = self.stage();
        *stage = match *stage {
            Stage::Waiting | Stage::Entered => Stage::Entered,
            Stage::Abandoned | Stage::Left => {
                // Before anybody can see that it was left: they may enter by the same locks.
                gate.leave();
                Stage::Left
            }
        };
        self.changed.notify_all();
    }

    /// Waits for the turn, and gives the wait up if it does not come.
    fn entered_within(&self, patience: Duration) -> Result<(), NoTurn> {
        let (mut stage, _) = self
            .changed
            .wait_timeout_while(self.stage(), patience, |stage| *stage == Stage::Waiting)
            .unwrap_or_else(PoisonError::into_inner);
        if *stage == Stage::Entered {
            return Ok(());
        }
        *stage = Stage::Abandoned;
        Err(NoTurn)
    }

    /// Waits on in the same place of the queue. `false` if the turn has come and gone.
    fn resume(&self) -> bool {
        let mut stage = self.stage();
        if *stage == Stage::Abandoned {
            *stage = Stage::Waiting;
        }
        *stage != Stage::Left
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Gate {
    next: File,
    write: File,
}

impl Gate {
    fn open(database: &Path) -> io::Result<Gate> {
        let open = |ending| open_private(&with_ending(database, ending));
        Ok(Gate { next: open("-next")?, write: open("-write")? })
    }

    /// Enters if nobody is inside or waits.
    fn try_enter(&self) -> bool {
        if !is_free(&self.next) {
            return false;
        }
        let entered = is_free(&self.write);
        let _ = self.next.unlock();
        entered
    }

    fn enter(&self) -> io::Result<()> {
        self.next.lock()?;
        let entered = self.write.lock();
        let _ = self.next.unlock();
        entered
    }

    fn leave(&self) {
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
fn is_free(file: &File) -> bool {
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
    fn wait_until_somebody_queues(inside: &Gate) {
        while is_free(&inside.next) {
            inside.next.unlock().unwrap();
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_turn_lasts_until_it_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let gates = [(); 2].map(|()| Gate::open(&directory.path().join("x.db")).unwrap());
        assert!(gates[0].try_enter());
        assert!(!gates[1].try_enter());
        gates[0].leave();
        assert!(gates[1].try_enter());
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
        Gate::open(&path).unwrap();
        assert_eq!(modes(), [0o600; 2]);
        for ending in ["-next", "-write"] {
            std::fs::set_permissions(with_ending(&path, ending), Permissions::from_mode(0o644)).unwrap();
        }
        Gate::open(&path).unwrap();
        assert_eq!(modes(), [0o600; 2]);
    }

    #[test]
    fn who_comes_from_writing_queues_behind_who_waits() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let (inside, mut outside) = (Gate::open(&path).unwrap(), Turnstile::beside(&path));
        assert!(inside.try_enter());
        let waiting = std::thread::spawn(move || {
            outside.enter().unwrap();
            outside
        });
        wait_until_somebody_queues(&inside);
        inside.leave();
        let outside = waiting.join().unwrap();
        assert!(!inside.try_enter());
        outside.leave();
        assert!(inside.try_enter());
    }

    /// A turnstile that has waited in vain behind `inside`, and is in the queue still.
    fn given_up_behind(inside: &Gate, path: &Path) -> Turnstile {
        let mut late = Turnstile::beside(path);
        assert_eq!(late.enter_within(Duration::ZERO), Err(NoTurn));
        wait_until_somebody_queues(inside);
        // There is no turn to leave.
        late.leave();
        late
    }

    #[test]
    fn a_turn_that_comes_too_late_goes_to_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let inside = Gate::open(&path).unwrap();
        assert!(inside.try_enter());
        let _late = given_up_behind(&inside, &path);
        inside.leave();
        assert_eq!(Turnstile::beside(&path).enter(), Ok(()));
    }

    #[test]
    fn a_wait_that_was_given_up_can_be_resumed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let inside = Gate::open(&path).unwrap();
        assert!(inside.try_enter());
        let mut late = given_up_behind(&inside, &path);
        assert_eq!(late.enter_within(Duration::ZERO), Err(NoTurn));
        inside.leave();
        // Whether its turn has come and gone meanwhile or not.
        assert_eq!(late.enter(), Ok(()));
        assert!(!inside.try_enter());
        late.leave();
        assert!(inside.try_enter());
    }
}
