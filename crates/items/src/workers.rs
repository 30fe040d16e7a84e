//! Background workers: one that panics is started again, after a pause that grows, and is counted.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// The pause before a worker is started again: the first, which doubles each time, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A worker that ran for so long begins with the first pause again.
const SETTLED: Duration = Duration::from_secs(60);

/// How often each worker of this process was started again.
static RESTARTS: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());

fn restarts() -> MutexGuard<'static, BTreeMap<&'static str, u64>> {
    RESTARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often each worker of this process was started again, by its name; a worker that never was is not there.
pub fn worker_restarts() -> BTreeMap<&'static str, u64> {
    restarts().clone()
}

/// Counts that a worker was started again, for a worker that is no task.
pub fn count_worker_restart(worker: &'static str) {
    *restarts().entry(worker).or_default() += 1;
}

/// Runs a worker to its end, which for most workers never comes, and starts it again where it panics. The worker ends when
/// the returned future is dropped.
pub async fn supervise<F>(worker: &'static str, start: impl Fn() -> F) -> F::Output
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    let mut pause = FIRST_PAUSE;
    loop {
        let started = Instant::now();
        // A task of its own, so that its panic ends nothing else.
        let mut task = JoinSet::new();
        task.spawn(start());
        if let Some(Ok(ended)) = task.join_next().await {
            return ended;
        }
        count_worker_restart(worker);
        if started.elapsed() >= SETTLED {
            pause = FIRST_PAUSE;
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_worker_that_panics_is_started_again_and_counted() {
        let starts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&starts);
        let ended = supervise("panics twice", move || {
            let counted = Arc::clone(&counted);
            async move {
                let turn = counted.fetch_add(1, Ordering::SeqCst);
                assert!(turn >= 2, "injected");
                turn
            }
        });
        assert_eq!(ended.await, 2);
        assert_eq!(worker_restarts().get("panics twice"), Some(&2));
        assert_eq!(worker_restarts().get("never started"), None);
    }

    #[tokio::test]
    async fn a_worker_ends_with_its_supervisor() {
        let alive = Arc::new(());
        let held = Arc::clone(&alive);
        let supervised = tokio::spawn(async move {
            supervise("ends", || {
                let held = Arc::clone(&held);
                async move {
                    let _held = held;
                    std::future::pending::<()>().await;
                }
            })
            .await;
        });
        tokio::task::yield_now().await;
        supervised.abort();
        let _ = supervised.await;
        while Arc::strong_count(&alive) > 1 {
            tokio::task::yield_now().await;
        }
    }
}
