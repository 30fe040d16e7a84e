//! Import: records of a source become items of the caller's own space.
//!
//! An [`Importer`] takes entries one after the other, decides in chunks what becomes of them (`decide`), and commits many small
//! changes together. What its report counts is on disk. A record that cannot be imported is reported with its reason, and
//! the rest goes on; an error means that the store failed, and that the same import can be run again.
//!
//! * `record`: a record parsed by the rules of its kind.
//! * `decide`: whether it makes an item, changes one, or is left alone.
//! * `dry_run`: what becomes of a record whose key came before, where nothing is written.
//! * `merge`: the three-way merge of a changed record with a changed item.
//! * `replay`: the writes that make the versions of an item.
//! * `report`: what was done.

mod decide;
mod dry_run;
mod merge;
mod record;
mod replay;
mod report;

use std::collections::HashSet;
use std::time::Duration;

use interline_interchange::{Entry, SourceRecord};

use crate::memory_budget::{RequestMemory, WORK_FACTOR};
use crate::{Batch, Error, ImportedSource, ItemWrite, SpaceId};

use super::{Caller, Interline};

use dry_run::ForetoldStates;
use record::record_bytes;
use report::Outcome;
pub use report::{ImportReport, ReportedRecord};

/// How many records, and how many bytes of them, are decided and committed together.
const CHUNK_RECORDS: usize = 256;
const CHUNK_BYTES: usize = 4 * 1024 * 1024;
/// How many characters the name of a source may have.
const MAX_SOURCE: usize = 200;
/// How long a record waits for memory.
const MEMORY_WAIT: Duration = Duration::from_secs(30);
const MEMORY_PAUSE: Duration = Duration::from_millis(100);

/// A request to import records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRequest {
    /// What the source is called: the next import under the same name finds what this one has made.
    pub source: String,
    /// Whether anything is written.
    pub mode: ImportMode,
}

/// Whether an import writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportMode {
    /// It does.
    Write,
    /// It only says what it would do.
    DryRun,
}

/// An import under way.
pub struct Importer {
    interline: Interline,
    caller: Caller,
    space: SpaceId,
    source: String,
    mode: ImportMode,
    report: ImportReport,
    chunk: Vec<SourceRecord>,
    chunk_bytes: usize,
    /// What the records of the chunk hold of the memory budget.
    memory: Option<RequestMemory>,
    pending: Vec<PendingItem>,
    /// What is unique of the items that are pending, and in a dry run of all that would have been made.
    taken: HashSet<[u8; 32]>,
    foretold: ForetoldStates,
}

/// The changes of one item that are not committed yet.
struct PendingItem {
    writes: Vec<ItemWrite>,
    import: ImportedSource,
    outcome: Outcome,
    notices: Vec<String>,
}

impl PendingItem {
    fn batch(&self) -> Batch {
        Batch { writes: self.writes.clone(), imports: vec![self.import.clone()], ..Batch::default() }
    }
}

impl Interline {
    /// Begins an import into the caller's own space. It takes the scopes `read` and `write`: the report tells of items that are
    /// there.
    pub fn import(&self, caller: &Caller, request: ImportRequest) -> Result<Importer, Error> {
        caller.require_apply()?;
        caller.require_change()?;
        let space = caller.own_space()?;
        caller.require_write_in(space)?;
        let ImportRequest { source, mode } = request;
        let characters = source.chars().count();
        if source.trim().is_empty() || characters > MAX_SOURCE || source.contains('\0') {
            let message = format!("must be a name of 1 to {MAX_SOURCE} characters, without NUL; it has {characters}");
            return Err(Error::field("source", message));
        }
        Ok(Importer {
            interline: self.clone(),
            caller: caller.clone(),
            space,
            source,
            mode,
            report: ImportReport::default(),
            chunk: Vec::new(),
            chunk_bytes: 0,
            memory: RequestMemory::current().map(|memory| memory.sibling()),
            pending: Vec::new(),
            taken: HashSet::new(),
            foretold: ForetoldStates::default(),
        })
    }
}

impl Importer {
    /// Takes the next entry of the source. An error ends the import; what the report counts is done.
    pub async fn add(&mut self, entry: Entry) -> Result<(), Error> {
        match entry {
            Entry::Skipped { source, reason } => self.report.problem(Outcome::Skipped, source, reason),
            Entry::Attachment { .. } => self.report.attachments += 1,
            Entry::Record(record) => {
                let bytes = record_bytes(&record);
                self.take_memory(bytes).await?;
                self.chunk.push(*record);
                self.chunk_bytes += bytes;
                if self.chunk.len() >= CHUNK_RECORDS || self.chunk_bytes >= CHUNK_BYTES {
                    self.import_chunk().await?;
                }
            }
        }
        Ok(())
    }

    /// Imports what is left.
    pub async fn finish(&mut self) -> Result<(), Error> {
        self.import_chunk().await
    }

    /// What is done: in a dry run, what would be.
    pub fn report(&self) -> &ImportReport {
        &self.report
    }

    /// Whether it writes.
    pub fn mode(&self) -> ImportMode {
        self.mode
    }

    /// Takes memory for a record; waits for it where the budget is full, after what this import holds was given back.
    async fn take_memory(&mut self, bytes: usize) -> Result<(), Error> {
        let bytes = bytes.saturating_mul(WORK_FACTOR);
        let Some(memory) = self.memory.clone() else { return Ok(()) };
        if memory.take(bytes).is_ok() {
            return Ok(());
        }
        drop(memory);
        self.import_chunk().await?;
        let until = tokio::time::Instant::now() + MEMORY_WAIT;
        loop {
            let Some(memory) = self.memory.clone() else { return Ok(()) };
            match memory.take(bytes) {
                Ok(()) => return Ok(()),
                Err(full) if tokio::time::Instant::now() >= until => return Err(Error::Overloaded(full)),
                Err(_) => tokio::time::sleep(MEMORY_PAUSE).await,
            }
        }
    }

    async fn import_chunk(&mut self) -> Result<(), Error> {
        let chunk = std::mem::take(&mut self.chunk);
        self.chunk_bytes = 0;
        if chunk.is_empty() {
            return Ok(());
        }
        let keys: Vec<String> = chunk.iter().map(|record| record.source_key.clone()).collect();
        let known = self.interline.store.imported_sources(self.space, &self.source, &keys).await?;
        for (record, known) in chunk.into_iter().zip(known) {
            self.import_record(record, known).await?;
        }
        self.flush().await?;
        // The next chunk begins with nothing held.
        self.memory = self.memory.take().map(|memory| memory.sibling());
        Ok(())
    }

    /// Commits what is pending, together; where something came in between, one item after the other.
    async fn flush(&mut self) -> Result<(), Error> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        if self.mode == ImportMode::DryRun {
            pending.into_iter().for_each(|item| self.report.done(item.outcome, &item.import.key, item.notices));
            return Ok(());
        }
        self.taken.clear();
        let batch = Batch {
            writes: pending.iter().flat_map(|item| item.writes.iter().cloned()).collect(),
            imports: pending.iter().map(|item| item.import.clone()).collect(),
            ..Batch::default()
        };
        match self.interline.commit(&self.caller, batch).await {
            Ok(Some(())) => {
                pending.into_iter().for_each(|item| self.report.done(item.outcome, &item.import.key, item.notices));
                Ok(())
            }
            Ok(None) | Err(Error::Duplicate { .. }) => self.commit_each(pending).await,
            Err(error) => Err(error),
        }
    }

    async fn commit_each(&mut self, pending: Vec<PendingItem>) -> Result<(), Error> {
        for item in pending {
            let key = item.import.key.clone();
            match self.interline.commit(&self.caller, item.batch()).await {
                Ok(Some(())) => self.report.done(item.outcome, &key, item.notices),
                Ok(None) => {
                    let reason = "the item was changed while it was imported; import it again".to_owned();
                    self.report.problem(Outcome::Skipped, key, reason);
                }
                Err(error) => self.report_or_fail(key, error)?,
            }
        }
        Ok(())
    }

    /// Reports why a record cannot be imported; an error if it is the store that fails.
    fn report_or_fail(&mut self, key: String, error: Error) -> Result<(), Error> {
        match error {
            Error::Unavailable(_) | Error::Unknown(_) | Error::Overloaded(_) | Error::Internal(_) => Err(error),
            refused => {
                self.report.problem(Outcome::Skipped, key, refused.to_string());
                Ok(())
            }
        }
    }
}
