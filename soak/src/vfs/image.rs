//! The contents of a disk after a power cut.
//!
//! Certain is what was synced. Of what was not, every write may be there, not be there, or be there in some of its
//! sectors, each for itself: so any order in which a system may have written them is among the choices. Bytes of a
//! sector that a write does not cover stay as they are (the "powersafe overwrite" that SQLite's VFS for unix systems
//! assumes). Creation, truncation and deletion of one file happen in their order. A file is there for certain when it was
//! synced once, as file systems bring its entry to disk with it, or when its directory was.

use std::collections::BTreeMap;
use std::path::Path;

use crate::random::Random;

use super::disk::{Durability, Event, FileName};

const SECTOR: usize = 512;

/// When the system writes back what it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteBack {
    /// When it is asked to sync, and not for certain before.
    AtSyncs,
    /// Also what is older than this many events of a file, as systems do some day.
    InTime {
        /// How many events of a file are in doubt.
        doubtful: usize,
    },
}

/// What becomes of that which was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsynced {
    /// It is lost.
    Lost,
    /// The seed decides for every write.
    Chosen(u64),
}

/// The files of a disk after a power cut.
#[derive(Clone, Debug, Default)]
pub(crate) struct Image(BTreeMap<FileName, Vec<u8>>);

impl Image {
    /// Writes the files of a store at `path`, and removes those that the image does not have.
    pub(crate) fn put(&self, path: &Path) -> std::io::Result<()> {
        let named = |suffix: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            name
        };
        for name in FileName::ALL {
            match self.0.get(&name) {
                Some(bytes) => std::fs::write(named(name.suffix()), bytes)?,
                None => removed(std::fs::remove_file(named(name.suffix())))?,
            }
        }
        removed(std::fs::remove_file(named("-shm")))
    }

    #[cfg(test)]
    pub(crate) fn file(&self, name: FileName) -> Option<&[u8]> {
        self.0.get(&name).map(Vec::as_slice)
    }
}

fn removed(outcome: std::io::Result<()>) -> std::io::Result<()> {
    outcome.or_else(|error| if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// A disk at a moment of its life.
pub(crate) struct Platter<'a> {
    write_back: WriteBack,
    /// Decides what a failed sync has written.
    random: Random,
    files: BTreeMap<FileName, Contents<'a>>,
}

#[derive(Default)]
struct Contents<'a> {
    certain: Option<Vec<u8>>,
    pending: Vec<&'a Event>,
}

impl Contents<'_> {
    /// Whether the file is there is certain; what is in it since it was made is not.
    fn settle_entry(&mut self) {
        let entry = self.pending.iter().rposition(|event| matches!(event, Event::Created(_) | Event::Deleted(..)));
        if let Some(entry) = entry {
            happen(&mut self.certain, self.pending[entry]);
            self.pending.drain(..=entry);
        }
    }
}

impl<'a> Platter<'a> {
    /// A disk without files.
    pub(crate) fn new(write_back: WriteBack, seed: u64) -> Platter<'a> {
        Platter { write_back, random: Random::part(seed, 0x000f_a17e), files: BTreeMap::new() }
    }

    /// Lives through the next event.
    pub(crate) fn live(&mut self, event: &'a Event) {
        match event {
            Event::Created(name) | Event::Written(name, ..) | Event::Truncated(name, _) => self.pend(*name, event),
            Event::Deleted(name, Durability::InDoubt) => self.pend(*name, event),
            Event::Deleted(name, Durability::Certain) => {
                self.files.insert(*name, Contents::default());
            }
            Event::Synced(name) => {
                let file = self.files.entry(*name).or_default();
                for event in std::mem::take(&mut file.pending) {
                    happen(&mut file.certain, event);
                }
            }
            Event::SyncFailed(name) => {
                let file = self.files.entry(*name).or_default();
                let pending = std::mem::take(&mut file.pending);
                survive(&mut file.certain, &pending, &mut self.random);
            }
            Event::DirectorySynced => self.files.values_mut().for_each(Contents::settle_entry),
        }
    }

    fn pend(&mut self, name: FileName, event: &'a Event) {
        let file = self.files.entry(name).or_default();
        file.pending.push(event);
        if let WriteBack::InTime { doubtful } = self.write_back
            && file.pending.len() > doubtful
        {
            let oldest = file.pending.remove(0);
            happen(&mut file.certain, oldest);
        }
    }

    /// What is left if the power is cut now.
    pub(crate) fn image(&self, unsynced: Unsynced) -> Image {
        let files = self.files.iter().filter_map(|(name, file)| {
            let mut bytes = file.certain.clone();
            match unsynced {
                Unsynced::Lost => {}
                Unsynced::Chosen(seed) => {
                    survive(&mut bytes, &file.pending, &mut Random::part(seed, name.suffix().len() as u64));
                }
            }
            Some((*name, bytes?))
        });
        Image(files.collect())
    }
}

/// An event happens to a file.
fn happen(file: &mut Option<Vec<u8>>, event: &Event) {
    match event {
        Event::Created(_) => *file = Some(Vec::new()),
        Event::Deleted(..) => *file = None,
        Event::Truncated(_, size) => {
            if let Some(bytes) = file {
                bytes.resize(index(*size), 0);
            }
        }
        Event::Written(_, offset, written) => put(file, index(*offset), written),
        Event::Synced(_) | Event::SyncFailed(_) | Event::DirectorySynced => {}
    }
}

fn put(file: &mut Option<Vec<u8>>, offset: usize, written: &[u8]) {
    if let Some(bytes) = file {
        let end = offset + written.len();
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[offset..end].copy_from_slice(written);
    }
}

fn index(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

/// Some of the events happen to a file.
fn survive(file: &mut Option<Vec<u8>>, pending: &[&Event], random: &mut Random) {
    // Even chances would break every log at its first frame: how much survives is a choice of its own.
    let kept_per_mille = *random.one_of(&[0, 20, 300, 700, 950, 990, 1000]);
    // Half of the time what was written first is there up to some point, as a system that writes in order leaves it.
    let in_order = if random.chance(500) { random.below(pending.len() + 1) } else { 0 };
    let of_the_entry = pending.iter().filter(|event| !matches!(event, Event::Written(..))).count();
    let entry_kept = random.below(of_the_entry + 1);
    let mut of_the_entry = 0;
    for (number, event) in pending.iter().enumerate() {
        match event {
            Event::Written(_, offset, written) => {
                if number < in_order || random.chance(kept_per_mille) {
                    put(file, index(*offset), written);
                } else if random.chance(300) {
                    put_torn(file, index(*offset), edit_mark, random);
                }
            }
            Event::Truncated(..) => {
                of_the_entry += 1;
                if number < in_order || of_the_entry <= entry_kept {
                    happen(file, event);
                }
            }
            Event::Created(_) | Event::Deleted(..) => {
                of_the_entry += 1;
                if number >= in_order && of_the_entry > entry_kept {
                    // What follows was done to another file than the one that is there.
                    return;
                }
                happen(file, event);
            }
            Event::Synced(_) | Event::SyncFailed(_) | Event::DirectorySynced => {}
        }
    }
}

/// Some sectors of a write happen to a file.
fn put_torn(file: &mut Option<Vec<u8>>, offset: usize, written: &[u8], random: &mut Random) {
    let mut start = 0;
    while start < written.len() {
        let end = written.len().min(start + SECTOR - (offset + start) % SECTOR);
        if random.chance(500) {
            put(file, offset + start, &written[start..end]);
        }
        start = end;
    }
}

#[cfg(test)]
#[path = "image_tests.rs"]
mod tests;
