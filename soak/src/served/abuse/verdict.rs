//! Whether the stages of a trial keep the promises.

use std::time::Duration;

use anyhow::ensure;

use super::latency::{Measure, shown};
use super::memory::MEGABYTE;
use super::stage::{Stage, Surroundings};
use crate::{Form, TOLD};

/// What the server may take beside its budget,
const BESIDE_BUDGET: u64 = 150 * MEGABYTE;
/// and in the short form, whose build keeps more and frees later.
const BESIDE_BUDGET_DEBUG: u64 = 400 * MEGABYTE;
/// After so long a request of the bystander hangs, whatever the build and the machine,
const HANGS: Duration = Duration::from_secs(10);
/// and so soon after an attack everything is as usual again.
const RECOVERS: Duration = Duration::from_secs(10);

/// Prints each bar with what was measured, and fails if a promise was not kept.
pub(super) fn judge(form: Form, stages: &[Stage], budget: u64, further_faults: Vec<String>) -> anyhow::Result<()> {
    let mut missed = further_faults;
    missed.extend(stages.iter().flat_map(|stage| &stage.measured.faults).cloned());
    println!();
    for measure in Measure::ALL {
        missed.extend(latency(form, stages, measure));
    }
    missed.extend(memory(form, stages, budget));
    missed.extend(stages.iter().filter(|stage| stage.recovery.is_none_or(|time| time > RECOVERS)).map(|stage| {
        format!("after {} it took {:?} until the bystander was served as usual", stage.name, stage.recovery)
    }));
    let told: Vec<&str> = missed.iter().take(TOLD).map(String::as_str).collect();
    ensure!(missed.is_empty(), "{} times a promise was not kept: {}", missed.len(), told.join("; "));
    Ok(())
}

/// The bar of one measure. The short form runs a build that is not optimized beside whatever else the machine does: what
/// fails it is a request that hangs.
fn latency(form: Form, stages: &[Stage], measure: Measure) -> Option<String> {
    let p99_of = |stage: &Stage| stage.latencies(measure).quantile(990);
    let worst_of = |surroundings: Surroundings| {
        let those = stages.iter().filter(|stage| stage.surroundings == surroundings);
        those.max_by_key(|stage| p99_of(stage))
    };
    let (quiet, busy) = (worst_of(Surroundings::Quiet)?, worst_of(Surroundings::BusyThreads)?);
    let attacked = worst_of(Surroundings::Attack)?;
    let (name, bar) = (measure.name(), measure.bar());
    let verdict = if p99_of(attacked) <= bar {
        "ok"
    } else if p99_of(busy) > bar {
        "MISSED, and beside busy threads too"
    } else {
        "MISSED"
    };
    println!(
        "{name}: p99 {} ms alone, {} beside busy threads, {} beside {} (at most {}): {verdict}",
        shown(p99_of(quiet)),
        shown(p99_of(busy)),
        shown(p99_of(attacked)),
        attacked.name,
        shown(bar)
    );
    let hung = stages.iter().find(|stage| stage.latencies(measure).quantile(1_000) > HANGS);
    match (form, hung) {
        (_, Some(stage)) => Some(format!("{name} hung beside {}: {}", stage.name, stage.latencies(measure).summary())),
        (_, None) if stages.iter().any(|stage| stage.latencies(measure).count() == 0) => {
            Some(format!("{name} was not measured in a stage"))
        }
        (Form::Long, None) if verdict == "MISSED" => {
            Some(format!("{name}: p99 {} ms beside {}", shown(p99_of(attacked)), attacked.name))
        }
        (Form::Short | Form::Long, None) => None,
    }
}

fn memory(form: Form, stages: &[Stage], budget: u64) -> Option<String> {
    let most = stages.iter().max_by_key(|stage| stage.memory.peak)?;
    let beside = match form {
        Form::Short => BESIDE_BUDGET_DEBUG,
        Form::Long => BESIDE_BUDGET,
    };
    let (peak, bar) = (most.memory.peak / MEGABYTE, (budget + beside) / MEGABYTE);
    let verdict = if peak <= bar { "ok" } else { "MISSED" };
    println!("memory: {peak} MB at the most, in {} (at most {bar}): {verdict}", most.name);
    (peak > bar).then(|| format!("{peak} MB of anonymous memory in {}; at most {bar}", most.name))
}
