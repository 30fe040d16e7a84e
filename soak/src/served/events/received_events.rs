//! The events that one listener received, and faults in their order and number.

use std::collections::BTreeSet;

/// The versions of each note that were received, compared with what must be received: every version, once, in order.
pub(in super::super) struct ReceivedEvents {
    newest: Vec<u64>,
    /// Note and version: skipped, and not received until now.
    skipped: BTreeSet<(usize, u64)>,
    faults: EventFaults,
    /// How many versions were received, each counted once.
    pub(in super::super) versions: u64,
}

/// What must not happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct EventFaults {
    /// Never received.
    pub(in super::super) missed: usize,
    /// Received again.
    pub(in super::super) doubled: usize,
    /// Received after a newer one.
    pub(in super::super) disordered: usize,
    /// Received of a version that never was.
    pub(in super::super) invented: usize,
}

impl ReceivedEvents {
    /// Of a listener that starts after these versions of the notes.
    pub(in super::super) fn after(newest: Vec<u64>) -> ReceivedEvents {
        ReceivedEvents { newest, skipped: BTreeSet::new(), faults: EventFaults::default(), versions: 0 }
    }

    /// Adds a version. An event of an item that is no note of the trial is a fault.
    pub(in super::super) fn receive(&mut self, note: Option<usize>, version: u64) {
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

    /// The faults, if these are the newest versions.
    pub(in super::super) fn faults(&self, newest: &[u64]) -> EventFaults {
        let pairs = || self.newest.iter().zip(newest);
        let behind: u64 = pairs().map(|(received, there)| there.saturating_sub(*received)).sum();
        let ahead: u64 = pairs().map(|(received, there)| received.saturating_sub(*there)).sum();
        EventFaults {
            missed: self.skipped.len() + usize::try_from(behind).unwrap_or(usize::MAX),
            invented: self.faults.invented + usize::try_from(ahead).unwrap_or(usize::MAX),
            ..self.faults
        }
    }
}

impl std::ops::AddAssign for EventFaults {
    fn add_assign(&mut self, other: EventFaults) {
        self.missed += other.missed;
        self.doubled += other.doubled;
        self.disordered += other.disordered;
        self.invented += other.invented;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_of(versions: &[(usize, u64)]) -> EventFaults {
        let mut received = ReceivedEvents::after(vec![1, 1]);
        for (note, version) in versions {
            received.receive(Some(*note), *version);
        }
        received.faults(&[4, 2])
    }

    #[test]
    fn everything_once_in_order_of_each_note_is_right() {
        assert_eq!(faults_of(&[(0, 2), (1, 2), (0, 3), (0, 4)]), EventFaults::default());
        assert_eq!(faults_of(&[(0, 2), (0, 3), (0, 4), (1, 2)]), EventFaults::default());
    }

    #[test]
    fn every_fault_is_counted_once() {
        assert_eq!(faults_of(&[(0, 2), (0, 4), (1, 2)]), EventFaults { missed: 1, ..EventFaults::default() });
        assert_eq!(faults_of(&[(0, 2), (0, 3)]), EventFaults { missed: 2, ..EventFaults::default() });
        assert_eq!(
            faults_of(&[(0, 2), (0, 3), (0, 3), (0, 4), (1, 2)]),
            EventFaults { doubled: 1, ..EventFaults::default() }
        );
        assert_eq!(
            faults_of(&[(0, 2), (0, 4), (0, 3), (1, 2)]),
            EventFaults { disordered: 1, ..EventFaults::default() }
        );
        assert_eq!(
            faults_of(&[(0, 2), (0, 3), (0, 4), (1, 2), (1, 3)]),
            EventFaults { invented: 1, ..EventFaults::default() }
        );
    }
}
