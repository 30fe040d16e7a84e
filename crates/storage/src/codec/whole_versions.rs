//! Which versions of a damaged item are tried first, and when the search for whole ones ends.

use std::time::{Duration, Instant};

/// How long whole versions are looked for.
const MAX_TIME: Duration = Duration::from_secs(1);

/// The versions of an item in the order in which they are tried; `newest_first` says of each whether its undo record stands
/// alone. First those that are rebuilt from a whole copy: they do not depend on the newest content, which may be damaged.
pub(crate) fn by_promise(newest_first: impl Iterator<Item = (u64, bool)>) -> Vec<u64> {
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    let mut newer_stands_alone = false;
    for (version, stands_alone) in newest_first {
        if newer_stands_alone { &mut first } else { &mut rest }.push(version);
        newer_stands_alone = stands_alone;
    }
    first.append(&mut rest);
    first
}

/// A search for whole versions.
pub(crate) struct WholeVersions {
    until: Instant,
    limit: usize,
    found: Vec<u64>,
}

impl WholeVersions {
    pub(crate) fn new(limit: usize) -> WholeVersions {
        WholeVersions { until: Instant::now() + MAX_TIME, limit, found: Vec::new() }
    }

    /// Whether another version is to be tried.
    pub(crate) fn goes_on(&self) -> bool {
        self.found.len() < self.limit && Instant::now() < self.until
    }

    /// Adds a version that was tried.
    pub(crate) fn add(&mut self, version: u64, is_whole: bool) {
        if is_whole {
            self.found.push(version);
        }
    }

    /// Those that are whole, newest first.
    pub(crate) fn finish(mut self) -> Vec<u64> {
        self.found.sort_unstable_by(|one, other| other.cmp(one));
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_before_a_whole_copy_are_tried_first() {
        let history = [(6, false), (5, true), (4, false), (3, true), (2, false), (1, true)];
        assert_eq!(by_promise(history.into_iter()), [4, 2, 6, 5, 3, 1]);
        assert_eq!(by_promise([].into_iter()), [0; 0]);
    }
}
