//! A histogram of durations that many threads add to.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Fine enough for a ratio of medians.
const STEP: Duration = Duration::from_micros(20);
const STEPS: usize = 500_000;

/// Times up to ten seconds, counted by everybody who has one.
pub(super) struct Times(Vec<AtomicU64>);

impl Default for Times {
    fn default() -> Times {
        Times(std::iter::repeat_with(AtomicU64::default).take(STEPS).collect())
    }
}

impl Times {
    pub(super) fn add(&self, time: Duration) {
        let step = usize::try_from(time.as_nanos() / STEP.as_nanos()).unwrap_or(STEPS);
        self.0[step.min(STEPS - 1)].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|count| count.load(Ordering::Relaxed)).sum()
    }

    /// The shortest time that so many in a thousand did not exceed.
    pub(super) fn quantile(&self, per_mille: u64) -> Duration {
        let wanted = (self.count() * per_mille).div_ceil(1_000);
        let mut sum = 0;
        let step = self.0.iter().position(|count| {
            sum += count.load(Ordering::Relaxed);
            sum >= wanted
        });
        STEP * u32::try_from(step.map_or(0, |step| step + 1)).unwrap_or(u32::MAX)
    }

    /// In milliseconds.
    pub(super) fn millis(&self, per_mille: u64) -> f64 {
        self.quantile(per_mille).as_secs_f64() * 1_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_at_most_a_step_too_long() {
        let times = Times::default();
        for time in 1..=100 {
            times.add(Duration::from_millis(time));
        }
        times.add(Duration::from_secs(60));
        assert_eq!(times.count(), 101);
        assert_eq!(times.quantile(500), Duration::from_millis(51) + STEP);
        assert_eq!(times.quantile(1_000), STEP * u32::try_from(STEPS).unwrap());
    }
}
