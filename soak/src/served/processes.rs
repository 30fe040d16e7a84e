//! Trial `processes`: runs three servers on one store.

use std::time::Duration;

use anyhow::ensure;
use serde_json::{Value, json};

use super::TrialSetup;
use super::client::Client;
use super::client_load::{ClientLoad, Progress, Tally};
use super::client_log::{ClientLog, Mix, Notes};
use super::consistency_check::{Rebuild, check_store};
use super::data_directory::Storage;
use super::process::{Served, wait};
use crate::random::Random;

const SERVERS: usize = 3;
const CLIENTS: usize = 24;
const LINES_PER_CLIENT: usize = 4;
/// Few enough that clients of different servers meet in one note, and enough that they also do not.
const NOTE_BYTES: &[usize] = &[2_000, 2_000, 4_000, 20_000];
const REBUILT: usize = 50;

/// The command.
pub(super) fn run(setup: &TrialSetup) -> anyhow::Result<()> {
    let data = setup.data_directory()?;
    let servers: Vec<Served> = (0..SERVERS).map(|_| setup.program.serve(&data)).collect::<anyhow::Result<_>>()?;
    let addresses: Vec<_> = servers.iter().map(|served| served.address).collect();
    let mut random = Random::part(setup.seed, 4);
    let notes = Notes::make(&mut servers[0].client(), NOTE_BYTES, CLIENTS, LINES_PER_CLIENT, &mut random)?;
    let mut logs: Vec<ClientLog> = (0..CLIENTS).map(|client| ClientLog::new(client, setup.seed)).collect();
    let progress = Progress::default();
    let crowd = ClientLoad {
        notes: &notes,
        mix: Mix::Everything,
        changes: usize::MAX,
        refusals: usize::MAX,
        progress: &progress,
    };
    let time = setup.size(Duration::from_secs(12), Duration::from_secs(60));
    let (tallies, ()) = crowd.all(&mut logs, &addresses, || {
        wait(time);
        progress.stop();
        Ok(())
    })?;
    let mut shares = [0; SERVERS];
    for (client, tally) in tallies.iter().enumerate() {
        shares[client % SERVERS] += tally.acknowledged.len();
    }
    let tally = Tally::sum(tallies);
    let rebuild = Rebuild::Some(REBUILT, Random::part(setup.seed, 5));
    let found =
        setup.runtime.block_on(async { check_store(&*data.open().await?, &notes, &mut logs, rebuild).await })?;
    data.check()?;
    let all: usize = shares.iter().sum();
    let fair = all / SERVERS;
    println!(
        "processes on {:?}: {SERVERS} servers, {CLIENTS} clients, {all} changes acknowledged in {} s, by server \
         {shares:?}, 0 lost, {} versions rebuilt; p50 {} ms, p99 {} ms; refused: {:?}",
        setup.on,
        time.as_secs(),
        found.rebuilt,
        tally.latency(500).as_millis(),
        tally.latency(990).as_millis(),
        tally.refused
    );
    tally.only(&[])?;
    ensure!(tally.cut_off == 0, "{} connections broke", tally.cut_off);
    if setup.on == Storage::Sqlite {
        let within = |share: usize| share.abs_diff(fair) * 5 <= fair;
        ensure!(shares.iter().all(|share| within(*share)), "a server got more than 20 % off its share of {fair}");
    }
    what_one_writes_the_others_read(&servers, setup.size(60, 600))
}

/// After an answer of one server, every server shows the change.
fn what_one_writes_the_others_read(servers: &[Served], rounds: usize) -> anyhow::Result<()> {
    let mut clients: Vec<Client> = servers.iter().map(Served::client).collect();
    let made = clients[0].send("POST", "/notes", &json!({"title": "read", "content": "round 0\n"}))?;
    let path = format!("/notes/{}", made.body["id"].as_str().unwrap_or_default());
    for round in 0..rounds {
        let edit = json!({"old_str": format!("round {round}\n"), "new_str": format!("round {}\n", round + 1)});
        let written = clients[round % SERVERS].send("PATCH", &format!("{path}/str-replace"), &edit)?;
        ensure!(written.status == 200, "round {round}: {written:?}");
        for (server, client) in clients.iter_mut().enumerate() {
            let read = client.send("GET", &path, &Value::Null)?;
            let expected = format!("round {}\n", round + 1);
            ensure!(
                read.body["content"].as_str() == Some(&expected) && read.version() == written.version(),
                "server {server} does not show round {round}: {read:?}"
            );
        }
    }
    println!("what one writes the others read: {rounds} rounds");
    Ok(())
}
