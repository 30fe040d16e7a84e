//! Kills a server between commits and what follows from them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::super::Ground;
use super::super::client::Client;
use super::super::process::{Served, wait};
use super::audience::Audience;
use super::heard::Faults;
use super::ledger::Ledger;
use super::listener::{Manner, Order};
use super::receiver::{Answer, Receiver, Told};
use super::writers::WRITERS;
use crate::random::Random;

const NOTES: usize = 8;
/// How many webhooks are made, one after the other: a claim outlives the server that made it, so only one that is new is
/// at work when the next server is killed.
const WEBHOOKS: usize = 20;
const ARGUMENTS: &[&str] = &["--webhook-targets", "any"];
/// A server is killed after less than so many edits, and less than this time more.
const LIFE: usize = 30;
const REST_OF_LIFE: Duration = Duration::from_millis(3);
/// How long the webhook may be silent at the end: a claim of a dead server lasts for 30 seconds.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);

#[derive(Default)]
struct Figures {
    /// Edits without an answer that had happened.
    found: u64,
    /// Events that the listener had not heard of when the server was killed, and kills of which that is true.
    owed: u64,
    kills_that_owed: usize,
}

/// The command.
pub(in super::super) fn run(ground: &Ground, kills: Option<usize>) -> anyhow::Result<()> {
    let kills = kills.unwrap_or(ground.size(10, 200));
    let started = Instant::now();
    let place = ground.place()?;
    let mut served = ground.program.serve_with(&place, ARGUMENTS)?;
    let receiver = Receiver::start(&ground.runtime, Answer::Thanks)?;
    let ledger = Arc::new(Ledger::make(&mut served.client(), NOTES)?);
    let mut webhooks = Vec::new();
    let audience = Audience::gather(&ground.runtime, &ledger, &[Manner::Steady], ground.seed);
    audience.order(Order::Listen(served.address));
    audience.until_connected()?;
    let mut random = Random::part(ground.seed, 8);
    let mut figures = Figures::default();
    for kill in 0..kills {
        if kill % kills.div_ceil(WEBHOOKS) == 0 {
            webhooks.push(Webhook::create(&mut served.client(), &receiver, webhooks.len(), &ledger)?);
        }
        kill_at_work(&mut served, &ledger, &mut random)?;
        audience.order(Order::Leave);
        ground.runtime.block_on(place.come_to_rest())?;
        served = ground.program.serve_with(&place, ARGUMENTS)?;
        let found = ledger.settle(&mut served.client());
        figures.found += found.with_context(|| format!("after {kill} kills; its log: {}", place.log_tail()))?;
        let owed = audience.owed();
        figures.owed += owed;
        figures.kills_that_owed += usize::from(owed > 0);
        audience.order(Order::Listen(served.address));
    }
    let heard = audience.until_told();
    let killed = started.elapsed();
    let all = webhooks.iter().map(|webhook| webhook.versions(&ledger).count()).sum();
    let delivered = until_delivered(&receiver, all);
    let account = audience.end(&ground.runtime)?;
    let told = receiver.told().clone();
    println!(
        "event kills on {:?}: {kills} kills in {:.1} s, {} edits ({} of them without an answer); {} kills left {} events \
         to be told later; listener: {} events, {:?}; {} webhooks: {} requests for {} events, the last {:.1} s after \
         the last kill",
        ground.on,
        killed.as_secs_f64(),
        ledger.edits(),
        figures.found,
        figures.kills_that_owed,
        figures.owed,
        account.told,
        account.faults,
        webhooks.len(),
        told.requests,
        told.versions.len(),
        (started.elapsed() - killed).as_secs_f64()
    );
    heard?;
    ensure!(account.faults == Faults::default(), "{:?}", account.faults);
    delivered?;
    all_is_true(&told, &webhooks, &ledger)?;
    ensure!(figures.kills_that_owed * 10 >= kills, "too few kills came between a commit and its event");
    Ok(())
}

/// A webhook of the trial.
struct Webhook {
    path: String,
    /// The newest version of each note before it was made.
    after: Vec<u64>,
}

impl Webhook {
    /// Makes one while nobody edits.
    fn create(client: &mut Client, receiver: &Receiver, number: usize, ledger: &Ledger) -> anyhow::Result<Webhook> {
        let path = format!("/{number}");
        receiver.register(client, &path)?;
        Ok(Webhook { path, after: ledger.newest() })
    }

    /// What it must be told: notes and versions.
    fn versions(&self, ledger: &Ledger) -> impl Iterator<Item = (usize, u64)> {
        let newest = ledger.newest();
        let after = self.after.iter().zip(newest).enumerate();
        after.flat_map(|(note, (after, newest))| (after + 1..=newest).map(move |version| (note, version)))
    }
}

/// Lets writers edit as fast as they can, and kills the server at some moment.
fn kill_at_work(served: &mut Served, ledger: &Ledger, random: &mut Random) -> anyhow::Result<()> {
    let until = ledger.edits() + 1 + random.below(LIFE) as u64;
    let rest = REST_OF_LIFE.mul_f64(random.below(1_000) as f64 / 1_000.0);
    let (address, is_killed) = (served.address, AtomicBool::new(false));
    std::thread::scope(|scope| {
        let write = |writer: usize| -> anyhow::Result<()> {
            let mut client = Client::of(address);
            for note in (writer..ledger.len()).step_by(WRITERS).cycle() {
                match ledger.edit(&mut client, note) {
                    Ok(_) => {}
                    Err(_) if is_killed.load(Ordering::Acquire) => break,
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        };
        let writing: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(writer))).collect();
        while ledger.edits() < until && !writing.iter().any(std::thread::ScopedJoinHandle::is_finished) {
            std::thread::yield_now();
        }
        wait(rest);
        is_killed.store(true, Ordering::Release);
        served.kill()?;
        writing.into_iter().try_for_each(|writer| writer.join().map_err(|_| anyhow::anyhow!("a writer panicked"))?)
    })
}

/// Waits until webhooks were told of so many versions.
fn until_delivered(receiver: &Receiver, all: usize) -> anyhow::Result<()> {
    let (mut best, mut since) = (0, Instant::now());
    loop {
        let told = receiver.told().versions.len();
        if told >= all {
            return Ok(());
        }
        if told > best {
            (best, since) = (told, Instant::now());
        }
        ensure!(since.elapsed() < PATIENCE, "webhooks were told {told} times of {all}, and no more for a minute");
        wait(LOOK);
    }
}

/// Whether each webhook was told of each version since it was made, always with the same delivery, and of nothing else.
fn all_is_true(told: &Told, webhooks: &[Webhook], ledger: &Ledger) -> anyhow::Result<()> {
    let mut left: BTreeSet<(&str, usize, u64)> = BTreeSet::new();
    for webhook in webhooks {
        left.extend(webhook.versions(ledger).map(|(note, version)| (webhook.path.as_str(), note, version)));
    }
    for ((path, id, version), deliveries) in &told.versions {
        let note = ledger.find(id).with_context(|| format!("there is no note {id}"))?;
        ensure!(left.remove(&(path, note, *version)), "{path} was told of version {version} of {id}, which never was");
        ensure!(
            deliveries.iter().all(|delivery| *delivery == deliveries[0]),
            "{path} was told of version {version} of {id} in the deliveries {deliveries:?}"
        );
    }
    ensure!(left.is_empty(), "{} were never told, the first {:?}", left.len(), left.first());
    ensure!(told.strange == 0, "{} requests were no events", told.strange);
    Ok(())
}
