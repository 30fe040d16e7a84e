//! How much a search may do before it asks its caller whether to go on.

use super::SearchInterrupted;

/// Units of work between two questions. A unit is one state of an automaton at one byte, which takes 10 to 80 ns: a
/// caller that wants to stop waits some 10 ms at the most.
pub(super) const UNITS: usize = if cfg!(fuzzing) { 64 } else { 1 << 17 };

/// Bytes that are looked through at the speed of memory for one unit.
pub(super) const SCANNED_BYTES: usize = 16;

/// Asks the caller after every [`UNITS`] of work.
pub(super) struct WorkBudget<'k> {
    keep_going: &'k mut dyn FnMut() -> bool,
    left: usize,
}

impl<'k> WorkBudget<'k> {
    pub(super) fn new(keep_going: &'k mut dyn FnMut() -> bool) -> Self {
        WorkBudget { keep_going, left: UNITS }
    }

    /// Takes the units of the work that comes next; asks first if they are not left.
    #[inline]
    pub(super) fn spend(&mut self, units: usize) -> Result<(), SearchInterrupted> {
        if units > self.left {
            self.ask()?;
        }
        self.left = self.left.saturating_sub(units);
        Ok(())
    }

    /// Asks now.
    pub(super) fn ask(&mut self) -> Result<(), SearchInterrupted> {
        self.left = UNITS;
        if (self.keep_going)() { Ok(()) } else { Err(SearchInterrupted) }
    }
}
