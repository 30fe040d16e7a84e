//! A semaphore whose places are fair between holders.

use std::collections::{HashMap, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;
use std::mem;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::OverloadCause;

/// How many requests of one holder wait for a place at the most, and of all holders together.
const MAX_WAITING_PER_HOLDER: usize = 256;
const MAX_WAITING: usize = 8_192;
/// How often a blocked thread looks whether it should go on waiting.
const WAKE_INTERVAL: Duration = Duration::from_millis(20);

/// A bounded number of places. Each holder has a queue of its own, and the queues are served in turn; no holder has more
/// permits than its share, whether others wait or not. Cheap to clone.
///
/// A permit can give its place to others for a while ([`FairPermit::yield_blocking`]). For every two places there may be one
/// such permit beside those with a place, because paused work holds memory and connections.
#[derive(Debug)]
pub struct FairSemaphore<K: Holder>(Arc<Mutex<State<K>>>);

/// Who holds places: a user, an address.
pub trait Holder: Copy + Debug + Eq + Hash {}

impl<K: Copy + Debug + Eq + Hash> Holder for K {}

/// The queue for a place is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFull(pub OverloadCause);

/// A permit: a place, until it is dropped.
#[derive(Debug)]
pub struct FairPermit<K: Holder> {
    semaphore: FairSemaphore<K>,
    holder: K,
    place: PermitPlace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PermitPlace {
    Taken,
    GivenBack,
}

impl<K: Holder> Clone for FairSemaphore<K> {
    fn clone(&self) -> FairSemaphore<K> {
        FairSemaphore(Arc::clone(&self.0))
    }
}

impl<K: Holder> FairSemaphore<K> {
    /// So many places, of which no holder has more than `per_holder`; at least one each.
    pub fn new(places: usize, per_holder: usize) -> FairSemaphore<K> {
        let places = places.max(1);
        FairSemaphore(Arc::new(Mutex::new(State {
            free_places: places,
            free_permits: places + places.div_ceil(2),
            per_holder: per_holder.max(1),
            holders: HashMap::new(),
            turns: VecDeque::new(),
            waiting: 0,
            last_waiter: 0,
        })))
    }

    /// So many places, of which no holder has more than half.
    pub fn halved(places: usize) -> FairSemaphore<K> {
        FairSemaphore::new(places, places / 2)
    }

    /// A permit, when it is the holder's turn. A future that is dropped leaves the queue.
    pub async fn acquire(&self, holder: K) -> Result<FairPermit<K>, QueueFull> {
        if let Some(permit) = self.try_acquire(holder) {
            return Ok(permit);
        }
        let (waiting, granted) = {
            let mut state = self.state();
            state.check_queues(holder)?;
            let (grant, granted) = oneshot::channel();
            let waiter = state.enqueue(holder, Stage::Starting, Grant::Async(grant));
            // A place may have become free since it was tried.
            state.serve();
            (Waiting { semaphore: self, holder, waiter, stage: Stage::Starting }, granted)
        };
        // An error would mean that the sender is gone, which is dropped only after it has sent.
        let _ = granted.await;
        waiting.end();
        Ok(self.permit(holder))
    }

    /// A permit, if the holder can have one right now and nobody of it waits.
    pub fn try_acquire(&self, holder: K) -> Option<FairPermit<K>> {
        let mut state = self.state();
        let is_next = state.can_start(holder) && !state.holders.get(&holder).is_some_and(Queue::is_waiting);
        is_next.then(|| {
            state.start(holder);
            self.permit(holder)
        })
    }

    /// How many permits a holder has.
    pub fn held_by(&self, holder: K) -> usize {
        self.state().permits(holder)
    }

    fn permit(&self, holder: K) -> FairPermit<K> {
        FairPermit { semaphore: self.clone(), holder, place: PermitPlace::Taken }
    }

    fn state(&self) -> MutexGuard<'_, State<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Holder> FairPermit<K> {
    /// Whether another holder could use the place now.
    pub fn is_wanted(&self) -> bool {
        self.semaphore.state().is_wanted_beside(self.holder)
    }

    /// Gives the place to the next holder in turn, and waits until it is this one's turn again, or until `keep_waiting` says no:
    /// then the permit has no place. It blocks the thread, which must not be one of an async runtime.
    pub fn yield_blocking(&mut self, mut keep_waiting: impl FnMut() -> bool) {
        let (grant, granted) = sync_channel(1);
        let waiting = Self::give_back(&self.semaphore, self.holder, &mut self.place, Grant::Blocking(grant));
        while granted.recv_timeout(WAKE_INTERVAL).is_err() {
            if !keep_waiting() {
                return;
            }
        }
        waiting.end();
        self.place = PermitPlace::Taken;
    }

    /// The same for asynchronous callers, who stop waiting by dropping the future.
    pub async fn yield_place(&mut self) {
        let (grant, granted) = oneshot::channel();
        let waiting = Self::give_back(&self.semaphore, self.holder, &mut self.place, Grant::Async(grant));
        let _ = granted.await;
        waiting.end();
        self.place = PermitPlace::Taken;
    }

    fn give_back<'a>(
        semaphore: &'a FairSemaphore<K>,
        holder: K,
        place: &mut PermitPlace,
        grant: Grant,
    ) -> Waiting<'a, K> {
        let mut state = semaphore.state();
        match mem::replace(place, PermitPlace::GivenBack) {
            PermitPlace::Taken => state.free_places += 1,
            // It stopped waiting for its place before.
            PermitPlace::GivenBack => {}
        }
        let waiter = state.enqueue(holder, Stage::Resuming, grant);
        state.serve();
        Waiting { semaphore, holder, waiter, stage: Stage::Resuming }
    }
}

impl<K: Holder> Drop for FairPermit<K> {
    fn drop(&mut self) {
        let mut state = self.semaphore.state();
        if self.place == PermitPlace::Taken {
            state.free_places += 1;
        }
        state.end_permit(self.holder);
        state.serve();
    }
}

/// A place in a queue; dropped before it ended, it leaves the queue, or passes on the place that it was granted meanwhile.
struct Waiting<'a, K: Holder> {
    semaphore: &'a FairSemaphore<K>,
    holder: K,
    waiter: u64,
    stage: Stage,
}

impl<K: Holder> Waiting<'_, K> {
    /// Takes the place that was granted.
    fn end(self) {
        mem::forget(self);
    }
}

impl<K: Holder> Drop for Waiting<'_, K> {
    fn drop(&mut self) {
        let mut state = self.semaphore.state();
        if !state.leave_queue(self.holder, self.waiter, self.stage) {
            state.free_places += 1;
            if self.stage == Stage::Starting {
                state.end_permit(self.holder);
            }
        }
        state.serve();
    }
}

/// What a waiter waits for: its first place, or the one that it gave back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Starting,
    Resuming,
}

#[derive(Debug)]
struct State<K: Holder> {
    free_places: usize,
    free_permits: usize,
    per_holder: usize,
    /// The holders that have a permit or wait for one.
    holders: HashMap<K, Queue>,
    /// The holders that have a waiter, each once, in the order of their turns.
    turns: VecDeque<K>,
    waiting: usize,
    last_waiter: u64,
}

#[derive(Debug, Default)]
struct Queue {
    permits: usize,
    /// Served before those that start: what has begun holds memory.
    resuming: VecDeque<Waiter>,
    starting: VecDeque<Waiter>,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    grant: Grant,
}

/// How a waiter is told that it has a place.
#[derive(Debug)]
enum Grant {
    Async(oneshot::Sender<()>),
    Blocking(SyncSender<()>),
}

impl Grant {
    /// Where nobody receives it, the waiter is being dropped and passes the place on.
    fn send(self) {
        match self {
            Grant::Async(sender) => drop(sender.send(())),
            Grant::Blocking(sender) => drop(sender.try_send(())),
        }
    }
}

impl Queue {
    fn is_waiting(&self) -> bool {
        !(self.resuming.is_empty() && self.starting.is_empty())
    }

    fn stage(&mut self, stage: Stage) -> &mut VecDeque<Waiter> {
        match stage {
            Stage::Starting => &mut self.starting,
            Stage::Resuming => &mut self.resuming,
        }
    }
}

impl<K: Holder> State<K> {
    fn permits(&self, holder: K) -> usize {
        self.holders.get(&holder).map_or(0, |queue| queue.permits)
    }

    fn may_have_another(&self, holder: K) -> bool {
        self.free_permits > 0 && self.permits(holder) < self.per_holder
    }

    fn can_start(&self, holder: K) -> bool {
        self.free_places > 0 && self.may_have_another(holder)
    }

    fn start(&mut self, holder: K) {
        self.free_places -= 1;
        self.free_permits -= 1;
        self.holders.entry(holder).or_default().permits += 1;
    }

    fn end_permit(&mut self, holder: K) {
        self.free_permits += 1;
        if let Some(queue) = self.holders.get_mut(&holder) {
            queue.permits -= 1;
        }
        self.forget_if_idle(holder);
    }

    fn forget_if_idle(&mut self, holder: K) {
        if self.holders.get(&holder).is_some_and(|queue| queue.permits == 0 && !queue.is_waiting()) {
            self.holders.remove(&holder);
        }
    }

    fn check_queues(&self, holder: K) -> Result<(), QueueFull> {
        let own = self.holders.get(&holder).map_or(0, |queue| queue.starting.len());
        match (own >= MAX_WAITING_PER_HOLDER, self.waiting >= MAX_WAITING) {
            (true, _) => Err(QueueFull(OverloadCause::Caller)),
            (false, true) => Err(QueueFull(OverloadCause::Everyone)),
            (false, false) => Ok(()),
        }
    }

    /// Adds a waiter to the holder's queue; its number.
    fn enqueue(&mut self, holder: K, stage: Stage, grant: Grant) -> u64 {
        self.last_waiter += 1;
        self.waiting += 1;
        let queue = self.holders.entry(holder).or_default();
        if !queue.is_waiting() {
            self.turns.push_back(holder);
        }
        queue.stage(stage).push_back(Waiter { number: self.last_waiter, grant });
        self.last_waiter
    }

    /// Removes a waiter; whether it was still waiting.
    fn leave_queue(&mut self, holder: K, waiter: u64, stage: Stage) -> bool {
        let Some(queue) = self.holders.get_mut(&holder) else { return false };
        let before = queue.stage(stage).len();
        queue.stage(stage).retain(|other| other.number != waiter);
        let was_waiting = queue.stage(stage).len() < before;
        if was_waiting {
            self.waiting -= 1;
            if !queue.is_waiting() {
                self.turns.retain(|other| *other != holder);
            }
            self.forget_if_idle(holder);
        }
        was_waiting
    }

    /// Whether a holder has a waiter that could use a free place.
    fn can_use_a_place(&self, holder: K) -> bool {
        self.holders.get(&holder).is_some_and(|queue| {
            !queue.resuming.is_empty() || (!queue.starting.is_empty() && self.may_have_another(holder))
        })
    }

    fn is_wanted_beside(&self, holder: K) -> bool {
        self.turns.iter().any(|other| *other != holder && self.can_use_a_place(*other))
    }

    /// Gives the free places to the holders whose turn it is.
    fn serve(&mut self) {
        while self.free_places > 0 {
            let next = self.turns.iter().position(|holder| self.can_use_a_place(*holder));
            let Some(holder) = next.and_then(|next| self.turns.remove(next)) else { return };
            let Some(queue) = self.holders.get_mut(&holder) else { continue };
            let (waiter, stage) = match queue.resuming.pop_front() {
                Some(waiter) => (Some(waiter), Stage::Resuming),
                None => (queue.starting.pop_front(), Stage::Starting),
            };
            if queue.is_waiting() {
                self.turns.push_back(holder);
            }
            let Some(waiter) = waiter else { continue };
            self.waiting -= 1;
            match stage {
                Stage::Starting => self.start(holder),
                Stage::Resuming => self.free_places -= 1,
            }
            waiter.grant.send();
        }
    }
}
