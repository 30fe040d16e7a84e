//! A pool of listeners that receive events at the same time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::super::process::wait;
use super::listener::{Ends, Listener, Order, ReadBehaviour, Status};
use super::received_events::{EventFaults, ReceivedEvents};
use super::times::Times;
use super::versioned_notes::VersionedNotes;
use crate::random::Random;

/// Between two looks at how far listeners are.
const LOOK: Duration = Duration::from_millis(20);
/// How long it may take until some listener receives one more event.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to listen for events that are sent twice.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// Listeners that follow orders.
pub(super) struct ListenerPool {
    notes: Arc<VersionedNotes>,
    orders: watch::Sender<Order>,
    listeners: Vec<PooledListener>,
    /// The time from the acknowledgement of a version to its receipt, of listeners that read promptly.
    pub(super) delays: Arc<Times>,
    /// How many versions there were before the listeners started.
    before: u64,
}

struct PooledListener {
    behaviour: ReadBehaviour,
    status: Arc<Status>,
    running: JoinHandle<Option<Listener>>,
}

/// What all listeners received.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PoolReport {
    pub(super) faults: EventFaults,
    pub(super) received: u64,
    pub(super) ends: Ends,
}

impl ListenerPool {
    /// Starts a listener for each behaviour. None has a connection yet.
    pub(super) fn start(
        runtime: &Runtime,
        notes: &Arc<VersionedNotes>,
        behaviours: &[ReadBehaviour],
        seed: u64,
    ) -> ListenerPool {
        let (orders, _) = watch::channel(Order::Leave);
        let delays = Arc::new(Times::default());
        let newest = notes.newest();
        let listener = |(number, behaviour): (usize, &ReadBehaviour)| {
            let status = Arc::new(Status::default());
            let listener = Listener {
                behaviour: *behaviour,
                notes: Arc::clone(notes),
                orders: orders.subscribe(),
                delays: Arc::clone(&delays),
                status: Arc::clone(&status),
                random: Random::part(seed, 1_000 + number as u64),
                received: ReceivedEvents::after(newest.clone()),
                cursor: String::new(),
                ends: Ends::default(),
            };
            PooledListener { behaviour: *behaviour, status, running: runtime.spawn(listener.run()) }
        };
        let listeners = behaviours.iter().enumerate().map(listener).collect();
        ListenerPool { notes: Arc::clone(notes), orders, listeners, delays, before: notes.edits() }
    }

    pub(super) fn order(&self, order: Order) {
        self.orders.send_replace(order);
    }

    /// Waits until all have a connection; those who are restless may be between two of them.
    pub(super) fn until_connected(&self) -> anyhow::Result<()> {
        let has_connection = |listener: &PooledListener| {
            listener.behaviour == ReadBehaviour::Restless || listener.status.is_connected.load(Ordering::Acquire)
        };
        self.until("connected", |listener| u64::from(has_connection(listener)), |_| 1)
    }

    /// Waits until the listeners that read promptly have received everything.
    pub(super) fn until_prompt_ones_are_done(&self) -> anyhow::Result<()> {
        let all = self.notes.edits() - self.before;
        self.until("told", received_count, |listener| if listener.behaviour.is_prompt() { all } else { 0 })
    }

    /// Waits until all listeners have received everything.
    pub(super) fn until_all_are_done(&self) -> anyhow::Result<()> {
        let all = self.notes.edits() - self.before;
        self.until("told", received_count, |_| all)
    }

    /// How many events the first listener has not received yet.
    pub(super) fn missing(&self) -> u64 {
        let received = self.listeners.first().map_or(0, received_count);
        (self.notes.edits() - self.before).saturating_sub(received)
    }

    fn until(
        &self,
        what: &str,
        reached: impl Fn(&PooledListener) -> u64,
        wanted: impl Fn(&PooledListener) -> u64,
    ) -> anyhow::Result<()> {
        let (mut best, mut since) = (0, Instant::now());
        loop {
            let waiting = self.listeners.iter().filter(|listener| reached(listener) < wanted(listener)).count();
            if waiting == 0 {
                return Ok(());
            }
            let sum: u64 = self.listeners.iter().map(&reached).sum();
            if sum > best {
                (best, since) = (sum, Instant::now());
            }
            ensure!(since.elapsed() < PATIENCE, "{waiting} listeners are not {what} after a minute without progress");
            if let Some(failure) = self.listeners.iter().find_map(|listener| listener.status.failure.get()) {
                bail!("a listener gave up: {failure}");
            }
            wait(LOOK);
        }
    }

    /// Ends the listeners after everything was sent. Returns what they received, and what they missed.
    pub(super) fn end(self, runtime: &Runtime) -> anyhow::Result<PoolReport> {
        wait(AFTERWARDS);
        self.orders.send_replace(Order::End);
        let newest = self.notes.newest();
        let mut report = PoolReport::default();
        for listener in self.listeners {
            let listener = runtime.block_on(listener.running)?.context("a listener gave up")?;
            report.faults += listener.received.faults(&newest);
            report.received += listener.received.versions;
            report.ends += listener.ends;
        }
        Ok(report)
    }
}

fn received_count(listener: &PooledListener) -> u64 {
    listener.status.received.load(Ordering::Acquire)
}
