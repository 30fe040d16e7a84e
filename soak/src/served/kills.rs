//! Trial `kills`: kills a server under edits of all sorts, again and again.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::TrialSetup;
use super::client_load::{ClientLoad, Progress, Tally};
use super::client_log::{ChangeOutcome, ClientChange, ClientLog, Mix, Notes};
use super::consistency_check::{Rebuild, check_store, shows};
use super::data_directory::DataDirectory;
use super::process::{Served, wait};
use crate::random::Random;

const CLIENTS: usize = 8;
const LINES_PER_CLIENT: usize = 4;
const NOTE_BYTES: &[usize] = &[2_000, 4_000, 4_000, 20_000, 100_000];
/// After so many kills new notes are made: old ones would only grow.
const SEASON: usize = 20;
/// A server is killed after less than so many acknowledgements,
const LIFE: usize = 60;
/// or after this time at the latest, and after less than this time more.
const LONGEST_LIFE: Duration = Duration::from_secs(5);
const REST_OF_LIFE: Duration = Duration::from_millis(20);
/// The longest that it lives where it is killed while it starts.
const START: Duration = Duration::from_millis(40);

#[derive(Default)]
struct Figures {
    kills: usize,
    kills_at_start: usize,
    acknowledged: usize,
    unanswered: usize,
    found: usize,
    rebuilt: usize,
    slowest_start: Duration,
}

/// The command.
pub(super) fn run(setup: &TrialSetup, kills: Option<usize>) -> anyhow::Result<()> {
    let kills = kills.unwrap_or(setup.size(20, 1_000));
    let started = Instant::now();
    let data = setup.data_directory()?;
    let mut random = Random::part(setup.seed, 1);
    let mut figures = Figures::default();
    while figures.kills < kills {
        season(setup, &data, kills, &mut random, &mut figures)
            .with_context(|| format!("after {} kills; the server's log: {}", figures.kills, data.log_tail()))?;
    }
    println!(
        "kills on {:?}: {} kills, {} of them while starting, {} changes acknowledged, {} without an answer ({} of them \
         had happened), 0 lost, 0 half, {} versions rebuilt, slowest start {} ms, {:.1} s",
        setup.on,
        figures.kills,
        figures.kills_at_start,
        figures.acknowledged,
        figures.unanswered,
        figures.found,
        figures.rebuilt,
        figures.slowest_start.as_millis(),
        started.elapsed().as_secs_f64()
    );
    ensure!(figures.acknowledged > 5 * kills, "too few changes to show anything");
    ensure!(figures.unanswered > kills / 2, "the server was never killed at work");
    Ok(())
}

/// Kills servers while the same notes are edited.
fn season(
    setup: &TrialSetup,
    data: &DataDirectory,
    kills: usize,
    random: &mut Random,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let mut served = start(setup, data, figures)?;
    let notes = Notes::make(&mut served.client(), NOTE_BYTES, CLIENTS, LINES_PER_CLIENT, random)?;
    let seed = random.next();
    let mut logs: Vec<ClientLog> = (0..CLIENTS).map(|client| ClientLog::new(client, seed)).collect();
    let mut known = vec![0; notes.ids.len()];
    for _ in 0..SEASON.min(kills - figures.kills) {
        let tally = kill_at_work(&mut served, &notes, &mut logs, random)?;
        figures.kills += 1;
        figures.acknowledged += tally.acknowledged.len();
        tally.only(&[])?;
        if random.chance(100) {
            let mut child = setup.program.spawn(data)?;
            wait(part_of(START, random));
            child.kill()?;
            child.wait()?;
            figures.kills += 1;
            figures.kills_at_start += 1;
        }
        setup.runtime.block_on(data.wait_until_idle())?;

        served = start(setup, data, figures)?;
        data.check()?;
        let unanswered: Vec<(usize, usize)> = unanswered(&logs);
        figures.unanswered += unanswered.len();
        let found = setup
            .runtime
            .block_on(async { check_store(&*data.open().await?, &notes, &mut logs, Rebuild::After(&known)).await })?;
        figures.found += unanswered.iter().filter(|(client, at)| logs[*client].changes[*at].is_done()).count();
        figures.rebuilt += found.rebuilt;
        known = found.versions;
        serves_what_is_stored(&served, &notes, &logs, &known, random)?;
    }
    // Once more from the first to the last: later changes must not spoil how older versions are rebuilt.
    let all = Rebuild::After(&vec![0; notes.ids.len()]);
    let found = setup.runtime.block_on(async { check_store(&*data.open().await?, &notes, &mut logs, all).await })?;
    figures.rebuilt += found.rebuilt;
    Ok(())
}

fn start(setup: &TrialSetup, data: &DataDirectory, figures: &mut Figures) -> anyhow::Result<Served> {
    let started = Instant::now();
    let served = setup.program.serve(data)?;
    figures.slowest_start = figures.slowest_start.max(started.elapsed());
    Ok(served)
}

fn part_of(time: Duration, random: &mut Random) -> Duration {
    time * u32::try_from(random.below(1_000)).unwrap_or(0) / 1_000
}

/// Lets clients work and kills the server at some moment.
fn kill_at_work(
    served: &mut Served,
    notes: &Notes,
    logs: &mut [ClientLog],
    random: &mut Random,
) -> anyhow::Result<Tally> {
    let progress = Progress::default();
    let crowd = ClientLoad { notes, mix: Mix::Everything, changes: usize::MAX, refusals: 1, progress: &progress };
    let (life, rest) = (random.below(LIFE), part_of(REST_OF_LIFE, random));
    let started = Instant::now();
    let (tallies, ()) = crowd.all(logs, &[served.address], || {
        while progress.acknowledged() < life && started.elapsed() < LONGEST_LIFE {
            wait(Duration::from_millis(1));
        }
        wait(rest);
        served.kill()?;
        progress.stop();
        Ok(())
    })?;
    Ok(Tally::sum(tallies))
}

/// The changes without an answer: client and data in its log.
fn unanswered(logs: &[ClientLog]) -> Vec<(usize, usize)> {
    let is_open = |change: &Change| change.outcome == ChangeOutcome::Unanswered;
    let last = |log: &ClientLog| log.changes.iter().rposition(is_open).map(|at| (log.client, at));
    logs.iter().filter_map(last).collect()
}

/// Whether the new server shows the newest version of each note, and one of the old ones as the logs tell it.
fn serves_what_is_stored(
    served: &Served,
    notes: &Notes,
    logs: &[ClientLog],
    versions: &[u64],
    random: &mut Random,
) -> anyhow::Result<()> {
    let mut client = served.client();
    for (note, (id, version)) in notes.ids.iter().zip(versions).enumerate() {
        let newest = client.send("GET", &format!("/notes/{id}?include_content=false"), &Value::Null)?;
        ensure!(newest.version() == Some(*version), "the server shows {newest:?}, not version {version}");
        let old = 1 + random.below(usize::try_from(*version)?) as u64;
        let read = client.send("GET", &format!("/notes/{id}/history/{old}"), &Value::Null)?;
        let text = read.body["content"].as_str().with_context(|| format!("version {old} is {read:?}"))?;
        let seen = notes.plans[note].read(text).map_err(anyhow::Error::msg)?;
        shows(notes, note, logs, &seen, Some(old)).with_context(|| format!("version {old} over REST"))?;
    }
    Ok(())
}
