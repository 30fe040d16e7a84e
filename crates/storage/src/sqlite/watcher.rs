//! Noticing the commits of other processes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::watch;

use super::connection;

/// How often it is looked.
const PAUSE: Duration = Duration::from_millis(25);

/// A thread that looks whether others have committed, once somebody wants to know.
pub(super) struct Watcher {
    path: PathBuf,
    thread: Mutex<Option<JoinHandle<()>>>,
    stop: Arc<Stop>,
}

#[derive(Default)]
struct Stop {
    is_wanted: Mutex<bool>,
    told: Condvar,
}

impl Watcher {
    pub(super) fn new(path: &Path) -> Watcher {
        Watcher { path: path.to_owned(), thread: Mutex::default(), stop: Arc::default() }
    }

    /// Tells `committed` from now on what others commit, unless that is done already.
    pub(super) fn start(&self, committed: &watch::Sender<()>) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (path, committed, stop) = (self.path.clone(), committed.clone(), Arc::clone(&self.stop));
            let watching = move || watch(&path, &committed, &stop);
            *thread = std::thread::Builder::new().name("sqlite-watcher".to_owned()).spawn(watching).ok();
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        *self.stop.is_wanted.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.told.notify_all();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // A panic there was reported there.
            let _ = thread.join();
        }
    }
}

/// What cannot be read now is read the next time.
fn watch(path: &Path, committed: &watch::Sender<()>, stop: &Stop) {
    let mut connection = connection::reader(path).ok();
    let mut known = None;
    let mut is_wanted = stop.is_wanted.lock().unwrap_or_else(PoisonError::into_inner);
    while !*is_wanted {
        if committed.receiver_count() > 0 {
            let version = connection.as_ref().and_then(|connection| version(connection).ok());
            if version.is_none() {
                connection = connection::reader(path).ok();
            } else if version != known {
                known = version;
                committed.send_replace(());
            }
        }
        (is_wanted, _) = stop.told.wait_timeout(is_wanted, PAUSE).unwrap_or_else(PoisonError::into_inner);
    }
}

/// A number that another one takes the place of when another connection commits.
fn version(connection: &Connection) -> Result<i64, rusqlite::Error> {
    connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}
