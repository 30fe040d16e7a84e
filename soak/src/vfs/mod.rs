//! A simulated disk whose power can be cut: it knows what would be left at any moment, and can refuse any write or sync.

mod disk;
mod image;
mod shim;

pub(crate) use disk::{Disk, DiskError, Event, Fault, FaultTarget, FileName, Lasts, Synchronous};
pub(crate) use image::{Image, Platter, Unsynced, WriteBack};
