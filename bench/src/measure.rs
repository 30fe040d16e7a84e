//! Measuring two operations in one run, alternating, so that whatever slows the machine slows both.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How often the two are run. Both are run once before, unmeasured: memory is mapped and caches are as they stay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// At least so many rounds, however long they take.
    pub(crate) least: usize,
    /// At most so many.
    pub(crate) most: usize,
    /// No further round is begun after this.
    pub(crate) budget: Duration,
}

/// The medians of the rounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Medians {
    /// Of what was measured.
    pub(crate) subject: Duration,
    /// Of what it is compared with.
    pub(crate) reference: Duration,
}

impl Medians {
    /// How many times as long the subject takes.
    pub(crate) fn ratio(&self) -> f64 {
        self.subject.as_secs_f64() / self.reference.as_secs_f64()
    }
}

/// Runs both in every round, alternating which goes first.
///
/// What they return is dropped after the clock was read. So an allocation finds what the other one has just freed,
/// for both alike.
pub(crate) fn side_by_side<A, B>(
    effort: Effort,
    mut subject: impl FnMut() -> A,
    mut reference: impl FnMut() -> B,
) -> Medians {
    time(&mut subject);
    time(&mut reference);
    let begin = Instant::now();
    let (mut subject_times, mut reference_times) = (Vec::new(), Vec::new());
    for round in 0..effort.most {
        if round >= effort.least && begin.elapsed() > effort.budget {
            break;
        }
        if round % 2 == 0 {
            subject_times.push(time(&mut subject));
            reference_times.push(time(&mut reference));
        } else {
            reference_times.push(time(&mut reference));
            subject_times.push(time(&mut subject));
        }
    }
    Medians { subject: median(subject_times), reference: median(reference_times) }
}

/// The medians of figures that were measured alternately: the measured one and its reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairedFigures {
    /// Of what was measured.
    pub(crate) subject: f64,
    /// Of what it is compared with.
    pub(crate) reference: f64,
}

impl PairedFigures {
    /// How many times as much the subject has.
    pub(crate) fn ratio(&self) -> f64 {
        self.subject / self.reference
    }
}

/// Measures a figure of both in every round, alternating which goes first, after one round that does not count.
pub(crate) fn in_turns(
    rounds: usize,
    mut subject: impl FnMut() -> Result<f64, Box<dyn Error>>,
    mut reference: impl FnMut() -> Result<f64, Box<dyn Error>>,
) -> Result<PairedFigures, Box<dyn Error>> {
    subject()?;
    reference()?;
    let (mut subjects, mut references) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        if round % 2 == 0 {
            subjects.push(subject()?);
            references.push(reference()?);
        } else {
            references.push(reference()?);
            subjects.push(subject()?);
        }
    }
    Ok(PairedFigures { subject: middle(subjects), reference: middle(references) })
}

/// The median of figures; 0 of none.
pub(crate) fn middle(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

fn time<R>(operation: &mut impl FnMut() -> R) -> Duration {
    let waited_before = waited();
    let begin = Instant::now();
    let result = black_box(operation());
    let elapsed = begin.elapsed();
    let waited = waited().saturating_sub(waited_before);
    drop(result);
    elapsed.saturating_sub(waited)
}

/// How long this thread was ready to run while others had the processor, where Linux tells it; zero elsewhere.
///
/// On a busy machine every long operation is interrupted and few short ones are. The time of the others would make
/// a linear operation look worse than that.
fn waited() -> Duration {
    let schedstat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = schedstat.split_ascii_whitespace().nth(1).and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
