//! Trial `undo-kills`: kills a server while it takes a change set of 50 items back: all of them are taken back, or none.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::TrialSetup;
use super::client::Client;
use super::process::{Served, wait};
use crate::random::Random;

const ITEMS: usize = 50;
const BEFORE: &str = "one\ntwo\nthree\n";
const AFTER: &str = "one\n2\nthree\n";
/// The server is killed after less than this time more or less than the last undo took.
const AROUND: Duration = Duration::from_millis(30);

#[derive(Default)]
struct UndoKillStats {
    kills: usize,
    answered: usize,
    undone_unanswered: usize,
    left: usize,
}

/// The command.
pub(super) fn run(setup: &TrialSetup, kills: Option<usize>) -> anyhow::Result<()> {
    let kills = kills.unwrap_or(setup.size(6, 200));
    let started = Instant::now();
    let data = setup.data_directory()?;
    let mut random = Random::part(setup.seed, 1);
    let mut figures = UndoKillStats::default();
    let mut served = setup.program.serve(&data)?;
    let ids = make_items(&mut served.client())?;
    let mut undo_takes = AROUND;
    while figures.kills < kills {
        let set = change_all(&mut served.client(), &ids, &mut random)?;
        let life = moment(undo_takes, &mut random);
        let answer = undo_and_kill(&mut served, &set, life)?;
        figures.kills += 1;
        setup.runtime.block_on(data.wait_until_idle())?;
        served = setup.program.serve(&data)?;
        data.check()?;
        let undone = undone_items(&mut served.client(), &ids)?;
        ensure!(undone == 0 || undone == ITEMS, "{undone} of {ITEMS} items were taken back: {}", data.log_tail());
        match (answer, undone) {
            (true, 0) => anyhow::bail!("an undo that was answered is lost"),
            (true, _) => figures.answered += 1,
            (false, 0) => figures.left += 1,
            (false, _) => figures.undone_unanswered += 1,
        }
        // An undo that is asked for again goes on, or changes nothing; it also tells how long one takes.
        let begun = Instant::now();
        let again = served.client().send("POST", &format!("/changes/{set}/undo"), &json!({}))?;
        undo_takes = if undone == 0 { begun.elapsed() } else { undo_takes };
        ensure!(again.status == 200, "the undo is refused: {again:?}");
        ensure!(undone_items(&mut served.client(), &ids)? == ITEMS, "the undo did not go on");
    }
    println!(
        "undo-kills on {:?}: {} kills; the undo of {ITEMS} items was answered {} times, done without an answer {} times, not \
         done {} times, never half; {:.1} s",
        setup.on,
        figures.kills,
        figures.answered,
        figures.undone_unanswered,
        figures.left,
        started.elapsed().as_secs_f64()
    );
    ensure!(kills < 20 || figures.left > 0, "the server was never killed before the undo was done");
    Ok(())
}

fn make_items(client: &mut Client) -> anyhow::Result<Vec<String>> {
    let mut ids = Vec::new();
    for number in 0..ITEMS {
        let body = json!({"title": format!("Note {number}"), "content": BEFORE});
        let made = client.send("POST", "/notes?include_content=false", &body)?;
        ids.push(made.body["id"].as_str().context("an id")?.to_owned());
    }
    Ok(ids)
}

/// Changes every item in one change set.
fn change_all(client: &mut Client, ids: &[String], random: &mut Random) -> anyhow::Result<String> {
    let set = format!("{:08x}-0000-4000-8000-{:012x}", random.next() >> 32, random.next() >> 16);
    for id in ids {
        let body = json!({"content": AFTER, "change_set": set, "reason": "a trial"});
        let answer = client.send("PATCH", &format!("/notes/{id}?include_content=false"), &body)?;
        ensure!(answer.status == 200, "a change is refused: {answer:?}");
    }
    Ok(set)
}

/// Some time before or after the moment at which the undo should be done.
fn moment(undo_takes: Duration, random: &mut Random) -> Duration {
    let longest = undo_takes + AROUND;
    longest * u32::try_from(random.below(1_000)).unwrap_or(0) / 1_000
}

/// Asks for the undo, and kills the server after some time; whether the undo was answered.
fn undo_and_kill(served: &mut Served, set: &str, life: Duration) -> anyhow::Result<bool> {
    let mut client = served.client();
    let path = format!("/changes/{set}/undo");
    let asking =
        std::thread::spawn(move || client.send("POST", &path, &Value::Null).is_ok_and(|answer| answer.status == 200));
    wait(life);
    served.kill()?;
    asking.join().map_err(|_| anyhow::anyhow!("the client panicked"))
}

fn undone_items(client: &mut Client, ids: &[String]) -> anyhow::Result<usize> {
    let mut undone = 0;
    for id in ids {
        let read = client.send("GET", &format!("/notes/{id}"), &Value::Null)?;
        match read.body["content"].as_str() {
            Some(BEFORE) => undone += 1,
            Some(AFTER) => {}
            other => anyhow::bail!("a text that nobody wrote: {other:?}"),
        }
    }
    Ok(undone)
}
