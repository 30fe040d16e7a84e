//! Which rules decided the outcome of a case: the oracle notes them, for the tally of the generated cases.

use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local!(static REACHED: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) });

/// Notes that the rule took part in the outcome.
pub(crate) fn note(rule: &'static str) {
    REACHED.with_borrow_mut(|reached| reached.insert(rule));
}

/// The rules noted on this thread since the last call.
pub(crate) fn take() -> BTreeSet<&'static str> {
    REACHED.take()
}
