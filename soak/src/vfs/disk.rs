//! A simulated disk under a store: it records every operation in order, and can refuse some.

use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::ffi;

use super::shim;

/// A file of a store. The index of the log (`-shm`) is shared memory: it is gone when the power is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileName {
    Database,
    /// The write-ahead log.
    Log,
    /// The rollback journal, before there is a log.
    Journal,
}

impl FileName {
    pub(crate) const ALL: [FileName; 3] = [FileName::Database, FileName::Log, FileName::Journal];

    /// What follows the path of the store.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            FileName::Database => "",
            FileName::Log => "-wal",
            FileName::Journal => "-journal",
        }
    }
}

/// Something that was done to a file.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Created(FileName),
    Written(FileName, u64, Box<[u8]>),
    Truncated(FileName, u64),
    Deleted(FileName, Durability),
    /// What was done to the file before is on disk.
    Synced(FileName),
    /// The sync was refused. The system has tried, and forgets what it could not write: no later sync brings it back.
    SyncFailed(FileName),
    /// Which files there are is on disk; what is in them is another matter.
    DirectorySynced,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    Certain,
    InDoubt,
}

/// What a disk refuses, counted from when it was told to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: FaultTarget,
    pub(crate) error: DiskError,
    pub(crate) lasts: Lasts,
}

/// 0-based; truncations are writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultTarget {
    Write(usize),
    Sync(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiskError {
    /// EIO.
    Io,
    /// ENOSPC.
    NoSpace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lasts {
    /// For that one.
    Once,
    /// For everything of its sort from then on, until [`Disk::repair`].
    UntilRepaired,
}

/// What `PRAGMA synchronous` does in connections to a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Synchronous {
    /// What the connection asks for.
    AsAsked,
    /// It is `OFF`, whatever the connection asks for; it is not told.
    Off,
}

/// The bytes of a write that came before the refusal, and SQLite's code for it.
pub(super) struct RefusedWrite {
    pub(super) code: c_int,
    pub(super) written: usize,
}

/// A disk that holds one store.
pub(crate) struct Disk {
    path: PathBuf,
    synchronous: Synchronous,
    state: Mutex<DiskState>,
}

#[derive(Default)]
struct DiskState {
    events: Vec<Event>,
    writes: usize,
    syncs: usize,
    fault: Option<Fault>,
    /// How often it refused.
    refusals: usize,
}

static DISKS: Mutex<Vec<Arc<Disk>>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The disk that a path is on, and which of its files it is; `Err` for a file beside a store that no disk knows.
pub(super) fn watched(path: &Path) -> Result<Option<(Arc<Disk>, FileName)>, ()> {
    let disks = locked(&DISKS);
    let path = path.as_os_str().as_encoded_bytes();
    let rest = |disk: &Arc<Disk>| path.strip_prefix(disk.path.as_os_str().as_encoded_bytes()).map(<[u8]>::to_vec);
    let Some((disk, suffix)) = disks.iter().find_map(|disk| Some((Arc::clone(disk), rest(disk)?))) else {
        return Ok(None);
    };
    let name = FileName::ALL.into_iter().find(|name| name.suffix().as_bytes() == suffix);
    name.map(|name| Some((disk, name))).ok_or(())
}

impl Disk {
    /// Watches a store that is not there yet, in a directory that is.
    pub(crate) fn in_directory(directory: &Path, synchronous: Synchronous) -> anyhow::Result<Arc<Disk>> {
        shim::install().map_err(anyhow::Error::msg)?;
        // As SQLite names it to the VFS.
        let path = directory.canonicalize()?.join("interline.db");
        anyhow::ensure!(!path.exists(), "{} is there already: what was done to it is not known", path.display());
        let disk = Arc::new(Disk { path, synchronous, state: Mutex::default() });
        locked(&DISKS).push(Arc::clone(&disk));
        Ok(disk)
    }

    /// Where the store is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn synchronous(&self) -> Synchronous {
        self.synchronous
    }

    /// How many events there were: a moment in its life.
    pub(crate) fn now(&self) -> usize {
        locked(&self.state).events.len()
    }

    /// How many writes and syncs it was asked for.
    pub(crate) fn asked(&self) -> (usize, usize) {
        let state = locked(&self.state);
        (state.writes, state.syncs)
    }

    /// Counts writes and syncs anew, and refuses what the fault says.
    pub(crate) fn refuse(&self, fault: Fault) {
        let mut state = locked(&self.state);
        (state.writes, state.syncs, state.refusals, state.fault) = (0, 0, 0, Some(fault));
    }

    /// Refuses nothing any more; how often it did.
    pub(crate) fn repair(&self) -> usize {
        let mut state = locked(&self.state);
        state.fault = None;
        state.refusals
    }

    /// What was done to it. The store must be closed; it is watched no more.
    pub(crate) fn retire(self: Arc<Disk>) -> Vec<Event> {
        locked(&DISKS).retain(|disk| !Arc::ptr_eq(disk, &self));
        std::mem::take(&mut locked(&self.state).events)
    }

    /// Whether the file is there.
    pub(super) fn has(&self, name: FileName) -> bool {
        let mut path = self.path.clone().into_os_string();
        path.push(name.suffix());
        Path::new(&path).exists()
    }

    pub(super) fn created(&self, name: FileName) {
        locked(&self.state).events.push(Event::Created(name));
    }

    pub(super) fn write(&self, name: FileName, offset: u64, bytes: &[u8]) -> Result<(), RefusedWrite> {
        let mut state = locked(&self.state);
        let refused = state.next_write();
        // A disk that fails has written a part.
        let written = if refused.is_some() { bytes.len() / 2 } else { bytes.len() };
        state.events.push(Event::Written(name, offset, bytes[..written].into()));
        refused.map_or(Ok(()), |error| Err(RefusedWrite { code: error.of_write(), written }))
    }

    pub(super) fn truncate(&self, name: FileName, size: u64) -> Result<(), c_int> {
        let mut state = locked(&self.state);
        if state.next_write().is_some() {
            return Err(ffi::SQLITE_IOERR_TRUNCATE);
        }
        state.events.push(Event::Truncated(name, size));
        Ok(())
    }

    pub(super) fn sync(&self, name: FileName) -> Result<(), c_int> {
        let mut state = locked(&self.state);
        state.syncs += 1;
        let number = state.syncs - 1;
        let refused = state
            .refused(|at| matches!(at, FaultTarget::Sync(nth) if nth <= number), |at| at == FaultTarget::Sync(number));
        state.events.push(if refused.is_some() { Event::SyncFailed(name) } else { Event::Synced(name) });
        // Whatever the system's reason, it is the same code.
        refused.map_or(Ok(()), |_| Err(ffi::SQLITE_IOERR_FSYNC))
    }

    pub(super) fn directory_synced(&self) {
        locked(&self.state).events.push(Event::DirectorySynced);
    }

    pub(super) fn deleted(&self, name: FileName, durability: Durability) {
        locked(&self.state).events.push(Event::Deleted(name, durability));
    }
}

impl DiskState {
    fn next_write(&mut self) -> Option<DiskError> {
        self.writes += 1;
        let number = self.writes - 1;
        self.refused(|at| matches!(at, FaultTarget::Write(nth) if nth <= number), |at| at == FaultTarget::Write(number))
    }

    fn refused(
        &mut self,
        since: impl Fn(FaultTarget) -> bool,
        exactly: impl Fn(FaultTarget) -> bool,
    ) -> Option<DiskError> {
        let fault = self.fault?;
        let hit = match fault.lasts {
            Lasts::Once => exactly(fault.at),
            Lasts::UntilRepaired => since(fault.at),
        };
        self.refusals += usize::from(hit);
        hit.then_some(fault.error)
    }
}

impl DiskError {
    fn of_write(self) -> c_int {
        match self {
            DiskError::Io => ffi::SQLITE_IOERR_WRITE,
            DiskError::NoSpace => ffi::SQLITE_FULL,
        }
    }
}
