//! Cuts the power at every sync of a run of edits, and between them.

use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use interline_items::fields::Limits;
use interline_items::{Caller, Interline, Source};
use interline_storage::SqliteStore;
use tokio::runtime::{Builder, Runtime};

use crate::Form;
use crate::acknowledged::{Acknowledged, Depth, Ledger, Moment, Verdict};
use crate::notes::{self, EditNumber, NotePlan};
use crate::random::Random;
use crate::vfs::{Disk, Event, Image, Platter, Syncs, Unsynced};

/// How often the store is closed and opened again during a run: that has writes of its own.
const LIVES: usize = 3;
/// Every so many images all versions are rebuilt; the newest ones always.
const EVERYTHING_EVERY: usize = 25;
/// How many events of a file are in doubt on a disk that lies.
const DOUBTFUL: usize = 100;
/// On such a disk every so many syncs are looked at: that losses are found is the question, not how many.
const LYING_EVERY: usize = 5;
/// How many findings are told in words.
const TOLD: usize = 5;

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
    ledger: Ledger,
    commits: u64,
}

/// What was found over all images.
#[derive(Default)]
struct Survey {
    sync_points: usize,
    images: usize,
    images_with_losses: usize,
    damaged_images: usize,
    /// Acknowledged edits that were missing, counted in each image.
    losses: usize,
    told: Vec<String>,
}

/// The command.
pub(crate) fn run(form: Form, seed: u64) -> anyhow::Result<()> {
    let size = match form {
        Form::Short => SHORT,
        Form::Long => LONG,
    };
    let started = Instant::now();
    let recording = record(size, seed)?;
    let edits = recording.ledger.edits().len();
    ensure!(edits == size.edits, "{edits} of {} edits were acknowledged", size.edits);
    println!(
        "power cut: {edits} edits in {} commits, {} events on the disk, {:.1} s",
        recording.commits,
        recording.events.len(),
        started.elapsed().as_secs_f64()
    );

    let started = Instant::now();
    let honest = survey(&recording, Syncs::Kept, 1, seed)?;
    honest.print("syncs kept", started);
    let started = Instant::now();
    let lying = survey(&recording, Syncs::Ignored { doubtful: DOUBTFUL }, LYING_EVERY, seed)?;
    lying.print("syncs ignored", started);

    honest.told.iter().for_each(|finding| println!("  {finding}"));
    ensure!(honest.losses == 0 && honest.damaged_images == 0, "acknowledged edits are lost in a power cut");
    ensure!(lying.losses > 0, "without syncs nothing was lost: this command would not notice a loss");
    Ok(())
}

/// Lets clients edit notes at the same time, on a disk that remembers.
fn record(size: Size, seed: u64) -> anyhow::Result<Recording> {
    let directory = tempfile::tempdir()?;
    let disk = Disk::under(&directory.path().canonicalize()?.join("interline.db"))?;
    let mut random = Random::part(seed, 1);
    let plans = size.note_bytes.iter().map(|bytes| NotePlan::new(*bytes, size.clients, &mut random)).collect();
    let ledger = Arc::new(Ledger::new(plans));
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
    Ok(Recording { events: disk.retire(), ledger, commits })
}

/// One life of a store: makes the notes if there are none, and shares the edits among the clients.
async fn live(
    interline: &Interline,
    disk: &Arc<Disk>,
    ledger: &Arc<Ledger>,
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
    ledger: &Ledger,
    (note, client, edit): (usize, usize, EditNumber),
) -> anyhow::Result<()> {
    let id = ledger.id(note).context("the note was not made")?;
    let asked = disk.now();
    let version = notes::edit(interline, caller, id, client, edit).await?;
    ledger.edited(Acknowledged { edit, note, client, version, asked, answered: disk.now() });
    Ok(())
}

/// An image to be judged.
struct Cut {
    image: Image,
    at: Moment,
    what: &'static str,
    depth: Depth,
}

/// Judges what is left of the run at `every` so many syncs and between them.
fn survey(recording: &Recording, syncs: Syncs, every: usize, seed: u64) -> anyhow::Result<Survey> {
    let found = Mutex::new(Survey::default());
    let judges = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let (send, receive) = sync_channel::<Cut>(2 * judges);
    let receive = Mutex::new(receive);
    std::thread::scope(|scope| {
        let working: Vec<_> =
            (0..judges).map(|_| scope.spawn(|| judge_all(&receive, &recording.ledger, &found))).collect();
        let sync_points = cut_everywhere(&recording.events, syncs, every, seed, |cut| send.send(cut).is_ok());
        drop(send);
        for judge in working {
            judge.join().map_err(|_| anyhow::anyhow!("a judge panicked"))??;
        }
        let mut survey = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
        survey.sync_points = sync_points;
        Ok(survey)
    })
}

/// Cuts the power after each sync (what was not synced is lost; then by choice), before it, and at a moment between it and
/// the one before. How many syncs were looked at.
fn cut_everywhere(events: &[Event], syncs: Syncs, every: usize, seed: u64, mut send: impl FnMut(Cut) -> bool) -> usize {
    let mut platter = Platter::new(syncs, seed);
    let mut random = Random::part(seed, 2);
    let mut images = 0;
    let mut cut = |platter: &Platter<'_>, at, what, unsynced| {
        images += 1;
        let depth = if images % EVERYTHING_EVERY == 0 { Depth::Everything } else { Depth::Newest };
        send(Cut { image: platter.image(unsynced), at, what, depth })
    };
    let is_sync = |event: &Event| matches!(event, Event::Synced(_) | Event::SyncFailed(_));
    let points: Vec<Moment> = (0..events.len()).filter(|at| is_sync(&events[*at])).step_by(every).collect();
    let mut lived = 0;
    for (number, point) in points.iter().enumerate() {
        let between = lived + random.below(point - lived + 1);
        events[lived..between].iter().for_each(|event| platter.live(event));
        let goes_on = cut(&platter, between, "between syncs", Unsynced::Chosen(random.next()));
        events[between..*point].iter().for_each(|event| platter.live(event));
        let goes_on = goes_on && cut(&platter, *point, "before a sync", Unsynced::Chosen(random.next()));
        platter.live(&events[*point]);
        lived = point + 1;
        let goes_on = goes_on
            && cut(&platter, lived, "after a sync", Unsynced::Lost)
            && cut(&platter, lived, "after a sync", Unsynced::Chosen(random.next()));
        if !goes_on {
            return number;
        }
    }
    points.len()
}

fn judge_all(cuts: &Mutex<Receiver<Cut>>, ledger: &Ledger, found: &Mutex<Survey>) -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().canonicalize()?.join("interline.db");
    let runtime = Builder::new_current_thread().enable_all().build()?;
    loop {
        // One of those who wait gets the next.
        let next = cuts.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(cut) = next else { return Ok(()) };
        let verdict = judge(&cut, &runtime, &path, ledger)?;
        found.lock().unwrap_or_else(PoisonError::into_inner).add(&cut, &verdict);
    }
}

fn judge(cut: &Cut, runtime: &Runtime, path: &Path, ledger: &Ledger) -> anyhow::Result<Verdict> {
    cut.image.put(path)?;
    Ok(ledger.judge(runtime, path, cut.at, cut.depth))
}

impl Survey {
    fn add(&mut self, cut: &Cut, verdict: &Verdict) {
        self.images += 1;
        self.images_with_losses += usize::from(!verdict.lost.is_empty());
        self.damaged_images += usize::from(!verdict.damage.is_empty());
        self.losses += verdict.lost.len();
        if !verdict.is_good() && self.told.len() < TOLD {
            let lost = verdict.lost.len();
            self.told.push(format!("cut {} at event {}: {lost} lost; {}", cut.what, cut.at, verdict.damage.join("; ")));
        }
    }

    fn print(&self, title: &str, started: Instant) {
        println!(
            "  {title}: {} sync points, {} images, {} with losses, {} damaged, {} acknowledged edits lost in all, {:.1} s",
            self.sync_points,
            self.images,
            self.images_with_losses,
            self.damaged_images,
            self.losses,
            started.elapsed().as_secs_f64()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Size = Size { edits: 24, clients: 4, note_bytes: &[2_000, 9_000] };

    #[test]
    fn nothing_is_lost_with_syncs_and_losses_are_found_without() {
        let recording = record(SMALL, 1).expect("a run");
        let honest = survey(&recording, Syncs::Kept, 1, 1).expect("a survey");
        assert!(honest.sync_points > 5 && honest.images >= 3 * honest.sync_points);
        assert_eq!((honest.losses, honest.damaged_images), (0, 0), "{:?}", honest.told);
        let lying = survey(&recording, Syncs::Ignored { doubtful: DOUBTFUL }, 1, 1).expect("a survey");
        assert!(lying.losses > 0);
    }
}
