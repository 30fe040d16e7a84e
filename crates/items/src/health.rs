//! Whether a storage works: what it says about reads and writes, in plain words.

use std::fmt;

/// Whether reads and writes of a storage work, each with the reason if it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreHealth {
    /// Reads.
    pub reads: Result<(), Outage>,
    /// Writes.
    pub writes: Result<(), Outage>,
}

impl StoreHealth {
    /// Both fail for the same reason.
    pub fn failing(outage: Outage) -> StoreHealth {
        StoreHealth { reads: Err(outage), writes: Err(outage) }
    }
}

/// Why reads or writes do not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// There is no room on the disk.
    DiskFull,
    /// The disk reports errors.
    DiskFailed,
    /// The sync of a commit failed, and none has succeeded since.
    SyncFailed,
    /// The database takes no writes: a standby, or a setting of its operator.
    ReadOnly,
    /// Somebody else holds a lock for too long.
    Locked,
    /// The files that the process has open are not those at their paths any more.
    FilesMoved,
    /// The database does not answer.
    Unreachable,
    /// The thread that writes has ended.
    WriterStopped,
    /// Anything else: the log says what.
    Failed,
}

impl fmt::Display for Outage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outage::DiskFull => "disk full",
            Outage::DiskFailed => "the disk reports errors",
            Outage::SyncFailed => "a sync failed",
            Outage::ReadOnly => "read-only",
            Outage::Locked => "locked",
            Outage::FilesMoved => "database files were removed or replaced",
            Outage::Unreachable => "the database does not answer",
            Outage::WriterStopped => "the writer has stopped",
            Outage::Failed => "the database fails",
        })
    }
}
