//! Trial `faults`: refuses each write and each sync of a run, one at a time, once and until repaired.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::ensure;
use interline_items::fields::Limits;
use interline_items::search::SearchOrder;
use interline_items::{
    Caller, Contents, Error, Filter, FindItems, Interline, Kind, PageStart, Sort, SortBy, SortOrder, Source, Store,
    TagMatch, TextFilter, View,
};
use interline_storage::SqliteStore;
use tokio::runtime::{Builder, Runtime};

use crate::acknowledged::{AcknowledgedEdit, Depth, EditLedger, LossReport, Moment};
use crate::notes::{self, EditNumber, NotePlan};
use crate::random::Random;
use crate::vfs::{
    Disk, DiskError, Event, Fault, FaultTarget, FileName, Lasts, Platter, Synchronous, Unsynced, WriteBack,
};
use crate::{Form, TOLD, threads};

/// How many edit at the same time, so that their commits are shared.
const CLIENTS: usize = 3;
/// How often something is tried before the store counts as one that does not serve again.
const TRIES: usize = 4;
/// After how many refusals a disk that refuses until it is repaired is.
const REPAIRED_AFTER: usize = 2;
/// How many power cuts follow each fault.
const CUTS: usize = 3;

/// What is done under each fault.
#[derive(Clone, Copy)]
struct Size {
    edits: usize,
    note_bytes: &'static [usize],
    /// Of so many writes one is refused; syncs are all.
    one_of_writes: usize,
}

const SMALL: Size = Size { edits: 6, note_bytes: &[2_000, 9_000], one_of_writes: 1 };
/// Enough pages that the log is copied into the database while edits go on.
const BIG: Size = Size { edits: 24, note_bytes: &[200_000], one_of_writes: 97 };

/// What came of one fault, or of all.
#[derive(Default)]
struct Findings {
    faults: usize,
    /// Those that the run came to.
    met: usize,
    /// Answers `unavailable`.
    refused: usize,
    cuts: usize,
    broken: Vec<String>,
}

/// The command.
pub(crate) fn run(form: Form, seed: u64) -> anyhow::Result<()> {
    match form {
        Form::Short => run_size("small", Size { one_of_writes: 23, ..SMALL }, seed),
        Form::Long => run_size("small", SMALL, seed).and_then(|()| run_size("big", BIG, seed)),
    }
}

fn run_size(title: &str, size: Size, seed: u64) -> anyhow::Result<()> {
    let started = Instant::now();
    let mut sound = Findings::default();
    let asked = attempt(size, None, seed, &mut sound)?;
    ensure!(sound.broken.is_empty() && sound.refused == 0, "without a fault: {}", sound.broken.join("; "));
    let findings = attempt_all(size, &faults(size, asked), seed)?;
    println!(
        "faults, {title}: {} writes and {} syncs; {} faults, {} met, {} answers `unavailable`, {} power cuts after them, \
         {} promises broken, {:.1} s",
        asked.0,
        asked.1,
        findings.faults,
        findings.met,
        findings.refused,
        findings.cuts,
        findings.broken.len(),
        started.elapsed().as_secs_f64()
    );
    findings.broken.iter().take(TOLD).for_each(|broken| println!("  {broken}"));
    ensure!(findings.broken.is_empty(), "a fault of the disk broke a promise");
    ensure!(findings.met * 2 > findings.faults, "most faults were never met");
    Ok(())
}

/// Each write and each sync, with every error it can have, once and until it is repaired.
fn faults(size: Size, (writes, syncs): (usize, usize)) -> Vec<Fault> {
    let mut faults = Vec::new();
    for nth in (0..writes).step_by(size.one_of_writes) {
        let at = FaultTarget::Write(nth);
        faults.push(Fault { at, error: DiskError::Io, lasts: Lasts::Once });
        faults.push(Fault { at, error: DiskError::NoSpace, lasts: Lasts::Once });
        faults.push(Fault { at, error: DiskError::NoSpace, lasts: Lasts::UntilRepaired });
    }
    for at in (0..syncs).map(FaultTarget::Sync) {
        faults.push(Fault { at, error: DiskError::Io, lasts: Lasts::Once });
        faults.push(Fault { at, error: DiskError::Io, lasts: Lasts::UntilRepaired });
    }
    faults
}

fn attempt_all(size: Size, faults: &[Fault], seed: u64) -> anyhow::Result<Findings> {
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Findings::default()));
    let work = || -> anyhow::Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(fault) = faults.get(number) else { return Ok(()) };
            let mut found = Findings { faults: 1, ..Findings::default() };
            attempt(size, Some(*fault), seed.wrapping_add(number as u64), &mut found)?;
            all.lock().unwrap_or_else(PoisonError::into_inner).add(found, *fault);
        }
    };
    std::thread::scope(|scope| {
        let working: Vec<_> = (0..threads()).map(|_| scope.spawn(work)).collect();
        working.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow::anyhow!("a run panicked"))?)
    })?;
    Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
}

impl Findings {
    fn add(&mut self, other: Findings, fault: Fault) {
        self.faults += other.faults;
        self.met += other.met;
        self.refused += other.refused;
        self.cuts += other.cuts;
        self.broken.extend(other.broken.into_iter().map(|broken| format!("{fault:?}: {broken}")));
    }

    fn check(&mut self, when: &str, report: &LossReport) {
        if !report.is_good() {
            self.broken.push(format!("{when}: lost {:?}; {}", report.lost, report.damage.join("; ")));
        }
    }
}

/// A life of a store on a disk with a fault, another life after it, and power cuts. How many writes and syncs it took.
fn attempt(size: Size, fault: Option<Fault>, seed: u64, found: &mut Findings) -> anyhow::Result<(usize, usize)> {
    let directory = tempfile::tempdir()?;
    let disk = Disk::in_directory(directory.path(), Synchronous::AsAsked)?;
    let mut random = Random::part(seed, 1);
    let plans = size.note_bytes.iter().map(|bytes| NotePlan::new(*bytes, CLIENTS, &mut random)).collect();
    let ledger = EditLedger::new(plans);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    if let Some(fault) = fault {
        disk.refuse(fault);
    }
    match open(&disk) {
        Ok(store) => runtime.block_on(live(Arc::new(store), &disk, &ledger, size, found)),
        Err(broken) => found.broken.push(broken),
    }
    let asked = disk.asked();
    found.met += usize::from(disk.repair() > 0);
    let again = ledger.check(&runtime, disk.path(), Moment::MAX, Depth::Everything);
    found.judge("opened again", &again);
    let events = disk.retire();
    trust_was_earned(&events, &ledger, found);
    if fault.is_some() {
        cut(&runtime, directory.path(), &events, &ledger, seed, found)?;
    }
    Ok(asked)
}

/// Opens the store; where the disk refuses, as often as is fair.
fn open(disk: &Disk) -> Result<SqliteStore, String> {
    for tried in 1.. {
        match SqliteStore::open(disk.path()) {
            Ok(store) => return Ok(store),
            Err(error) if tried == TRIES => return Err(format!("it does not open: {error}")),
            Err(_) if tried == REPAIRED_AFTER => drop(disk.repair()),
            Err(_) => {}
        }
    }
    Err("it does not open".to_owned())
}

/// Makes the notes and the edits, and judges the store while it is open. It is closed at the end.
async fn live(store: Arc<SqliteStore>, disk: &Disk, ledger: &EditLedger, size: Size, found: &mut Findings) {
    let interline = Interline::new(Arc::clone(&store) as _, Limits::default());
    let scene = Scene { store: &*store, interline: &interline, disk, ledger, found: Mutex::new(found) };
    if let Err(broken) = scene.play(size).await {
        scene.with_findings(|found| found.broken.push(broken));
    }
    let mut report = LossReport::default();
    ledger.check_open(&*store, Moment::MAX, Depth::Everything, &mut report).await;
    scene.with_findings(|found| found.judge("while it was open", &report));
}

/// A store that is open on a disk with a fault.
struct Scene<'a> {
    store: &'a dyn Store,
    interline: &'a Interline,
    disk: &'a Disk,
    ledger: &'a EditLedger,
    found: Mutex<&'a mut Findings>,
}

impl Scene<'_> {
    fn with_findings<T>(&self, update: impl FnOnce(&mut Findings) -> T) -> T {
        update(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn play(&self, size: Size) -> Result<(), String> {
        self.persist("the first user", || self.interline.first_start("soak")).await?;
        let owner = self.interline.owner().await.map_err(|error| error.to_string())?;
        let caller = self.interline.trusted(owner.id, Source::Rest).await.map_err(|error| error.to_string())?;
        for (note, plan) in self.ledger.plans.iter().enumerate() {
            let id = self.persist("a note", || notes::make(self.interline, &caller, plan)).await?;
            self.ledger.note_made(note, id, self.disk.now());
        }
        let edit_as = |client| self.edit_as(&caller, client, size);
        tokio::try_join!(edit_as(0), edit_as(1), edit_as(2))?;
        let made = self.ledger.plans.len() as u64;
        match self.interline.find_items(&caller, everything()).await {
            Ok(page) if page.total == made => Ok(()),
            Ok(page) => Err(format!("{made} notes were made, and there are {}", page.total)),
            Err(error) => Err(format!("a list: {error}")),
        }
    }

    async fn edit_as(&self, caller: &Caller, client: usize, size: Size) -> Result<(), String> {
        for edit in (0..size.edits).filter(|edit| edit % CLIENTS == client) {
            let note = edit / CLIENTS % self.ledger.plans.len();
            let id = self.ledger.id(note).ok_or("a note is missing")?;
            let number = EditNumber::try_from(edit).map_err(|error| error.to_string())?;
            let (version, asked) = self
                .persist("an edit", async || {
                    let asked = self.disk.now();
                    let outcome = notes::edit(self.interline, caller, id, client, number).await;
                    if let Err(Error::Unavailable(_)) = &outcome {
                        self.is_not_there(note, client, number).await;
                    }
                    outcome.map(|version| (version, asked))
                })
                .await?;
            let answered = self.disk.now();
            self.ledger.edited(AcknowledgedEdit { edit: number, note, client, version, asked, answered });
        }
        Ok(())
    }

    /// Notes it if a refused edit is there, or if it cannot be read whether it is.
    async fn is_not_there(&self, note: usize, client: usize, edit: EditNumber) {
        let Some(id) = self.ledger.id(note) else { return };
        let shown = match self.store.snapshot(id).await {
            Ok(snapshot) => {
                let text = snapshot.and_then(|snapshot| snapshot.content).unwrap_or_default();
                self.ledger.plans[note].read(&text)
            }
            Err(error) => Err(format!("reading does not work while writing does not: {error}")),
        };
        match shown {
            Ok(seen) if seen[client].contains(&edit) => {
                self.with_findings(|found| found.broken.push(format!("edit {edit} was refused, and is there")));
            }
            Ok(_) => {}
            Err(broken) => self.with_findings(|found| found.broken.push(broken)),
        }
    }

    /// Does something until it is done. Only `unavailable` is worth another try.
    async fn persist<T>(&self, what: &str, mut once: impl AsyncFnMut() -> Result<T, Error>) -> Result<T, String> {
        for tried in 1..=TRIES {
            match once().await {
                Ok(done) => return Ok(done),
                Err(Error::Unavailable(_)) => self.with_findings(|found| found.refused += 1),
                Err(error) => return Err(format!("{what}: not `unavailable` but {error}")),
            }
            if tried == REPAIRED_AFTER {
                self.disk.repair();
            }
        }
        Err(format!("{what}: it does not serve again"))
    }
}

fn everything() -> FindItems {
    FindItems {
        text: TextFilter::Everything,
        filter: Filter {
            spaces: BTreeSet::new(),
            kinds: Kind::ALL.into(),
            tags: Vec::new(),
            tag_match: TagMatch::All,
            views: [View::Active, View::Archived, View::Deleted].into(),
        },
        order: SearchOrder::Sorted(Sort { by: SortBy::CreatedAt, order: SortOrder::Ascending }),
        start: PageStart::Offset(0),
        limit: 1,
        contents: Contents::Omit,
    }
}

/// What was asked for after the sync of a commit failed, and acknowledged, came after a sync that succeeded.
fn trust_was_earned(events: &[Event], ledger: &EditLedger, found: &mut Findings) {
    let is_of_log = |event: &Event| matches!(event, Event::Synced(FileName::Log));
    for (failed, _) in events.iter().enumerate().filter(|(_, event)| matches!(event, Event::SyncFailed(FileName::Log)))
    {
        for edit in ledger.edits().into_iter().filter(|edit| edit.asked > failed) {
            if !events[failed..edit.answered].iter().any(is_of_log) {
                found.broken.push(format!("edit {} was acknowledged after a failed sync, and none since", edit.edit));
            }
        }
    }
}

/// Cuts the power at random moments, and at the end.
fn cut(
    runtime: &Runtime,
    directory: &Path,
    events: &[Event],
    ledger: &EditLedger,
    seed: u64,
    found: &mut Findings,
) -> anyhow::Result<()> {
    let path = directory.canonicalize()?.join("image.db");
    let mut random = Random::part(seed, 3);
    // Early moments are those of opening: a refusal is rarely behind.
    let failed = events.iter().position(|event| matches!(event, Event::SyncFailed(_))).unwrap_or(events.len() / 3);
    for _ in 0..CUTS {
        let at = failed + 1 + random.below(events.len() - failed);
        let at = at.min(events.len());
        let mut platter = Platter::new(WriteBack::AtSyncs, random.next());
        events[..at].iter().for_each(|event| platter.live(event));
        platter.image(Unsynced::Chosen(random.next())).put(&path)?;
        found.cuts += 1;
        let report = ledger.check(runtime, &path, at, Depth::Everything);
        found.judge(&format!("power cut at event {at} of {}", events.len()), &report);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The third write and the third sync of a new store update that it has a log. Where their error went unnoticed, a
    /// rollback journal was kept, and power cuts took commits back.
    #[test]
    fn a_store_whose_log_could_not_be_set_up_is_not_used() {
        for (at, seed) in
            [FaultTarget::Write(2), FaultTarget::Sync(2)].into_iter().flat_map(|at| (0..10).map(move |seed| (at, seed)))
        {
            let mut found = Findings::default();
            let fault = Fault { at, error: DiskError::Io, lasts: Lasts::Once };
            attempt(SMALL, Some(fault), seed, &mut found).expect("a run");
            assert_eq!((found.met, found.broken), (1, Vec::new()), "{at:?}, seed {seed}");
        }
    }
}
