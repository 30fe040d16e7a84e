//! Worst-case inputs. Each is measured at half its size too: linear means about twice the time.

use std::error::Error;
use std::time::{Duration, Instant};

use crate::measure::{Effort, side_by_side};
use crate::table::{Table, millis, times, verdict};

const EFFORT: Effort = Effort { least: 3, most: 15, budget: Duration::from_secs(2) };
/// Noise and the sizes of caches make more of it than 2.
const MAX_RATIO: f64 = 3.0;
/// When an expression that may read a line for each of its matches is stopped.
const DEADLINE: Duration = Duration::from_millis(200);

const COLUMNS: &[&str] = &["trap", "half size", "whole", "ratio", "bar", "", "ns/byte", "outcome"];

/// One input.
pub(super) struct Trap {
    pub(super) name: &'static str,
    pub(super) bound: Bound,
    pub(super) prepare: fn(Size) -> Trial,
}

/// What holds the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// It is linear in the size.
    Linear,
    /// It ends soon after the caller says so.
    Deadline,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Size {
    Half,
    Whole,
}

impl Size {
    pub(super) fn scale(self, whole: usize) -> usize {
        match self {
            Size::Half => whole / 2,
            Size::Whole => whole,
        }
    }
}

/// A trap at one size.
pub(super) struct Trial {
    /// Size of the text.
    bytes: usize,
    /// Returns its outcome in a few words.
    operation: Box<dyn FnMut() -> String>,
}

impl Trial {
    pub(super) fn new(bytes: usize, operation: impl FnMut() -> String + 'static) -> Trial {
        Trial { bytes, operation: Box::new(operation) }
    }
}

/// Says for how long to go on, from now.
pub(super) fn until_deadline() -> impl FnMut() -> bool {
    let begin = Instant::now();
    move || begin.elapsed() < DEADLINE
}

pub(super) fn run<'t>(filter: &str, traps: impl Iterator<Item = &'t Trap>) -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(filter, "## The engine on inputs made to take long", COLUMNS);
    for trap in traps.filter(|trap| trap.name.contains(filter)) {
        let (mut half, mut whole) = ((trap.prepare)(Size::Half), (trap.prepare)(Size::Whole));
        let (outcome, outcome_of_half) = ((whole.operation)(), (half.operation)());
        if kind(&outcome) != kind(&outcome_of_half) {
            return Err(format!("{}: {outcome}, but {outcome_of_half} at half the size", trap.name).into());
        }
        let medians = side_by_side(EFFORT, &mut whole.operation, &mut half.operation);
        let (bar, passes) = match trap.bound {
            Bound::Linear => (times(MAX_RATIO), medians.ratio() < MAX_RATIO),
            Bound::Deadline => (millis(2 * DEADLINE), medians.subject < 2 * DEADLINE),
        };
        let per_byte = medians.subject.as_secs_f64() * 1e9 / whole.bytes as f64;
        let figures = [millis(medians.reference), millis(medians.subject), times(medians.ratio()), bar];
        let rest = [verdict(passes), format!("{per_byte:.1}"), outcome];
        table.row(trap.name, &figures.into_iter().chain(rest).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// An outcome without its numbers: two sizes of the same trap have the same.
fn kind(outcome: &str) -> String {
    outcome.chars().filter(|c| !c.is_ascii_digit()).collect()
}
