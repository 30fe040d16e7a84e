//! The lease by which one process at a time works on the index. Two that do so at once do no harm, only the same work.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// How long other processes stay away after a step; so long they also wait for a process that has ended.
const LENGTH: SignedDuration = SignedDuration::from_secs(10);

/// The lease of a process that works on the index from a moment on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lease {
    holder: Uuid,
    now: Timestamp,
}

impl Lease {
    pub(crate) fn new(holder: Uuid) -> Lease {
        Lease { holder, now: Timestamp::now() }
    }

    /// The text that is stored.
    pub(crate) fn to_text(self) -> String {
        format!("{} {}", self.holder, (self.now + LENGTH).as_microsecond())
    }

    /// Whether another process still holds the stored lease. A lease that cannot be read is held by none, and so is one
    /// that lasts longer than any lease does: a clock was wrong.
    pub(crate) fn is_held_elsewhere(self, stored: &str) -> bool {
        let parsed = stored.split_once(' ').and_then(|(holder, until)| {
            Some((Uuid::parse_str(holder).ok()?, Timestamp::from_microsecond(until.parse().ok()?).ok()?))
        });
        parsed.is_some_and(|(holder, until)| holder != self.holder && self.now < until && until <= self.now + LENGTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_stay_away_for_a_while() {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(1);
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let stored = Lease { holder: one, now }.to_text();
        let later = |holder, seconds| Lease { holder, now: now + SignedDuration::from_secs(seconds) };
        assert!(!later(one, 1).is_held_elsewhere(&stored));
        assert!(later(other, 0).is_held_elsewhere(&stored));
        assert!(later(other, 9).is_held_elsewhere(&stored));
        assert!(!later(other, 11).is_held_elsewhere(&stored));
        assert!(!later(other, -1).is_held_elsewhere(&stored), "a clock was wrong");
        for nonsense in ["", "x", "x 1", &format!("{one} x")] {
            assert!(!later(other, 0).is_held_elsewhere(nonsense), "{nonsense}");
        }
    }
}
