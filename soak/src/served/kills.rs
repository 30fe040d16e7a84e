//! Kills a server under edits of all sorts, again and again.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::Ground;
use super::crowd::{Crowd, Progress, Tally};
use super::diary::{Change, Diary, Mix, Notes, Outcome};
use super::place::Place;
use super::process::{Served, wait};
use super::verdict::{Rebuild, judge, shows};
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
pub(super) fn run(ground: &Ground, kills: Option<usize>) -> anyhow::Result<()> {
    let kills = kills.unwrap_or(ground.size(20, 1_000));
    let started = Instant::now();
    let place = ground.place()?;
    let mut random = Random::part(ground.seed, 1);
    let mut figures = Figures::default();
    while figures.kills < kills {
        season(ground, &place, kills, &mut random, &mut figures)
            .with_context(|| format!("after {} kills; the server's log: {}", figures.kills, place.log_tail()))?;
    }
    println!(
        "kills on {:?}: {} kills, {} of them while starting, {} changes acknowledged, {} without an answer ({} of them \
         had happened), 0 lost, 0 half, {} versions rebuilt, slowest start {} ms, {:.1} s",
        ground.on,
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
    ground: &Ground,
    place: &Place,
    kills: usize,
    random: &mut Random,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let mut served = start(ground, place, figures)?;
    let notes = Notes::make(&mut served.client(), NOTE_BYTES, CLIENTS, LINES_PER_CLIENT, random)?;
    let seed = random.next();
    let mut diaries: Vec<Diary> = (0..CLIENTS).map(|client| Diary::of(client, seed)).collect();
    let mut known = vec![0; notes.ids.len()];
    for _ in 0..SEASON.min(kills - figures.kills) {
        let tally = kill_at_work(&mut served, &notes, &mut diaries, random)?;
        figures.kills += 1;
        figures.acknowledged += tally.acknowledged.len();
        tally.only(&[])?;
        if random.chance(100) {
            let mut child = ground.program.spawn(place)?;
            wait(part_of(START, random));
            child.kill()?;
            child.wait()?;
            figures.kills += 1;
            figures.kills_at_start += 1;
        }
        ground.runtime.block_on(place.come_to_rest())?;

        served = start(ground, place, figures)?;
        place.check()?;
        let unanswered: Vec<(usize, usize)> = unanswered(&diaries);
        figures.unanswered += unanswered.len();
        let found = ground
            .runtime
            .block_on(async { judge(&*place.open().await?, &notes, &mut diaries, Rebuild::After(&known)).await })?;
        figures.found += unanswered.iter().filter(|(client, at)| diaries[*client].changes[*at].is_done()).count();
        figures.rebuilt += found.rebuilt;
        known = found.versions;
        serves_what_is_stored(&served, &notes, &diaries, &known, random)?;
    }
    // Once more from the first to the last: later changes must not spoil how older versions are rebuilt.
    let all = Rebuild::After(&vec![0; notes.ids.len()]);
    let found = ground.runtime.block_on(async { judge(&*place.open().await?, &notes, &mut diaries, all).await })?;
    figures.rebuilt += found.rebuilt;
    Ok(())
}

fn start(ground: &Ground, place: &Place, figures: &mut Figures) -> anyhow::Result<Served> {
    let started = Instant::now();
    let served = ground.program.serve(place)?;
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
    diaries: &mut [Diary],
    random: &mut Random,
) -> anyhow::Result<Tally> {
    let progress = Progress::default();
    let crowd = Crowd { notes, mix: Mix::Everything, changes: usize::MAX, refusals: 1, progress: &progress };
    let (life, rest) = (random.below(LIFE), part_of(REST_OF_LIFE, random));
    let started = Instant::now();
    let (tallies, ()) = crowd.all(diaries, &[served.address], || {
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

/// The changes without an answer: client and place in its diary.
fn unanswered(diaries: &[Diary]) -> Vec<(usize, usize)> {
    let is_open = |change: &Change| change.outcome == Outcome::Unanswered;
    let last = |diary: &Diary| diary.changes.iter().rposition(is_open).map(|at| (diary.client, at));
    diaries.iter().filter_map(last).collect()
}

/// Whether the new server shows the newest version of each note, and one of the old ones as the diaries tell it.
fn serves_what_is_stored(
    served: &Served,
    notes: &Notes,
    diaries: &[Diary],
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
        shows(notes, note, diaries, &seen, Some(old)).with_context(|| format!("version {old} over REST"))?;
    }
    Ok(())
}
