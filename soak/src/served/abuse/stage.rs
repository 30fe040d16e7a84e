//! What was measured in one stage of the trial, as a row of its table.

use std::time::Duration;

use super::attack_process::Outcomes;
use super::bystander::Measured;
use super::latency::{Latencies, Measure, shown};
use super::memory::{AnonymousMemory, MEGABYTE};

/// What happens to the server in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surroundings {
    /// Nothing else.
    Quiet,
    /// Threads that only spin, one for each core: a bar that is missed beside them is not missed by the server,
    BusyThreads,
    /// and as many as attackers have connections.
    ManyBusyThreads,
    /// Attackers.
    Attack,
}

/// A stage that is over.
pub(super) struct Stage {
    pub(super) name: String,
    pub(super) surroundings: Surroundings,
    pub(super) measured: Measured,
    pub(super) memory: AnonymousMemory,
    /// How long it took, after the attackers stopped, until the bystander was served as usual; none if it never was.
    pub(super) recovery: Option<Duration>,
    pub(super) outcomes: Outcomes,
}

impl Stage {
    pub(super) fn latencies(&self, measure: Measure) -> Latencies {
        self.measured.latencies.get(&measure).cloned().unwrap_or_default()
    }

    /// Prints the head of the table.
    pub(super) fn print_head() {
        println!("\np50/p99/longest in ms; anonymous memory at the end and at the most in MB; s until served as usual");
        print!("{:<22}", "stage");
        for measure in Measure::ALL {
            print!(" {:>18}", measure.name());
        }
        println!(" {:>11} {:>6}", "memory", "after");
        print!("{:<22}", "(p99 at the most)");
        for measure in Measure::ALL {
            print!(" {:>18}", shown(measure.bar()));
        }
        println!();
    }

    /// Prints the row, and below it what the attackers got and what the bystander did not.
    pub(super) fn print(&self) {
        print!("{:<22}", self.name);
        for measure in Measure::ALL {
            let latencies = self.latencies(measure);
            let mark = if latencies.quantile(990) > measure.bar() { "!" } else { "" };
            print!(" {:>18}", latencies.summary() + mark);
        }
        let memory = format!("{}/{}", self.memory.end / MEGABYTE, self.memory.peak / MEGABYTE);
        let recovery = self.recovery.map_or("never".to_owned(), |time| format!("{:.1}", time.as_secs_f64()));
        println!(" {memory:>11} {recovery:>6}");
        for (attack, outcomes) in &self.outcomes {
            let outcomes: Vec<String> =
                outcomes.iter().map(|(outcome, count)| format!("{outcome} × {count}")).collect();
            println!("    {attack}: {}", outcomes.join(", "));
        }
        let faults = &self.measured.faults;
        if let Some(first) = faults.first() {
            println!("    the bystander had {} faults, the first: {first:.300}", faults.len());
        }
    }
}
