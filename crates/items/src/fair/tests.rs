//! Tests of the semaphore and of checkpoints.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::*;
use crate::OverloadCause;

/// What a future has without waiting.
fn at_once<F: Future>(future: Pin<&mut F>) -> Option<F::Output> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

const ALICE: char = 'a';
const BOB: char = 'b';

#[tokio::test]
async fn one_holder_never_has_more_than_its_share() {
    let semaphore = FairSemaphore::halved(4);
    let first = semaphore.try_acquire(ALICE);
    let second = semaphore.try_acquire(ALICE);
    assert!(first.is_some() && second.is_some());
    assert!(semaphore.try_acquire(ALICE).is_none(), "two of four are free, and still");
    assert!(at_once(pin!(semaphore.acquire(ALICE))).is_none());
    assert!(at_once(pin!(semaphore.acquire(BOB))).is_some());
}

#[tokio::test]
async fn holders_are_served_in_turn() {
    let semaphore = FairSemaphore::new(1, 1);
    let held = semaphore.try_acquire(ALICE).unwrap();
    let (sender, mut served) = tokio::sync::mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    for holder in [ALICE, ALICE, ALICE, ALICE, BOB, BOB, 'c'] {
        let (semaphore, sender) = (semaphore.clone(), sender.clone());
        tasks.spawn(async move {
            let _permit = semaphore.acquire(holder).await.unwrap();
            sender.send(holder).unwrap();
        });
        // The task has come to its place in the queue.
        tokio::task::yield_now().await;
    }
    drop((held, sender));
    let mut order = Vec::new();
    while let Some(holder) = served.recv().await {
        order.push(holder);
    }
    assert_eq!(order, [ALICE, BOB, 'c', ALICE, BOB, ALICE, ALICE]);
}

#[tokio::test]
async fn who_gives_up_waiting_leaves_the_queue() {
    let semaphore = FairSemaphore::new(1, 1);
    let held = semaphore.try_acquire(ALICE).unwrap();
    let mut given_up = Box::pin(semaphore.acquire(BOB));
    assert!(at_once(given_up.as_mut()).is_none());
    drop(given_up);
    // This one is granted the place, and gives up before it takes it.
    let mut too_late = Box::pin(semaphore.acquire(BOB));
    assert!(at_once(too_late.as_mut()).is_none());
    drop(held);
    assert!(semaphore.try_acquire('c').is_none());
    drop(too_late);
    assert!(semaphore.try_acquire('c').is_some());
    assert_eq!((semaphore.held_by(ALICE), semaphore.held_by(BOB)), (0, 0));
}

#[tokio::test]
async fn a_full_queue_says_whose_requests_fill_it() {
    let semaphore = FairSemaphore::new(1, 1);
    let _held = semaphore.try_acquire(0).unwrap();
    let wait = |holder: usize| {
        let mut waiting = Box::pin(semaphore.acquire(holder));
        assert!(at_once(waiting.as_mut()).is_none());
        waiting
    };
    let own: Vec<_> = (0..256).map(|_| wait(0)).collect();
    assert_eq!(semaphore.acquire(0).await.unwrap_err(), QueueFull(OverloadCause::Caller));
    let others: Vec<_> = (256..8_192).map(wait).collect();
    assert_eq!(semaphore.acquire(1).await.unwrap_err(), QueueFull(OverloadCause::Everyone));
    drop((own, others));
    assert!(at_once(pin!(semaphore.acquire(1))).is_none(), "there is room in the queue again");
}

#[test]
fn a_place_that_is_given_back_goes_to_others_and_comes_back() {
    let semaphore = FairSemaphore::new(1, 1);
    let mut long = semaphore.try_acquire(ALICE).unwrap();
    assert!(!long.is_wanted());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let others: Vec<_> = [BOB, 'c']
        .map(|holder| {
            let semaphore = semaphore.clone();
            runtime.spawn(async move { semaphore.acquire(holder).await.map(drop) })
        })
        .into();
    while !long.is_wanted() {
        std::thread::yield_now();
    }
    while !others.iter().all(tokio::task::JoinHandle::is_finished) {
        long.yield_blocking(|| true);
    }
    assert_eq!(semaphore.held_by(ALICE), 1);
    assert!(semaphore.try_acquire(BOB).is_none(), "it has its place again");
    drop(long);
    assert!(semaphore.try_acquire(BOB).is_some());
}

#[tokio::test]
async fn paused_permits_are_bounded() {
    // Four places and two pauses: of eight holders that all yield, six have begun.
    let semaphore = FairSemaphore::halved(4);
    let begun = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for holder in 0..8 {
        let (semaphore, begun, most) = (semaphore.clone(), Arc::clone(&begun), Arc::clone(&most));
        tasks.spawn(async move {
            let mut permit = semaphore.acquire(holder).await.unwrap();
            most.fetch_max(begun.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            for _ in 0..50 {
                permit.yield_place().await;
                tokio::task::yield_now().await;
            }
            begun.fetch_sub(1, Ordering::SeqCst);
        });
    }
    while tasks.join_next().await.is_some() {}
    assert_eq!(most.load(Ordering::SeqCst), 6);
}

/// Counts work that runs, until it is dropped.
struct Running<'a>(&'a AtomicUsize);

impl Running<'_> {
    fn new(count: &AtomicUsize) -> Running<'_> {
        count.fetch_add(1, Ordering::SeqCst);
        Running(count)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_places_come_back_whatever_happens() {
    let semaphore = FairSemaphore::halved(6);
    let running = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for number in 0..2_000_u32 {
        let (semaphore, running) = (semaphore.clone(), Arc::clone(&running));
        tasks.spawn(async move {
            let work = async {
                let Ok(mut permit) = semaphore.acquire(number % 7).await else { return };
                {
                    let _running = Running::new(&running);
                    assert!(running.load(Ordering::SeqCst) <= 6);
                    tokio::task::yield_now().await;
                }
                if number % 3 == 0 {
                    permit.yield_place().await;
                }
            };
            match number % 5 {
                // Gives up somewhere on the way.
                0 => drop(tokio::time::timeout(Duration::from_micros(u64::from(number % 90)), work).await),
                _ => work.await,
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let all: Vec<_> = (0..6).map(|holder| semaphore.try_acquire(holder)).collect();
    assert!(all.iter().all(Option::is_some));
}

#[test]
fn work_stops_when_its_time_is_over_or_nobody_waits_for_it() {
    let (checkpoint, guard) = Checkpoint::new(None, None);
    assert_eq!((checkpoint.check(), checkpoint.time_left()), (Ok(()), Ok(None)));
    drop(guard);
    assert_eq!(checkpoint.check(), Err(Interrupted::Abandoned));
    let late = Checkpoint::until(Instant::now());
    assert_eq!(late.check(), Err(Interrupted::OutOfTime));
    assert_eq!(late.time_left(), Err(Interrupted::OutOfTime));
}

#[test]
fn long_work_lets_others_go_first_after_its_slice() {
    let semaphore = FairSemaphore::new(1, 1);
    let permit = semaphore.try_acquire(WorkFor::Server).unwrap();
    // Before the checkpoint is made: the slice begins there, and the other may be slow to start.
    let begin = Instant::now();
    let (checkpoint, guard) = Checkpoint::new(Some(permit), None);
    let user = WorkFor::User(UserId::from_uuid(uuid::Uuid::nil()));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let other = {
        let semaphore = semaphore.clone();
        runtime.spawn(async move { semaphore.acquire(user).await.is_ok() })
    };
    while !other.is_finished() {
        checkpoint.check().unwrap();
    }
    assert!(begin.elapsed() >= Duration::from_millis(50), "it keeps its place for a slice");
    drop((checkpoint, guard));
    assert_eq!(semaphore.held_by(WorkFor::Server), 0);
}
