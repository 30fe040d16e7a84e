//! Notifications of commits: a thread that polls whether another process has committed.

use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use interline_items::count_worker_restart;
use rusqlite::Connection;
use tokio::sync::watch;

use crate::sqlite::connection;

/// How often the thread looks.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// The thread that looks whether other processes have committed. It is started by the first listener.
pub(super) struct CommitWatcher {
    path: PathBuf,
    thread: Mutex<Option<JoinHandle<()>>>,
    stop: Arc<StopSignal>,
}

#[derive(Default)]
struct StopSignal {
    is_requested: Mutex<bool>,
    changed: Condvar,
}

impl CommitWatcher {
    pub(super) fn new(path: &Path) -> CommitWatcher {
        CommitWatcher { path: path.to_owned(), thread: Mutex::default(), stop: Arc::default() }
    }

    /// Notifies `committed` from now on of the commits of other processes, unless the thread already runs.
    pub(super) fn start(&self, committed: &watch::Sender<()>) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (path, committed, stop) = (self.path.clone(), committed.clone(), Arc::clone(&self.stop));
            let watching = move || watch_supervised(&path, &committed, &stop);
            *thread = std::thread::Builder::new().name("sqlite-watcher".to_owned()).spawn(watching).ok();
        }
    }
}

impl Drop for CommitWatcher {
    fn drop(&mut self) {
        *self.stop.is_requested.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.changed.notify_all();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // A panic there was reported there.
            let _ = thread.join();
        }
    }
}

/// Watches until it is stopped, and begins again where it panics.
fn watch_supervised(path: &Path, committed: &watch::Sender<()>, stop: &StopSignal) {
    while panic::catch_unwind(AssertUnwindSafe(|| watch(path, committed, stop))).is_err() {
        count_worker_restart("sqlite-watcher");
        let is_requested = stop.is_requested.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stop.changed.wait_timeout(is_requested, POLL_INTERVAL);
    }
}

/// Polls until it is stopped. What cannot be read now is read the next time.
fn watch(path: &Path, committed: &watch::Sender<()>, stop: &StopSignal) {
    let mut connection = connection::reader(path).ok();
    let mut last_seen = None;
    let mut is_requested = stop.is_requested.lock().unwrap_or_else(PoisonError::into_inner);
    while !*is_requested {
        if committed.receiver_count() > 0 {
            let version = connection.as_ref().and_then(|connection| version(connection).ok());
            if version.is_none() {
                connection = connection::reader(path).ok();
            } else if version != last_seen {
                last_seen = version;
                committed.send_replace(());
            }
        }
        (is_requested, _) =
            stop.changed.wait_timeout(is_requested, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner);
    }
}

/// A number that changes when another connection commits.
fn version(connection: &Connection) -> Result<i64, rusqlite::Error> {
    connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}
