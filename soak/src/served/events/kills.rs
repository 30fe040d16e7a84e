//! Trial `event-kills`: kills a server between commits and the delivery of their events.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::super::TrialSetup;
use super::super::client::Client;
use super::super::process::{Served, wait};
use super::listener::{Order, ReadBehaviour};
use super::listener_pool::ListenerPool;
use super::received_events::EventFaults;
use super::versioned_notes::VersionedNotes;
use super::webhook_endpoint::{Answer, ReceivedDeliveries, WebhookEndpoint};
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
    missing: u64,
    kills_that_owed: usize,
}

/// The command.
pub(in super::super) fn run(setup: &TrialSetup, kills: Option<usize>) -> anyhow::Result<()> {
    let kills = kills.unwrap_or(setup.size(10, 200));
    let started = Instant::now();
    let data = setup.data_directory()?;
    let mut served = setup.program.serve_with(&data, ARGUMENTS)?;
    let endpoint = WebhookEndpoint::start(&setup.runtime, Answer::Thanks)?;
    let notes = Arc::new(VersionedNotes::make(&mut served.client(), NOTES)?);
    let mut webhooks = Vec::new();
    let pool = ListenerPool::start(&setup.runtime, &notes, &[ReadBehaviour::Steady], setup.seed);
    pool.order(Order::Listen(served.address));
    pool.until_connected()?;
    let mut random = Random::part(setup.seed, 8);
    let mut figures = Figures::default();
    for kill in 0..kills {
        if kill % kills.div_ceil(WEBHOOKS) == 0 {
            webhooks.push(Webhook::create(&mut served.client(), &endpoint, webhooks.len(), &notes)?);
        }
        kill_at_work(&mut served, &notes, &mut random)?;
        pool.order(Order::Leave);
        setup.runtime.block_on(data.wait_until_idle())?;
        served = setup.program.serve_with(&data, ARGUMENTS)?;
        let found = notes.settle(&mut served.client());
        figures.found += found.with_context(|| format!("after {kill} kills; its log: {}", data.log_tail()))?;
        let missing = pool.missing();
        figures.missing += missing;
        figures.kills_that_owed += usize::from(missing > 0);
        pool.order(Order::Listen(served.address));
    }
    let received = pool.until_all_are_done();
    let killed = started.elapsed();
    let all = webhooks.iter().map(|webhook| webhook.versions(&notes).count()).sum();
    let delivered = until_delivered(&endpoint, all);
    let report = pool.end(&setup.runtime)?;
    let received = endpoint.received().clone();
    println!(
        "event kills on {:?}: {kills} kills in {:.1} s, {} edits ({} of them without an answer); {} kills left {} events \
         to be told later; listener: {} events, {:?}; {} webhooks: {} requests for {} events, the last {:.1} s after \
         the last kill",
        setup.on,
        killed.as_secs_f64(),
        notes.edits(),
        figures.found,
        figures.kills_that_owed,
        figures.missing,
        report.received,
        report.faults,
        webhooks.len(),
        received.requests,
        received.versions.len(),
        (started.elapsed() - killed).as_secs_f64()
    );
    heard?;
    ensure!(report.faults == EventFaults::default(), "{:?}", report.faults);
    delivered?;
    all_is_true(&received, &webhooks, &notes)?;
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
    fn create(
        client: &mut Client,
        endpoint: &WebhookEndpoint,
        number: usize,
        notes: &VersionedNotes,
    ) -> anyhow::Result<Webhook> {
        let path = format!("/{number}");
        endpoint.register(client, &path)?;
        Ok(Webhook { path, after: notes.newest() })
    }

    /// What it must be received: notes and versions.
    fn versions(&self, notes: &VersionedNotes) -> impl Iterator<Item = (usize, u64)> {
        let newest = notes.newest();
        let after = self.after.iter().zip(newest).enumerate();
        after.flat_map(|(note, (after, newest))| (after + 1..=newest).map(move |version| (note, version)))
    }
}

/// Lets writers edit as fast as they can, and kills the server at some moment.
fn kill_at_work(served: &mut Served, notes: &VersionedNotes, random: &mut Random) -> anyhow::Result<()> {
    let until = notes.edits() + 1 + random.below(LIFE) as u64;
    let rest = REST_OF_LIFE.mul_f64(random.below(1_000) as f64 / 1_000.0);
    let (address, is_killed) = (served.address, AtomicBool::new(false));
    std::thread::scope(|scope| {
        let write = |writer: usize| -> anyhow::Result<()> {
            let mut client = Client::new(address);
            for note in (writer..notes.len()).step_by(WRITERS).cycle() {
                match notes.edit(&mut client, note) {
                    Ok(_) => {}
                    Err(_) if is_killed.load(Ordering::Acquire) => break,
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        };
        let writing: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(writer))).collect();
        while notes.edits() < until && !writing.iter().any(std::thread::ScopedJoinHandle::is_finished) {
            std::thread::yield_now();
        }
        wait(rest);
        is_killed.store(true, Ordering::Release);
        served.kill()?;
        writing.into_iter().try_for_each(|writer| writer.join().map_err(|_| anyhow::anyhow!("a writer panicked"))?)
    })
}

/// Waits until webhooks were received of so many versions.
fn until_delivered(endpoint: &WebhookEndpoint, all: usize) -> anyhow::Result<()> {
    let (mut best, mut since) = (0, Instant::now());
    loop {
        let received = endpoint.received().versions.len();
        if received >= all {
            return Ok(());
        }
        if received > best {
            (best, since) = (received, Instant::now());
        }
        ensure!(since.elapsed() < PATIENCE, "webhooks were told {told} times of {all}, and no more for a minute");
        wait(LOOK);
    }
}

/// Whether each webhook was received of each version since it was made, always with the same delivery, and of nothing else.
fn all_is_true(received: &ReceivedDeliveries, webhooks: &[Webhook], notes: &VersionedNotes) -> anyhow::Result<()> {
    let mut left: BTreeSet<(&str, usize, u64)> = BTreeSet::new();
    for webhook in webhooks {
        left.extend(webhook.versions(notes).map(|(note, version)| (webhook.path.as_str(), note, version)));
    }
    for ((path, id, version), deliveries) in &received.versions {
        let note = notes.find(id).with_context(|| format!("there is no note {id}"))?;
        ensure!(left.remove(&(path, note, *version)), "{path} was told of version {version} of {id}, which never was");
        ensure!(
            deliveries.iter().all(|delivery| *delivery == deliveries[0]),
            "{path} was told of version {version} of {id} in the deliveries {deliveries:?}"
        );
    }
    ensure!(left.is_empty(), "{} were never told, the first {:?}", left.len(), left.first());
    ensure!(received.strange == 0, "{} requests were no events", received.strange);
    Ok(())
}
