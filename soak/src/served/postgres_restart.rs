//! Trial `postgres-restart`: restarts PostgreSQL under load.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::TrialSetup;
use super::client_load::{ClientLoad, Progress, Tally};
use super::client_log::{ClientLog, Mix, Notes};
use super::cluster::{Cluster, Stop};
use super::consistency_check::{Rebuild, check_store};
use super::data_directory::{DataDirectory, Storage};
use super::process::wait;
use crate::random::Random;

const CLIENTS: usize = 8;
const LINES_PER_CLIENT: usize = 8;
const NOTE_BYTES: &[usize] = &[2_000, 2_000, 4_000, 20_000];
/// How long clients work before a restart, at the longest, and after the last.
const WORK: Duration = Duration::from_millis(1_500);
/// How long PostgreSQL is down, at the longest.
const DOWN: Duration = Duration::from_millis(1_000);
/// How soon every client is served after it is back.
const BACK: Duration = Duration::from_secs(2);

/// The command.
pub(super) fn run(setup: &TrialSetup) -> anyhow::Result<()> {
    let cluster = Cluster::start()?;
    let data = DataDirectory::new(Storage::Postgres, Some(&cluster.url()), &setup.runtime)?;
    let mut served = setup.program.serve(&data)?;
    let mut random = Random::part(setup.seed, 6);
    let notes = Notes::make(&mut served.client(), NOTE_BYTES, CLIENTS, LINES_PER_CLIENT, &mut random)?;
    let mut logs: Vec<ClientLog> = (0..CLIENTS).map(|client| ClientLog::new(client, setup.seed)).collect();
    let progress = Progress::default();
    let crowd = ClientLoad {
        notes: &notes,
        mix: Mix::Everything,
        changes: usize::MAX,
        refusals: usize::MAX,
        progress: &progress,
    };
    let restarts = setup.size(2, 30);
    let (tallies, back) = crowd.all(&mut logs, &[served.address], || {
        let mut back: Vec<Instant> = Vec::new();
        for restart in 0..restarts {
            let part = |time: Duration, random: &mut Random| time.mul_f64(random.below(1_000) as f64 / 1_000.0);
            // The last recovery is over before the next restart: each is measured alone.
            wait(BACK + part(WORK, &mut random));
            let how = if restart % 2 == 0 { Stop::Fast } else { Stop::Immediate };
            back.push(cluster.restart(how, part(DOWN, &mut random))?);
        }
        wait(BACK + WORK);
        progress.stop();
        Ok(back)
    })?;
    let alive = served.is_alive()?;
    let waits = back.iter().map(|back| longest_wait(&tallies, *back)).collect::<anyhow::Result<Vec<_>>>();
    let tally = Tally::sum(tallies);
    let judged = setup.runtime.block_on(async {
        let store = data.open().await?;
        check_store(&*store, &notes, &mut logs, Rebuild::Some(50, Random::part(setup.seed, 7))).await
    });
    let longest = waits.as_ref().ok().and_then(|waits| waits.iter().max()).copied().unwrap_or_default();
    println!(
        "postgres restart: {restarts} restarts, {} changes acknowledged, every client served again after {} ms at the \
         latest; slowest answer {} ms; refused: {:?}; {} connections broke",
        tally.acknowledged.len(),
        longest.as_millis(),
        tally.latency(1_000).as_millis(),
        tally.refused,
        tally.cut_off
    );
    let found = judged.with_context(|| format!("the server's log: {}", data.log_tail()))?;
    println!("  0 lost, none of those that were refused is there, {} versions rebuilt", found.rebuilt);
    ensure!(alive, "the server ended: {}", data.log_tail());
    tally.only(&["503 unavailable"])?;
    ensure!(tally.cut_off == 0, "{} connections broke", tally.cut_off);
    waits?;
    ensure!(longest <= BACK, "a client was not served for {longest:?} after PostgreSQL was back");
    Ok(())
}

/// How long after a moment the last of the clients got its next acknowledgement.
fn longest_wait(tallies: &[Tally], since: Instant) -> anyhow::Result<Duration> {
    let mut longest = Duration::ZERO;
    for (client, tally) in tallies.iter().enumerate() {
        let next = tally.acknowledged.iter().map(|(at, _)| *at).find(|at| *at >= since);
        let next = next.with_context(|| format!("client {client} was not served again"))?;
        longest = longest.max(next - since);
    }
    Ok(longest)
}
