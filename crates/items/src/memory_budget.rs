//! The memory budget: how many bytes the requests in flight may hold together, and a fair part of it for each holder.
//!
//! A request counts the bytes of its body as they arrive, of the contents that it reads, and of its answer until that is
//! sent. It takes them in [`RequestMemory`], which the door makes, and gives all of them back when that is dropped.
//!
//! What is counted is an estimate: a parser, or an allocator that has not given memory back yet, may hold more. So the process is
//! measured, too: while it holds more than three quarters of the budget, each holder has one large request at a time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use crate::{Error, OverloadCause, Overloaded, UserId};

/// What one request may hold without being counted: most requests are smaller, and cost no lock.
const UNCOUNTED: usize = 16 * 1024;
/// What a request may hold at the most to be counted as small: for small requests a part of the budget is kept free.
const SMALL: usize = 256 * 1024;
/// The part of the budget that is kept for small requests, as its divisor.
const RESERVE: usize = 8;
/// The part of the budget that one holder may have, as its divisor.
const HOLDER: usize = 2;
/// How many times its bytes a text takes while it is worked on: as it was read, what is made of it, and what the allocator
/// has not given back yet.
pub const WORK_FACTOR: usize = 3;
/// How much of the budget the process itself may hold, in quarters, before a holder has one large request at a time: requests that
/// were let in go on growing, and what no request counts (connections, caches of the storage) comes on top.
const MEASURED_QUARTERS: usize = 3;
/// How long a measurement of the process counts: a large request may double what it holds in that time, not more.
const MEASURED_FOR: Duration = Duration::from_millis(20);

tokio::task_local! {
    static CURRENT: RequestMemory;
}

/// Who holds memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryHolder {
    /// The requests of a user.
    User(UserId),
    /// Requests without a token, from the address with these bits.
    Address(u128),
}

/// Measures the memory of this process that is backed by no file, in bytes; `None` where the system does not tell.
pub type MeasureMemory = fn() -> Option<usize>;

/// A budget of bytes; cheap to clone.
#[derive(Clone, Debug)]
pub struct MemoryBudget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limit: usize,
    measure: MeasureMemory,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    all: usize,
    by_holder: HashMap<MemoryHolder, usize>,
    /// What the process held when it was last measured, and when that was.
    measured: Option<(usize, Instant)>,
}

/// The bytes that one request holds of a budget; cheap to clone. They go back when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct RequestMemory(Arc<Reservation>);

#[derive(Debug)]
struct Reservation {
    budget: MemoryBudget,
    holder: MemoryHolder,
    /// Changed under the budget's lock if it is, or gets, over [`UNCOUNTED`]; without it otherwise. So every change compares.
    bytes: AtomicUsize,
    /// Those of `bytes` that are for work on a content.
    work: AtomicUsize,
}

impl MemoryBudget {
    /// A budget of so many bytes for a process that `measure` measures.
    pub fn new(bytes: usize, measure: MeasureMemory) -> MemoryBudget {
        MemoryBudget(Arc::new(Shared { limit: bytes, measure, used: Mutex::default() }))
    }

    /// The memory of a new request, which holds nothing yet.
    pub fn request(&self, holder: MemoryHolder) -> RequestMemory {
        let (bytes, work) = (AtomicUsize::new(0), AtomicUsize::new(0));
        RequestMemory(Arc::new(Reservation { budget: self.clone(), holder, bytes, work }))
    }

    /// How many bytes may be held at the most.
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// How many bytes are held now, those that are not counted left out.
    pub fn used(&self) -> usize {
        self.lock().all
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a holder's request that holds `before` may hold `after`. A request that is the only one of its holder may have
    /// more than a holder's part, and the only one of all more than the budget: in a small budget it could never be answered
    /// otherwise. What one request needs is bounded by what a body and a content may have.
    fn check(&self, used: &mut Used, holder: MemoryHolder, before: usize, after: usize) -> Result<(), Overloaded> {
        if used.all == before {
            return Ok(());
        }
        let full = |cause| Overloaded { resource: "memory budget", cause };
        let more = after - before;
        let held = used.by_holder.get(&holder).copied().unwrap_or(0);
        let is_large = after > SMALL;
        if held != before && (held + more > self.0.limit / HOLDER || is_large && self.is_exceeded(used)) {
            return Err(full(OverloadCause::Caller));
        }
        let limit = if is_large { self.0.limit - self.0.limit / RESERVE } else { self.0.limit };
        if used.all + more > limit { Err(full(OverloadCause::Everyone)) } else { Ok(()) }
    }

    /// Whether the process holds more than its part of the budget, whatever is counted.
    fn is_exceeded(&self, used: &mut Used) -> bool {
        let now = Instant::now();
        let bytes = match used.measured {
            Some((bytes, at)) if now.duration_since(at) < MEASURED_FOR => bytes,
            _ => {
                let bytes = (self.0.measure)().unwrap_or(0);
                used.measured = Some((bytes, now));
                bytes
            }
        };
        bytes > self.0.limit / 4 * MEASURED_QUARTERS
    }
}

impl Used {
    fn replace(&mut self, holder: MemoryHolder, before: usize, after: usize) {
        self.all = self.all + after - before;
        let held = self.by_holder.entry(holder).or_default();
        *held = *held + after - before;
        if *held == 0 {
            self.by_holder.remove(&holder);
        }
    }
}

/// The bytes of a request that count.
fn counted(bytes: usize) -> usize {
    if bytes > UNCOUNTED { bytes } else { 0 }
}

impl RequestMemory {
    /// Takes so many bytes more, or says why not; then it holds what it held.
    pub fn take(&self, more: usize) -> Result<(), Overloaded> {
        if self.change_uncounted(|bytes| bytes.saturating_add(more)) {
            return Ok(());
        }
        let mut used = self.0.budget.lock();
        // Another clone may change it meanwhile, as long as it is not counted.
        loop {
            let before = self.bytes();
            let after = before.saturating_add(more);
            self.0.budget.check(&mut used, self.0.holder, counted(before), counted(after))?;
            if self.replace(&mut used, before, after) {
                return Ok(());
            }
        }
    }

    /// Whether so many bytes more could be taken now.
    pub fn has_room_for(&self, more: usize) -> Result<(), Overloaded> {
        let (before, after) = (self.bytes(), self.bytes() + more);
        if after <= UNCOUNTED {
            return Ok(());
        }
        self.0.budget.check(&mut self.0.budget.lock(), self.0.holder, counted(before), after)
    }

    /// Holds so many bytes from now on, however full the budget is: for what exists already.
    pub fn hold(&self, bytes: usize) {
        if self.change_uncounted(|_| bytes) {
            return;
        }
        let mut used = self.0.budget.lock();
        while !self.replace(&mut used, self.bytes(), bytes) {}
    }

    /// Changes the bytes without the budget's lock; whether it did: both what it holds and what it is to hold are uncounted.
    fn change_uncounted(&self, change: impl Fn(usize) -> usize) -> bool {
        let uncounted = |bytes: usize| bytes <= UNCOUNTED;
        let change = |bytes: usize| Some(change(bytes)).filter(|&after| uncounted(bytes) && uncounted(after));
        self.0.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change).is_ok()
    }

    /// Changes the bytes under the budget's lock; whether they still were `before`.
    fn replace(&self, used: &mut Used, before: usize, after: usize) -> bool {
        let replaced = self.0.bytes.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if replaced {
            used.replace(self.0.holder, counted(before), counted(after));
        }
        replaced
    }

    /// Whether a request that holds so many bytes is counted.
    pub fn counts(bytes: usize) -> bool {
        bytes > UNCOUNTED
    }

    /// Whose request it is.
    pub fn holder(&self) -> MemoryHolder {
        self.0.holder
    }

    /// How many bytes it holds.
    pub fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// The memory of another request of the same holder, which holds nothing yet.
    pub fn sibling(&self) -> RequestMemory {
        self.0.budget.request(self.0.holder)
    }

    /// Runs `work` with this as the memory of its request.
    pub async fn scope<T>(&self, work: impl Future<Output = T>) -> T {
        CURRENT.scope(self.clone(), work).await
    }

    /// The memory of the request that this task is about, if its door counts it.
    pub fn current() -> Option<RequestMemory> {
        CURRENT.try_with(RequestMemory::clone).ok()
    }
}

/// Spawns a task that belongs to the request that this task is about: what the request holds counts until that task has ended,
/// also when its client has gone.
pub fn spawn_in_request<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    match RequestMemory::current() {
        Some(memory) => tokio::spawn(async move { memory.scope(work).await }),
        None => tokio::spawn(work),
    }
}

/// Takes the memory for work on so many bytes of content from the request that this task is about. Work that is begun again,
/// on a newer content, takes only what it needs more than before.
pub(crate) fn take_for_work(bytes: usize) -> Result<(), Error> {
    take_in_all_for_work(bytes.saturating_mul(WORK_FACTOR))
}

/// The same for work that takes so many bytes in all.
pub(crate) fn take_in_all_for_work(after: usize) -> Result<(), Error> {
    let Some(memory) = RequestMemory::current() else { return Ok(()) };
    let before = memory.0.work.load(Ordering::Relaxed);
    if after > before {
        memory.take(after - before)?;
        memory.0.work.store(after, Ordering::Relaxed);
    }
    Ok(())
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let bytes = counted(*self.bytes.get_mut());
        if bytes > 0 {
            self.budget.lock().replace(self.holder, bytes, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEGABYTE: usize = 1 << 20;

    fn user() -> MemoryHolder {
        MemoryHolder::User(UserId::generate())
    }

    fn cause(refused: Result<(), Overloaded>) -> OverloadCause {
        refused.expect_err("it is full").cause
    }

    #[test]
    fn one_holder_has_at_most_half_and_what_is_dropped_comes_back() {
        let (budget, one) = (MemoryBudget::new(64 * MEGABYTE, || None), user());
        let held: Vec<_> = (0..32).map(|_| budget.request(one)).collect();
        assert!(held.iter().all(|request| request.take(MEGABYTE).is_ok()));
        assert_eq!(budget.used(), 32 * MEGABYTE);
        let more = budget.request(one);
        assert_eq!(cause(more.take(MEGABYTE)), OverloadCause::Caller);
        assert_eq!(cause(more.has_room_for(20_000)), OverloadCause::Caller);
        assert_eq!(more.bytes(), 0);
        let other = budget.request(user());
        other.take(8 * MEGABYTE).expect("another has room");
        drop(held);
        more.take(MEGABYTE).expect("it came back");
        drop((more, other));
        assert_eq!(budget.used(), 0);
        assert!(budget.lock().by_holder.is_empty());
    }

    #[test]
    fn a_process_that_holds_most_of_the_budget_serves_one_large_request_of_each_holder() {
        let (budget, one) = (MemoryBudget::new(64 * MEGABYTE, || Some(49 * MEGABYTE)), user());
        let other = budget.request(user());
        other.take(MEGABYTE).expect("its holder has no other");
        let first = budget.request(one);
        first.take(2 * MEGABYTE).expect("its holder has no other");
        first.take(MEGABYTE).expect("it is still the only one");
        let second = budget.request(one);
        second.take(SMALL).expect("it is small");
        assert_eq!(cause(second.take(1)), OverloadCause::Caller);
        drop(first);
        second.take(MEGABYTE).expect("it is the only one now");
    }

    #[test]
    fn small_requests_get_through_where_large_ones_do_not() {
        let budget = MemoryBudget::new(64 * MEGABYTE, || None);
        let large: Vec<_> = (0..2).map(|_| budget.request(user())).collect();
        assert!(large.iter().all(|request| request.take(28 * MEGABYTE).is_ok()));
        assert_eq!(cause(budget.request(user()).take(MEGABYTE)), OverloadCause::Everyone);
        let small = budget.request(user());
        small.take(SMALL).expect("a part is kept for it");
        assert_eq!(cause(small.take(1)), OverloadCause::Everyone);
    }

    #[test]
    fn the_only_request_of_a_holder_may_have_more_than_half() {
        let (budget, one) = (MemoryBudget::new(64 * MEGABYTE, || None), user());
        let other = budget.request(user());
        other.take(MEGABYTE).expect("there is room");
        let only = budget.request(one);
        only.take(50 * MEGABYTE).expect("it is alone");
        assert_eq!(cause(budget.request(one).take(MEGABYTE)), OverloadCause::Caller);
        assert_eq!(cause(only.take(10 * MEGABYTE)), OverloadCause::Everyone);
        drop(other);
        only.take(50 * MEGABYTE).expect("it is the only one of all");
        assert_eq!(cause(budget.request(user()).take(MEGABYTE)), OverloadCause::Everyone);
    }

    #[test]
    fn what_exists_is_held_and_the_smallest_is_not_counted() {
        let budget = MemoryBudget::new(MEGABYTE, || None);
        let request = budget.request(MemoryHolder::Address(1));
        request.take(UNCOUNTED).expect("not counted");
        assert_eq!(budget.used(), 0);
        request.take(1).expect("there is room");
        assert_eq!(budget.used(), UNCOUNTED + 1);
        request.hold(10 * MEGABYTE);
        assert_eq!((budget.used(), request.bytes()), (10 * MEGABYTE, 10 * MEGABYTE));
        let copy = request.clone();
        drop(request);
        assert_eq!(budget.used(), 10 * MEGABYTE);
        copy.hold(5);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn clones_that_take_at_once_take_together_what_each_takes() {
        const TAKES: usize = 10_000;
        let budget = MemoryBudget::new(64 * MEGABYTE, || None);
        for _ in 0..100 {
            let (request, start) = (budget.request(user()), std::sync::Barrier::new(2));
            let take = || {
                start.wait();
                (0..TAKES).for_each(|_| request.take(1).expect("there is room"));
            };
            // They begin uncounted, and end counted.
            std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(take))));
            assert_eq!((request.bytes(), budget.used()), (2 * TAKES, 2 * TAKES));
        }
        assert_eq!(budget.used(), 0);
    }

    #[tokio::test]
    async fn what_a_request_holds_counts_until_its_tasks_have_ended() {
        let budget = MemoryBudget::new(4 * MEGABYTE, || None);
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let request = budget.request(user());
        request.take(MEGABYTE).expect("there is room");
        let holder = request.holder();
        let work = async move {
            let _ = ended.await;
            RequestMemory::current().map(|memory| memory.holder())
        };
        let mut task = None;
        request.scope(async { task = Some(spawn_in_request(work)) }).await;
        drop(request);
        assert_eq!(budget.used(), MEGABYTE, "the task goes on");
        end.send(()).expect("it waits");
        assert_eq!(task.expect("it was spawned").await.expect("it does not panic"), Some(holder));
        assert_eq!(budget.used(), 0);
        assert!(spawn_in_request(async { RequestMemory::current() }).await.expect("it does not panic").is_none());
    }

    #[tokio::test]
    async fn work_on_a_text_is_taken_from_the_request_it_is_for() {
        let budget = MemoryBudget::new(4 * MEGABYTE, || None);
        // The only request of all may have more than the budget.
        let other = budget.request(user());
        other.take(UNCOUNTED + 1).expect("there is room");
        let request = budget.request(user());
        take_for_work(100 * MEGABYTE).expect("outside of a request nothing is counted");
        let work = async {
            for _ in 0..3 {
                take_for_work(MEGABYTE).expect("there is room, also for what is begun again");
            }
            take_for_work(2 * MEGABYTE)
        };
        let refused = request.scope(work).await.expect_err("more is too much");
        assert!(matches!(refused, Error::Overloaded(_)), "{refused:?}");
        assert_eq!(budget.used(), WORK_FACTOR * MEGABYTE + other.bytes());
    }
}
