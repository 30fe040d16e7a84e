//! Many listeners, some of them difficult, and what they cost those who write.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::ensure;

use super::super::Ground;
use super::super::process::{Served, wait};
use super::audience::Audience;
use super::bars::Bars;
use super::heard::Faults;
use super::ledger::Ledger;
use super::listener::{Manner, Order};
use super::times::Times;
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
pub(in super::super) fn run(ground: &Ground, listeners: Option<usize>, rounds: Option<u32>) -> anyhow::Result<()> {
    let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
    let size = Size {
        listeners: listeners.unwrap_or(ground.size(100, 1_000)),
        rounds: rounds.unwrap_or(ground.size(2, 10)),
        with: ground.size(5 * second, minute),
        without: ground.size(3 * second, minute / 3),
    };
    // Those who are not listened to write to a server of their own: nobody has anything to catch up with afterwards.
    let (place, other_place) = (ground.place()?, ground.place()?);
    let (served, other) = (ground.program.serve(&place)?, ground.program.serve(&other_place)?);
    let ledger = Arc::new(Ledger::make(&mut served.client(), NOTES)?);
    let other_ledger = Ledger::make(&mut other.client(), NOTES)?;
    let (with, without) = (Times::default(), Times::default());
    writers::edit(&ledger, served.address, EDITS_PER_SECOND, WARM_UP, &Times::default())?;
    writers::edit(&other_ledger, other.address, EDITS_PER_SECOND, WARM_UP, &Times::default())?;

    let before = ledger.edits();
    let audience = Audience::gather(&ground.runtime, &ledger, &manners(size.listeners), ground.seed);
    let (told, memory) = most_memory(&served, || {
        for _ in 0..size.rounds {
            audience.order(Order::Listen(served.address));
            audience.until_connected()?;
            writers::edit(&ledger, served.address, EDITS_PER_SECOND, size.with, &with)?;
            audience.until_prompt_ones_are_told()?;
            audience.order(Order::Leave);
            writers::edit(&other_ledger, other.address, EDITS_PER_SECOND, size.without, &without)?;
        }
        audience.order(Order::CatchUp(served.address));
        audience.until_told()
    });
    let delays = Arc::clone(&audience.delays);
    let account = audience.end(&ground.runtime)?;
    println!(
        "listeners on {:?}: {} listeners, {} edits in {} s, {} events told; {:?}; connections: {:?}",
        ground.on,
        size.listeners,
        ledger.edits() - before,
        (size.with * size.rounds).as_secs(),
        account.told,
        account.faults,
        account.ends
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
    let mut bars = Bars::of(ground.form);
    bars.at_most(250.0, delays.millis(990), "told after, p99, ms");
    bars.at_most(1.25, with.millis(500) / without.millis(500), "p50 of edits with listeners and without, ratio");
    bars.at_most(150.0, memory as f64 * 1024.0 / MEGABYTE, "the server's anonymous memory, MB");
    told?;
    ensure!(account.faults == Faults::default(), "{:?}", account.faults);
    ensure!(account.ends.left > 0, "nobody came back: nothing is shown");
    bars.hold()
}

/// Of a hundred, 85 are steady, five restless, seven slow, and three asleep.
fn manners(listeners: usize) -> Vec<Manner> {
    let manner = |number: usize| match number % 100 {
        0..5 => Manner::Restless,
        5..12 => Manner::Slow,
        12..15 => Manner::Asleep,
        _ => Manner::Steady,
    };
    (0..listeners).map(manner).collect()
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
