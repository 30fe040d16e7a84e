//! What one listener was told.

use std::collections::BTreeSet;

/// What was told of each note, held against what must be: every version, once, one after the other.
pub(super) struct Heard {
    newest: Vec<u64>,
    /// Note and version: skipped, and not told until now.
    skipped: BTreeSet<(usize, u64)>,
    faults: Faults,
    /// How many versions were told, each counted once.
    pub(super) versions: u64,
}

/// What must not be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Faults {
    /// Never told.
    pub(super) missed: usize,
    /// Told again.
    pub(super) doubled: usize,
    /// Told after a newer one.
    pub(super) disordered: usize,
    /// Told of what never happened.
    pub(super) invented: usize,
}

impl Heard {
    /// That of somebody who listens from these versions of the notes on.
    pub(super) fn after(newest: Vec<u64>) -> Heard {
        Heard { newest, skipped: BTreeSet::new(), faults: Faults::default(), versions: 0 }
    }

    /// Takes note of a version. Of something that is no note of the trial there must be no word.
    pub(super) fn hear(&mut self, note: Option<usize>, version: u64) {
        let Some(note) = note else {
            self.faults.invented += 1;
            return;
        };
        self.versions += 1;
        let newest = self.newest[note];
        if version > newest {
            self.skipped.extend((newest + 1..version).map(|skipped| (note, skipped)));
            self.newest[note] = version;
        } else if self.skipped.remove(&(note, version)) {
            self.faults.disordered += 1;
        } else {
            self.faults.doubled += 1;
            self.versions -= 1;
        }
    }

    /// What it is like if these are the newest versions.
    pub(super) fn faults(&self, newest: &[u64]) -> Faults {
        let told = || self.newest.iter().zip(newest);
        let behind: u64 = told().map(|(told, there)| there.saturating_sub(*told)).sum();
        let ahead: u64 = told().map(|(told, there)| told.saturating_sub(*there)).sum();
        Faults {
            missed: self.skipped.len() + usize::try_from(behind).unwrap_or(usize::MAX),
            invented: self.faults.invented + usize::try_from(ahead).unwrap_or(usize::MAX),
            ..self.faults
        }
    }
}

impl std::ops::AddAssign for Faults {
    fn add_assign(&mut self, other: Faults) {
        self.missed += other.missed;
        self.doubled += other.doubled;
        self.disordered += other.disordered;
        self.invented += other.invented;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(versions: &[(usize, u64)]) -> Faults {
        let mut heard = Heard::after(vec![1, 1]);
        for (note, version) in versions {
            heard.hear(Some(*note), *version);
        }
        heard.faults(&[4, 2])
    }

    #[test]
    fn everything_once_in_order_of_each_note_is_right() {
        assert_eq!(told(&[(0, 2), (1, 2), (0, 3), (0, 4)]), Faults::default());
        assert_eq!(told(&[(0, 2), (0, 3), (0, 4), (1, 2)]), Faults::default());
    }

    #[test]
    fn every_fault_is_counted_once() {
        assert_eq!(told(&[(0, 2), (0, 4), (1, 2)]), Faults { missed: 1, ..Faults::default() });
        assert_eq!(told(&[(0, 2), (0, 3)]), Faults { missed: 2, ..Faults::default() });
        assert_eq!(told(&[(0, 2), (0, 3), (0, 3), (0, 4), (1, 2)]), Faults { doubled: 1, ..Faults::default() });
        assert_eq!(told(&[(0, 2), (0, 4), (0, 3), (1, 2)]), Faults { disordered: 1, ..Faults::default() });
        assert_eq!(told(&[(0, 2), (0, 3), (0, 4), (1, 2), (1, 3)]), Faults { invented: 1, ..Faults::default() });
    }
}
