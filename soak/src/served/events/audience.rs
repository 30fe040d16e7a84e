//! Many who listen at the same time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::super::process::wait;
use super::heard::{Faults, Heard};
use super::ledger::Ledger;
use super::listener::{Ends, Listener, Manner, Order, Status};
use super::times::Times;
use crate::random::Random;

/// Between two looks at how far listeners are.
const LOOK: Duration = Duration::from_millis(20);
/// How long it may take until somebody is told something more.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to listen for what is told once too often.
const AFTERWARDS: Duration = Duration::from_secs(1);

/// Listeners that do what they are told.
pub(super) struct Audience {
    ledger: Arc<Ledger>,
    orders: watch::Sender<Order>,
    listeners: Vec<Seat>,
    /// How long after its acknowledgement those who read promptly were told of a version.
    pub(super) delays: Arc<Times>,
    /// How many versions there were before anybody listened.
    before: u64,
}

struct Seat {
    manner: Manner,
    status: Arc<Status>,
    running: JoinHandle<Option<Listener>>,
}

/// What all of them heard.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Account {
    pub(super) faults: Faults,
    pub(super) told: u64,
    pub(super) ends: Ends,
}

impl Audience {
    /// As many as there are manners. None has a connection yet.
    pub(super) fn gather(runtime: &Runtime, ledger: &Arc<Ledger>, manners: &[Manner], seed: u64) -> Audience {
        let (orders, _) = watch::channel(Order::Leave);
        let delays = Arc::new(Times::default());
        let newest = ledger.newest();
        let seat = |(number, manner): (usize, &Manner)| {
            let status = Arc::new(Status::default());
            let listener = Listener {
                manner: *manner,
                ledger: Arc::clone(ledger),
                orders: orders.subscribe(),
                delays: Arc::clone(&delays),
                status: Arc::clone(&status),
                random: Random::part(seed, 1_000 + number as u64),
                heard: Heard::after(newest.clone()),
                cursor: String::new(),
                ends: Ends::default(),
            };
            Seat { manner: *manner, status, running: runtime.spawn(listener.run()) }
        };
        let listeners = manners.iter().enumerate().map(seat).collect();
        Audience { ledger: Arc::clone(ledger), orders, listeners, delays, before: ledger.edits() }
    }

    pub(super) fn order(&self, order: Order) {
        self.orders.send_replace(order);
    }

    /// Waits until all have a connection; those who are restless may be between two of them.
    pub(super) fn until_connected(&self) -> anyhow::Result<()> {
        let has_connection =
            |seat: &Seat| seat.manner == Manner::Restless || seat.status.is_connected.load(Ordering::Acquire);
        self.until("connected", |seat| u64::from(has_connection(seat)), |_| 1)
    }

    /// Waits until those who read promptly were told of everything.
    pub(super) fn until_prompt_ones_are_told(&self) -> anyhow::Result<()> {
        let all = self.ledger.edits() - self.before;
        self.until("told", told, |seat| if seat.manner.is_prompt() { all } else { 0 })
    }

    /// Waits until all were told of everything.
    pub(super) fn until_told(&self) -> anyhow::Result<()> {
        let all = self.ledger.edits() - self.before;
        self.until("told", told, |_| all)
    }

    /// How many events nobody was told of yet, for the first listener.
    pub(super) fn owed(&self) -> u64 {
        let told = self.listeners.first().map_or(0, told);
        (self.ledger.edits() - self.before).saturating_sub(told)
    }

    fn until(&self, what: &str, reached: impl Fn(&Seat) -> u64, wanted: impl Fn(&Seat) -> u64) -> anyhow::Result<()> {
        let (mut best, mut since) = (0, Instant::now());
        loop {
            let waiting = self.listeners.iter().filter(|seat| reached(seat) < wanted(seat)).count();
            if waiting == 0 {
                return Ok(());
            }
            let sum: u64 = self.listeners.iter().map(&reached).sum();
            if sum > best {
                (best, since) = (sum, Instant::now());
            }
            ensure!(since.elapsed() < PATIENCE, "{waiting} listeners are not {what} after a minute without progress");
            if let Some(failure) = self.listeners.iter().find_map(|seat| seat.status.failure.get()) {
                bail!("a listener gave up: {failure}");
            }
            wait(LOOK);
        }
    }

    /// Ends it after everything that was to be told; what they heard. Whoever did not hear everything is in the account.
    pub(super) fn end(self, runtime: &Runtime) -> anyhow::Result<Account> {
        wait(AFTERWARDS);
        self.orders.send_replace(Order::End);
        let newest = self.ledger.newest();
        let mut account = Account::default();
        for seat in self.listeners {
            let listener = runtime.block_on(seat.running)?.context("a listener gave up")?;
            account.faults += listener.heard.faults(&newest);
            account.told += listener.heard.versions;
            account.ends += listener.ends;
        }
        Ok(account)
    }
}

fn told(seat: &Seat) -> u64 {
    seat.status.told.load(Ordering::Acquire)
}
