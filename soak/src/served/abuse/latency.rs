//! What the bystander measures: how long each sort of its requests takes, and what that may be.

use std::time::Duration;

/// A sort of request, or what follows from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Measure {
    /// Reading a note of 2 KB,
    Get,
    /// and the same on a connection that is made for it.
    NewConnection,
    /// `str-replace` in a note of 2 KB.
    Edit,
    /// A list of 50.
    List,
    /// A search for a word.
    Search,
    /// Rendering a small prompt.
    Render,
    /// From the answer to an edit until the listener hears of it.
    Event,
}

impl Measure {
    pub(super) const ALL: [Measure; 7] = [
        Measure::Get,
        Measure::NewConnection,
        Measure::Edit,
        Measure::List,
        Measure::Search,
        Measure::Render,
        Measure::Event,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Measure::Get => "get",
            Measure::NewConnection => "connect+get",
            Measure::Edit => "edit",
            Measure::List => "list",
            Measure::Search => "search",
            Measure::Render => "render",
            Measure::Event => "event",
        }
    }

    /// What p99 may be beside any attack.
    pub(super) fn bar(self) -> Duration {
        Duration::from_millis(match self {
            Measure::Get | Measure::NewConnection => 50,
            Measure::Edit => 100,
            Measure::List | Measure::Search | Measure::Render | Measure::Event => 250,
        })
    }
}

/// Times of one measure.
#[derive(Clone, Debug, Default)]
pub(super) struct Latencies(Vec<Duration>);

impl Latencies {
    pub(super) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Adds those requests that were due while one was waited for: each would have waited until its answer came too.
    pub(super) fn add_missed(&mut self, times: impl Iterator<Item = Duration>) {
        self.0.extend(times);
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The shortest time that so many in a thousand did not exceed; nothing where there is none.
    pub(super) fn quantile(&self, per_mille: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * per_mille).div_ceil(1_000);
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// p50, p99 and the longest, in milliseconds.
    pub(super) fn summary(&self) -> String {
        let [median, p99, longest] = [500, 990, 1_000].map(|per_mille| shown(self.quantile(per_mille)));
        format!("{median}/{p99}/{longest}")
    }
}

/// In milliseconds, as exactly as it matters.
pub(super) fn shown(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1_000.0;
    if millis < 9.95 { format!("{millis:.1}") } else { format!("{millis:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_a_time_that_was_measured() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.quantile(990), Duration::ZERO);
        latencies.add_missed((1..=200).rev().map(Duration::from_millis));
        assert_eq!(latencies.quantile(500), Duration::from_millis(100));
        assert_eq!(latencies.quantile(990), Duration::from_millis(198));
        assert_eq!(latencies.summary(), "100/198/200");
        assert_eq!(latencies.count(), 200);
    }
}
