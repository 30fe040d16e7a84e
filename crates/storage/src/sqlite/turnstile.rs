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
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How long a turn is waited for: somebody else's process may hang in the middle of its own.
const PATIENCE: Duration = Duration::from_secs(5);

/// The way to a turn.
pub(super) struct Turnstile {
    /// `None` where no lock files can be had: then SQLite's lock decides alone.
    gate: Option<Arc<Gate>>,
    /// A turn that is being waited for, or that came when nobody waited any more.
    coming: Option<Receiver<io::Result<()>>>,
}

/// The turn did not come in time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoTurn;

impl Turnstile {
    /// The turnstile of the database in a file.
    pub(super) fn beside(database: &Path) -> Turnstile {
        Turnstile { gate: Gate::open(database).ok().map(Arc::new), coming: None }
    }

    /// No turns: nobody else can write.
    #[cfg(test)]
    pub(super) fn none() -> Turnstile {
        Turnstile { gate: None, coming: None }
    }

    /// Waits for the turn; it lasts until [`Turnstile::leave`].
    pub(super) fn enter(&mut self) -> Result<(), NoTurn> {
        let Some(gate) = &self.gate else { return Ok(()) };
        let coming = match self.coming.take() {
            Some(coming) => coming,
            None if gate.try_enter() => return Ok(()),
            None => enter_elsewhere(Arc::clone(gate)),
        };
        match coming.recv_timeout(PATIENCE) {
            // Locks that fail are no reason not to write.
            Ok(_) | Err(RecvTimeoutError::Disconnected) => Ok(()),
            Err(RecvTimeoutError::Timeout) => {
                self.coming = Some(coming);
                Err(NoTurn)
            }
        }
    }

    /// Ends the turn, if there is one.
    pub(super) fn leave(&self) {
        if let Some(gate) = &self.gate
            && self.coming.is_none()
        {
            gate.leave();
        }
    }
}

/// Waits on another thread: a lock file is waited for without an end, and this thread has people to answer.
fn enter_elsewhere(gate: Arc<Gate>) -> Receiver<io::Result<()>> {
    let (told, coming) = sync_channel(1);
    let wait = move || {
        let entered = gate.enter();
        if told.send(entered).is_err() {
            gate.leave();
        }
    };
    // If there is no thread to be had, the sender is gone, and nobody waits.
    let _ = std::thread::Builder::new().name("sqlite-turn".to_owned()).spawn(wait);
    coming
}

struct Gate {
    next: File,
    write: File,
}

impl Gate {
    fn open(database: &Path) -> io::Result<Gate> {
        let open =
            |ending| File::options().create(true).truncate(false).write(true).open(with_ending(database, ending));
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
    fn who_comes_from_writing_queues_behind_who_waits() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let (inside, mut outside) = (Gate::open(&path).unwrap(), Turnstile::beside(&path));
        assert!(inside.try_enter());
        let waiting = std::thread::spawn(move || {
            outside.enter().unwrap();
            outside
        });
        // `next` is taken as soon as somebody waits.
        while is_free(&inside.next) {
            inside.next.unlock().unwrap();
            std::thread::yield_now();
        }
        inside.leave();
        let outside = waiting.join().unwrap();
        assert!(!inside.try_enter());
        outside.leave();
        assert!(inside.try_enter());
    }

    #[test]
    fn a_turn_that_comes_too_late_is_not_lost() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let (inside, mut late) = (Gate::open(&path).unwrap(), Turnstile::beside(&path));
        assert!(inside.try_enter());
        late.coming = Some(enter_elsewhere(Arc::clone(late.gate.as_ref().unwrap())));
        // It is not over: there is no turn to leave.
        late.leave();
        inside.leave();
        assert_eq!(late.enter(), Ok(()));
        assert!(!inside.try_enter());
        late.leave();
        assert!(inside.try_enter());
    }
}
