//! Trial `power-cut`: cuts the power at every sync and every answer of a run of edits, and between them.
//!
//! Then the same is done once more with `synchronous=OFF` in every connection of the store. That run has to lose
//! acknowledged edits: a trial that does not notice it would notice nothing.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use interline_items::fields::Limits;
use interline_items::{Caller, Interline, Source};
use interline_storage::SqliteStore;
use tokio::runtime::{Builder, Runtime};

use crate::acknowledged::{AcknowledgedEdit, Depth, EditLedger, LossReport, Moment};
use crate::notes::{self, EditNumber, NotePlan};
use crate::random::Random;
use crate::vfs::{Disk, Event, Image, Platter, Synchronous, Unsynced, WriteBack};
use crate::{Form, TOLD, threads};

/// How often the store is closed and opened again during a run: that has writes of its own.
const LIVES: usize = 3;
/// Every so many images all versions are rebuilt; the newest ones always.
const EVERYTHING_EVERY: usize = 25;
/// How many events of a file are in doubt without syncs. Some commits: losing the whole store would be too easy to find.
const DOUBTFUL: usize = 100;
/// Without syncs every so many moments are looked at: that losses are found is the question, not how many.
const UNSYNCED_EVERY: usize = 5;

/// What is done.
#[derive(Clone, Copy)]
struct Size {
    edits: usize,
    clients: usize,
    note_bytes: &'static [usize],
}

const SHORT: Size = Size { edits: 120, clients: 6, note_bytes: &[2_000, 2_000, 9_000, 60_000, 200_000] };
const LONG: Size = Size {
    edits: 2_000,
    clients: 12,
    note_bytes: &[2_000, 2_000, 2_000, 2_000, 8_000, 8_000, 8_000, 30_000, 30_000, 100_000, 200_000],
};

/// A run: what was done to the disk, and what was acknowledged.
struct Recording {
    events: Vec<Event>,
    ledger: EditLedger,
    commits: u64,
}

impl Recording {
    fn syncs(&self) -> usize {
        self.events.iter().filter(|event| is_sync(event)).count()
    }

    /// The moments that are looked at: after every sync, and when an edit was answered.
    fn moments(&self) -> BTreeSet<Moment> {
        let synced = self.events.iter().enumerate().filter(|(_, event)| is_sync(event)).map(|(at, _)| at + 1);
        synced.chain(self.ledger.edits().iter().map(|edit| edit.answered)).collect()
    }
}

fn is_sync(event: &Event) -> bool {
    matches!(event, Event::Synced(_) | Event::SyncFailed(_))
}

/// What was found over all images.
#[derive(Default)]
struct Survey {
    moments: usize,
    images: usize,
    images_with_losses: usize,
    damaged_images: usize,
    /// AcknowledgedEdit edits that were missing, counted in each image.
    losses: usize,
    seconds: f64,
    told: Vec<String>,
}

/// The command.
pub(crate) fn run(form: Form, seed: u64) -> anyhow::Result<()> {
    let size = match form {
        Form::Short => SHORT,
        Form::Long => LONG,
    };
    let recording = record(size, Synchronous::AsAsked, seed)?;
    ensure!(recording.syncs() as u64 >= recording.commits, "not every commit was synced");
    let found = survey(&recording, WriteBack::AtSyncs, 1, seed)?;
    found.print();
    ensure!(found.losses == 0 && found.damaged_images == 0, "acknowledged edits are lost in a power cut");

    println!("with synchronous=OFF, which must lose some:");
    let found = survey(&record_unsynced(size, seed)?, WriteBack::InTime { doubtful: DOUBTFUL }, UNSYNCED_EVERY, seed)?;
    found.print();
    ensure!(found.losses > 0, "with synchronous=OFF nothing was lost: this command would not notice a loss");
    Ok(())
}

/// The same with `synchronous=OFF`, which is checked: nothing was synced.
fn record_unsynced(size: Size, seed: u64) -> anyhow::Result<Recording> {
    let recording = record(size, Synchronous::Off, seed)?;
    ensure!(recording.syncs() == 0, "with synchronous=OFF there are {} syncs", recording.syncs());
    Ok(recording)
}

/// Lets clients edit notes at the same time, on a disk that remembers.
fn record(size: Size, synchronous: Synchronous, seed: u64) -> anyhow::Result<Recording> {
    let started = Instant::now();
    let directory = tempfile::tempdir()?;
    let disk = Disk::in_directory(directory.path(), synchronous)?;
    let mut random = Random::part(seed, 1);
    let plans = size.note_bytes.iter().map(|bytes| NotePlan::new(*bytes, size.clients, &mut random)).collect();
    let ledger = Arc::new(EditLedger::new(plans));
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut commits = 0;
    for life in 0..LIVES {
        let store = Arc::new(SqliteStore::open(disk.path())?);
        let interline = Interline::new(Arc::clone(&store) as _, Limits::default());
        let edits = size.edits * life / LIVES..size.edits * (life + 1) / LIVES;
        runtime.block_on(live(&interline, &disk, &ledger, edits, seed))?;
        commits += store.counters().commits;
    }
    drop(runtime);
    let ledger = Arc::into_inner(ledger).context("a client is still there")?;
    let recording = Recording { events: disk.retire(), ledger, commits };
    let edits = recording.ledger.edits().len();
    ensure!(edits == size.edits, "{edits} of {} edits were acknowledged", size.edits);
    println!(
        "power cut: {edits} edits in {commits} commits, {} events on the disk, {} of them syncs, {:.1} s",
        recording.events.len(),
        recording.syncs(),
        started.elapsed().as_secs_f64()
    );
    Ok(recording)
}

/// One life of a store: makes the notes if there are none, and shares the edits among the clients.
async fn live(
    interline: &Interline,
    disk: &Arc<Disk>,
    ledger: &Arc<EditLedger>,
    edits: std::ops::Range<usize>,
    seed: u64,
) -> anyhow::Result<()> {
    interline.first_start("soak").await?;
    let caller = interline.trusted(interline.owner().await?.id, Source::Rest).await?;
    for (note, plan) in ledger.plans.iter().enumerate() {
        if ledger.id(note).is_none() {
            let id = notes::make(interline, &caller, plan).await?;
            ledger.note_made(note, id, disk.now());
        }
    }
    let clients = ledger.plans.first().map_or(0, NotePlan::clients);
    let mut working = Vec::new();
    for client in 0..clients {
        let mine: Vec<usize> = edits.clone().filter(|edit| edit % clients == client).collect();
        let (interline, caller, disk, ledger) =
            (interline.clone(), caller.clone(), Arc::clone(disk), Arc::clone(ledger));
        working.push(tokio::spawn(async move {
            let mut random = Random::part(seed, 1_000 + (edits_begin(&mine) * clients + client) as u64);
            for edit in mine {
                let note = random.below(ledger.plans.len());
                edit_once(&interline, &caller, &disk, &ledger, (note, client, EditNumber::try_from(edit)?)).await?;
            }
            anyhow::Ok(())
        }));
    }
    for client in working {
        client.await??;
    }
    Ok(())
}

fn edits_begin(edits: &[usize]) -> usize {
    edits.first().copied().unwrap_or(0)
}

async fn edit_once(
    interline: &Interline,
    caller: &Caller,
    disk: &Disk,
    ledger: &EditLedger,
    (note, client, edit): (usize, usize, EditNumber),
) -> anyhow::Result<()> {
    let id = ledger.id(note).context("the note was not made")?;
    let asked = disk.now();
    let version = notes::edit(interline, caller, id, client, edit).await?;
    ledger.edited(AcknowledgedEdit { edit, note, client, version, asked, answered: disk.now() });
    Ok(())
}

/// An image to be judged.
struct Cut {
    image: Image,
    at: Moment,
    what: &'static str,
    depth: Depth,
}

/// Judges what is left of the run at `every` so many of its moments and between them.
fn survey(recording: &Recording, write_back: WriteBack, every: usize, seed: u64) -> anyhow::Result<Survey> {
    let started = Instant::now();
    let moments: Vec<Moment> = recording.moments().into_iter().step_by(every).collect();
    let found = Mutex::new(Survey::default());
    let judges = threads();
    let (send, receive) = sync_channel::<Cut>(2 * judges);
    let receive = Mutex::new(receive);
    std::thread::scope(|scope| {
        let working: Vec<_> =
            (0..judges).map(|_| scope.spawn(|| judge_all(&receive, &recording.ledger, &found))).collect();
        let mut platter = Platter::new(write_back, seed);
        cut_everywhere(&recording.events, &moments, &mut platter, seed, |cut| send.send(cut).is_ok());
        drop(send);
        for judge in working {
            judge.join().map_err(|_| anyhow::anyhow!("a judge panicked"))??;
        }
        let mut survey = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
        survey.moments = moments.len();
        survey.seconds = started.elapsed().as_secs_f64();
        Ok(survey)
    })
}

/// Cuts the power at each of the moments (what was not synced is lost; then by choice), just before it, and between it and
/// the one before, until nobody takes the images.
fn cut_everywhere<'a>(
    events: &'a [Event],
    moments: &[Moment],
    platter: &mut Platter<'a>,
    seed: u64,
    mut send: impl FnMut(Cut) -> bool,
) {
    let mut random = Random::part(seed, 2);
    let mut images = 0;
    let mut cut = |platter: &Platter<'_>, at, what, unsynced| {
        images += 1;
        let depth = if images % EVERYTHING_EVERY == 0 { Depth::Everything } else { Depth::Newest };
        send(Cut { image: platter.image(unsynced), at, what, depth })
    };
    let mut lived = 0;
    for &moment in moments {
        let between = lived + random.below(moment - lived);
        events[lived..between].iter().for_each(|event| platter.live(event));
        let goes_on = cut(platter, between, "between two", Unsynced::Chosen(random.next()));
        events[between..moment - 1].iter().for_each(|event| platter.live(event));
        let goes_on = goes_on && cut(platter, moment - 1, "just before one", Unsynced::Chosen(random.next()));
        platter.live(&events[moment - 1]);
        lived = moment;
        let goes_on = goes_on
            && cut(platter, moment, "at a sync or an answer", Unsynced::Lost)
            && cut(platter, moment, "at a sync or an answer", Unsynced::Chosen(random.next()));
        if !goes_on {
            return;
        }
    }
}

fn judge_all(cuts: &Mutex<Receiver<Cut>>, ledger: &EditLedger, found: &Mutex<Survey>) -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("image.db");
    let runtime = Builder::new_current_thread().enable_all().build()?;
    loop {
        // One of those who wait gets the next.
        let next = cuts.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(cut) = next else { return Ok(()) };
        let report = judge(&cut, &runtime, &path, ledger)?;
        found.lock().unwrap_or_else(PoisonError::into_inner).add(&cut, &report);
    }
}

fn check(cut: &Cut, runtime: &Runtime, path: &Path, ledger: &EditLedger) -> anyhow::Result<LossReport> {
    cut.image.put(path)?;
    Ok(ledger.check(runtime, path, cut.at, cut.depth))
}

impl Survey {
    fn add(&mut self, cut: &Cut, report: &LossReport) {
        self.images += 1;
        self.images_with_losses += usize::from(!report.lost.is_empty());
        self.damaged_images += usize::from(!report.damage.is_empty());
        self.losses += report.lost.len();
        if !report.is_good() && self.told.len() < TOLD {
            let (lost, first) = (report.lost.len(), &report.lost[..report.lost.len().min(TOLD)]);
            let damage = report.damage.join("; ");
            self.told.push(format!("cut {} (event {}): {lost} lost, first {first:?}; {damage}", cut.what, cut.at));
        }
    }

    fn print(&self) {
        println!(
            "  {} moments, {} images, {} with losses, {} damaged, {} acknowledged edits lost in all, {:.1} s",
            self.moments, self.images, self.images_with_losses, self.damaged_images, self.losses, self.seconds
        );
        self.told.iter().for_each(|finding| println!("  {finding}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Size = Size { edits: 24, clients: 4, note_bytes: &[2_000, 9_000] };

    #[test]
    fn nothing_is_lost_in_a_power_cut() {
        let recording = record(SMALL, Synchronous::AsAsked, 1).expect("a run");
        assert!(recording.syncs() as u64 > recording.commits);
        let found = survey(&recording, WriteBack::AtSyncs, 1, 1).expect("a survey");
        assert!(found.moments >= recording.syncs() && found.images == 4 * found.moments);
        assert_eq!((found.losses, found.damaged_images), (0, 0), "{:?}", found.told);
    }

    #[test]
    fn losses_are_found_with_synchronous_off() {
        let recording = record_unsynced(SMALL, 1).expect("a run");
        let found = survey(&recording, WriteBack::InTime { doubtful: DOUBTFUL }, 1, 1).expect("a survey");
        assert!(found.losses > 0);
    }
}
