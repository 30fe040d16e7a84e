//! A line a second at the most, for what clients can cause as often as they like.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_secs(1);

/// Says when the next line may be logged, and counts what was not logged.
#[derive(Default)]
pub(crate) struct LogLimit(Mutex<Pending>);

#[derive(Default)]
struct Pending {
    last: Option<Instant>,
    count: u64,
}

impl LogLimit {
    /// How often it has happened since the last line, if there may be a line now.
    pub(crate) fn count(&self) -> Option<u64> {
        self.count_at(Instant::now())
    }

    fn count_at(&self, now: Instant) -> Option<u64> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pending.count += 1;
        if pending.last.is_some_and(|last| now.saturating_duration_since(last) < PAUSE) {
            return None;
        }
        pending.last = Some(now);
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
    }
}
