//! Trial `one-document`: 64 clients edit one note of 1 MB.

use std::sync::Barrier;
use std::time::Instant;

use anyhow::ensure;
use serde_json::json;

use super::TrialSetup;
use super::client::Client;
use super::client_load::{ClientLoad, Progress, Tally};
use super::client_log::{ClientLog, Mix, Notes};
use super::consistency_check::{Rebuild, check_store};
use super::data_directory::Storage;
use super::process::Served;
use crate::random::Random;

const CLIENTS: usize = 64;
const LINES_PER_CLIENT: usize = 16;
const BYTES: usize = 1_000_000;
/// How many old versions are rebuilt: each is a whole document.
const REBUILT: usize = 40;

/// The command.
pub(super) fn run(setup: &TrialSetup) -> anyhow::Result<()> {
    let data = setup.data_directory()?;
    let served = setup.program.serve(&data)?;
    let edits = match setup.on {
        Storage::Sqlite => setup.size(50, 1_000),
        Storage::Postgres => setup.size(20, 100),
    };
    different_passages(setup, &served, &data, edits)?;
    the_same_passage(&served, setup.size(5, 20))
}

/// All edits succeed at the first try, and each is there once.
fn different_passages(
    setup: &TrialSetup,
    served: &Served,
    data: &super::DataDirectory,
    edits: usize,
) -> anyhow::Result<()> {
    let mut random = Random::part(setup.seed, 2);
    let notes = Notes::make(&mut served.client(), &[BYTES], CLIENTS, LINES_PER_CLIENT, &mut random)?;
    let mut logs: Vec<ClientLog> = (0..CLIENTS).map(|client| ClientLog::new(client, setup.seed)).collect();
    let progress = Progress::default();
    let crowd =
        ClientLoad { notes: &notes, mix: Mix::StrReplace, changes: edits, refusals: usize::MAX, progress: &progress };
    let started = Instant::now();
    let (tallies, ()) = crowd.all(&mut logs, &[served.address], || Ok(()))?;
    let seconds = started.elapsed().as_secs_f64();
    let tally = Tally::sum(tallies);
    let (asked, acknowledged) = (CLIENTS * edits, tally.acknowledged.len());
    let rebuild = Rebuild::Some(REBUILT, Random::part(setup.seed, 3));
    let found =
        setup.runtime.block_on(async { check_store(&*data.open().await?, &notes, &mut logs, rebuild).await })?;
    println!(
        "one document on {:?}: {CLIENTS} clients, {acknowledged} of {asked} edits acknowledged at the first try, each \
         there once, {} versions rebuilt; {:.0} edits/s, p50 {} ms, p99 {} ms; refused: {:?}",
        setup.on,
        found.rebuilt,
        acknowledged as f64 / seconds,
        tally.latency(500).as_millis(),
        tally.latency(990).as_millis(),
        tally.refused
    );
    ensure!(tally.cut_off == 0, "{} connections broke", tally.cut_off);
    ensure!(acknowledged * 1_000 >= asked * 999, "too many refused; the last: {:?}", tally.last_refusal);
    Ok(())
}

/// One of all who replace the same passage succeeds; the others are told that it is not there.
fn the_same_passage(served: &Served, rounds: usize) -> anyhow::Result<()> {
    let mut client = served.client();
    let note = client.send("POST", "/notes", &json!({"title": "one", "content": "alpha\n\nomega\n"}))?;
    let path = format!("/notes/{}/str-replace", note.body["id"].as_str().unwrap_or_default());
    for round in 0..rounds {
        let restored = json!({"old_str": "\n\n", "new_str": "\nthe only one\n"});
        let restored = client.send("PATCH", &path, &restored)?;
        ensure!(restored.status == 200, "{restored:?}");
        let all_ready = Barrier::new(CLIENTS);
        let answers = std::thread::scope(|scope| {
            let replacing: Vec<_> = (0..CLIENTS)
                .map(|_| {
                    scope.spawn(|| {
                        let mut client = Client::new(served.address);
                        client.send("GET", "/health", &serde_json::Value::Null)?;
                        all_ready.wait();
                        client.send("PATCH", &path, &json!({"old_str": "the only one\n", "new_str": "\n"}))
                    })
                })
                .collect();
            let answers = replacing.into_iter().map(|client| client.join().map_err(|_| anyhow::anyhow!("a panic")));
            answers.map(|answer| anyhow::Ok(answer??.name())).collect::<anyhow::Result<Vec<String>>>()
        })?;
        let of = |name: &str| answers.iter().filter(|answer| *answer == name).count();
        ensure!(of("200") == 1 && of("400 no_match") == CLIENTS - 1, "round {round}: {answers:?}");
    }
    println!("the same passage: {rounds} rounds, in each 1 success and {} times no_match", CLIENTS - 1);
    Ok(())
}
