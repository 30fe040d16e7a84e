//! The server's anonymous memory during a stage, and the budget that bounds it.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context as _;

use super::super::process::{Served, wait};

/// Between two looks.
const LOOK: Duration = Duration::from_millis(50);
pub(super) const MEGABYTE: u64 = 1_000_000;
/// The most that the budget is, unless an operator says otherwise.
const LARGEST_BUDGET: u64 = 512 * 1024 * 1024;
/// Where a cgroup's limit is: a number, or `max`.
const CGROUP_LIMIT: &str = "/sys/fs/cgroup/memory.max";

/// Bytes at the end of a stage, and the most in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AnonymousMemory {
    pub(super) end: u64,
    pub(super) peak: u64,
}

impl AnonymousMemory {
    /// What came of something, and the memory that the server had meanwhile.
    pub(super) fn during<T>(
        served: &Served,
        meanwhile: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, AnonymousMemory)> {
        let (is_over, peak) = (AtomicBool::new(false), AtomicU64::new(0));
        let outcome = std::thread::scope(|scope| {
            let looking = scope.spawn(|| {
                while !is_over.load(Ordering::Acquire) {
                    peak.fetch_max(anonymous(served).unwrap_or(0), Ordering::Relaxed);
                    wait(LOOK);
                }
            });
            let outcome = meanwhile();
            is_over.store(true, Ordering::Release);
            // It has nothing to give back.
            let _ = looking.join();
            outcome
        })?;
        let end = anonymous(served).context("the server is gone")?;
        Ok((outcome, AnonymousMemory { end, peak: peak.into_inner().max(end) }))
    }
}

fn anonymous(served: &Served) -> anyhow::Result<u64> {
    Ok(served.memory("RssAnon:")? * 1024)
}

/// What a server allows itself where nothing else is set: 512 MB, or a quarter of what the machine or the cgroup has.
pub(super) fn default_budget() -> anyhow::Result<u64> {
    let told = fs::read_to_string("/proc/meminfo")?;
    let total = told.split('\n').find_map(|line| line.strip_prefix("MemTotal:")).context("no MemTotal")?;
    let total: u64 = total.split_whitespace().next().context("no number")?.parse()?;
    let cgroup = fs::read_to_string(CGROUP_LIMIT).ok().and_then(|limit| limit.trim().parse().ok()).unwrap_or(u64::MAX);
    Ok(LARGEST_BUDGET.min((total * 1024).min(cgroup) / 4))
}
