//! So many lines a second at the most, for what clients can cause as often as they like.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_secs(1);

/// Says when the next line may be logged, and counts what was not logged.
pub(crate) struct LogLimit {
    lines_per_second: u32,
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    /// When the second began that `lines` is about.
    since: Option<Instant>,
    lines: u32,
    count: u64,
}

impl Default for LogLimit {
    /// A line a second.
    fn default() -> LogLimit {
        LogLimit::new(1)
    }
}

impl LogLimit {
    pub(crate) fn new(lines_per_second: u32) -> LogLimit {
        LogLimit { lines_per_second, pending: Mutex::default() }
    }

    /// How often it has happened since the last line, this time included, if there may be a line now.
    pub(crate) fn count(&self) -> Option<u64> {
        self.count_at(Instant::now())
    }

    fn count_at(&self, now: Instant) -> Option<u64> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.count += 1;
        if pending.since.is_none_or(|since| now.saturating_duration_since(since) >= PAUSE) {
            pending.since = Some(now);
            pending.lines = 0;
        }
        if pending.lines >= self.lines_per_second {
            return None;
        }
        pending.lines += 1;
        Some(std::mem::take(&mut pending.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_line_a_second_that_counts_the_rest() {
        let (limit, start) = (LogLimit::default(), Instant::now());
        let lines: Vec<_> = (0..2_500).map(|ms| limit.count_at(start + Duration::from_millis(ms))).collect();
        assert_eq!(lines.into_iter().flatten().collect::<Vec<_>>(), [1, 1_000, 1_000]);
        let (limit, start) = (LogLimit::new(3), Instant::now());
        let lines: Vec<_> = (0..2_500).map(|ms| limit.count_at(start + Duration::from_millis(ms))).collect();
        assert_eq!(lines.into_iter().flatten().collect::<Vec<_>>(), [1, 1, 1, 998, 1, 1, 998, 1, 1]);
    }
}
