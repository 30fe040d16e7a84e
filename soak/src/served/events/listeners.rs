//! Trial `listeners`: many listeners, some of them slow or restless, and what they cost writers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::ensure;

use super::super::TrialSetup;
use super::super::process::{Served, wait};
use super::limits::Limits;
use super::listener::{Order, ReadBehaviour};
use super::listener_pool::ListenerPool;
use super::received_events::EventFaults;
use super::times::Times;
use super::versioned_notes::VersionedNotes;
use super::writers;

const NOTES: usize = 20;
const EDITS_PER_SECOND: u32 = 50;
const WARM_UP: Duration = Duration::from_secs(1);
/// Between two looks at the server's memory.
const LOOK: Duration = Duration::from_millis(500);
const MEGABYTE: f64 = 1e6;

/// How much of it there is.
struct Size {
    listeners: usize,
    rounds: u32,
    /// The part of a round with listeners,
    with: Duration,
    /// and the one without.
    without: Duration,
}

/// The command.
pub(in super::super) fn run(setup: &TrialSetup, listeners: Option<usize>, rounds: Option<u32>) -> anyhow::Result<()> {
    let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
    let size = Size {
        listeners: listeners.unwrap_or(setup.size(100, 1_000)),
        rounds: rounds.unwrap_or(setup.size(2, 10)),
        with: setup.size(5 * second, minute),
        without: setup.size(3 * second, minute / 3),
    };
    // Those who are not listened to write to a server of their own: nobody has anything to catch up with afterwards.
    let (data, other_place) = (setup.data_directory()?, setup.data_directory()?);
    let (served, other) = (setup.program.serve(&data)?, setup.program.serve(&other_place)?);
    let notes = Arc::new(VersionedNotes::make(&mut served.client(), NOTES)?);
    let other_ledger = VersionedNotes::make(&mut other.client(), NOTES)?;
    let (with, without) = (Times::default(), Times::default());
    writers::edit(&notes, served.address, EDITS_PER_SECOND, WARM_UP, &Times::default())?;
    writers::edit(&other_ledger, other.address, EDITS_PER_SECOND, WARM_UP, &Times::default())?;

    let before = notes.edits();
    let pool = ListenerPool::start(&setup.runtime, &notes, &behaviours(size.listeners), setup.seed);
    let (done, memory) = most_memory(&served, || {
        for _ in 0..size.rounds {
            pool.order(Order::Listen(served.address));
            pool.until_connected()?;
            writers::edit(&notes, served.address, EDITS_PER_SECOND, size.with, &with)?;
            pool.until_prompt_ones_are_done()?;
            pool.order(Order::Leave);
            writers::edit(&other_ledger, other.address, EDITS_PER_SECOND, size.without, &without)?;
        }
        pool.order(Order::CatchUp(served.address));
        pool.until_all_are_done()
    });
    let delays = Arc::clone(&pool.delays);
    let report = pool.end(&setup.runtime)?;
    println!(
        "listeners on {:?}: {} listeners, {} edits in {} s, {} events told; {:?}; connections: {:?}",
        setup.on,
        size.listeners,
        notes.edits() - before,
        (size.with * size.rounds).as_secs(),
        report.received,
        report.faults,
        report.ends
    );
    println!(
        "  told after p50 {:.1} ms, p99.9 {:.1} ms; edits p50 {:.2} ms with, {:.2} ms without, p99 {:.2} and {:.2}",
        delays.millis(500),
        delays.millis(999),
        with.millis(500),
        without.millis(500),
        with.millis(990),
        without.millis(990)
    );
    let mut limits = Limits::new(setup.form);
    limits.at_most(250.0, delays.millis(990), "told after, p99, ms");
    limits.at_most(1.25, with.millis(500) / without.millis(500), "p50 of edits with listeners and without, ratio");
    limits.at_most(150.0, memory as f64 * 1024.0 / MEGABYTE, "the server's anonymous memory, MB");
    done?;
    ensure!(report.faults == EventFaults::default(), "{:?}", report.faults);
    ensure!(report.ends.left > 0, "nobody came back: nothing is shown");
    limits.hold()
}

/// Of a hundred, 85 are steady, five restless, seven slow, and three asleep.
fn behaviours(listeners: usize) -> Vec<ReadBehaviour> {
    let behaviour = |number: usize| match number % 100 {
        0..5 => ReadBehaviour::Restless,
        5..12 => ReadBehaviour::Slow,
        12..15 => ReadBehaviour::Asleep,
        _ => ReadBehaviour::Steady,
    };
    (0..listeners).map(behaviour).collect()
}

/// What came of something, and the most memory that the server had meanwhile, in KiB.
fn most_memory<T>(served: &Served, meanwhile: impl FnOnce() -> T) -> (T, u64) {
    let (is_over, most) = (AtomicBool::new(false), AtomicU64::new(0));
    let outcome = std::thread::scope(|scope| {
        let looking = scope.spawn(|| {
            while !is_over.load(Ordering::Acquire) {
                most.fetch_max(served.anonymous_memory().unwrap_or(u64::MAX), Ordering::Relaxed);
                wait(LOOK);
            }
        });
        let outcome = meanwhile();
        is_over.store(true, Ordering::Release);
        // It has nothing to give back.
        let _ = looking.join();
        outcome
    });
    (outcome, most.into_inner())
}
